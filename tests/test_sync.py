"""`diurna sync` between real clones over real bare remotes: journeys, races, and what it refuses."""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count
from pathlib import Path

import pytest

from ledger.errors import EditNotUnderstood, NetworkFailed, NoRemote, RemoteRefused, SyncRefused
from ledger.git.cli import Git
from ledger.home import discover
from ledger.model.event import Event, FactCreated, FactSuperseded, FactUpdated
from ledger.model.findings import severe
from ledger.remote.remote import Remote
from ledger.remote.transport import push
from memory.api import Memory
from memory.merge.tip_merge import APART
from memory.write.draft import SessionDraft
from rituals.check.run import verify
from rituals.sync.report import Report
from rituals.sync.sync import sync
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    START_MS,
    fsck,
    git,
    hermetic,
    logs_in,
    make_home,
    shape,
)
from tests.conftest import Run

__all__ = ["hermetic"]
#: The branch that holds the home.
BRANCH = {OWN_REPOSITORY: "main", IN_TREE: "main", OWN_BRANCH: "memory"}


class Clone:
    """A home in a folder; every question opens it anew."""

    def __init__(self, folder: Path, agent: str, start_ms: int = START_MS) -> None:
        self.folder, self.agent = folder, agent
        self._ticks = count(start_ms, 1000)

    @property
    def memory(self) -> Memory:
        home = discover(str(self.folder))
        clock = lambda: next(self._ticks)  # noqa: E731
        return Memory(home, agent=self.agent, clock=clock, in_process=False)

    def append(self, title: str, *events: Event) -> str:
        return self.memory.append(SessionDraft(title, "It went.", events)).stem

    def create(self, fact: str, text: str = "") -> str:
        return self.append(f"On {fact}", FactCreated(fact, text or f"The text of {fact}."))

    def sync(self, remote: str = "", *, dry_run: bool = False, adopt: bool = False) -> Report:
        return sync(self.memory, remote, dry_run=dry_run, adopt=adopt, sleep=lambda seconds: None)

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments).strip()

    def tip(self) -> str:
        return self.memory.home.tip()

    def files(self) -> dict[str, str]:
        """Return path -> blob id of everything at the tip."""
        rows = self.git("ls-tree", "-r", "--full-tree", self.tip()).split("\n")
        return {row.split("\t")[1]: row.split()[2] for row in rows}

    def facts(self) -> set[str]:
        return set(self.memory.state())


class Team:
    """A bare remote and clones of it."""

    def __init__(self, folder: Path, kind: str, url: str = "") -> None:
        self.folder, self.kind, self.branch = folder, kind, BRANCH[kind]
        self.hub = folder / "hub.git"
        self.url = url.format(self.hub) if url else str(self.hub)
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.hub))
        make_home(folder / "one", kind)
        self.one = Clone(folder / "one", "one")
        self.one.git("remote", "add", "origin", self.url)
        if kind != OWN_REPOSITORY:
            self.one.git("push", "-q", "-u", "origin", "main")
        self.one.sync()

    def clone(self, name: str) -> Clone:
        folder = self.folder / name
        git(self.folder, "clone", "-q", self.url, str(folder))
        git(folder, "config", "user.name", name)
        git(folder, "config", "user.email", f"{name}@example.invalid")
        return Clone(folder, name, START_MS + 100)

    def there(self) -> str:
        return git(self.hub, "rev-parse", self.branch).strip()


MakeTeam = Callable[..., Team]


@pytest.fixture
def make_team(tmp_path: Path) -> MakeTeam:
    return lambda kind=OWN_REPOSITORY, url="": Team(tmp_path, kind, url)


@pytest.fixture
def pair(make_team: MakeTeam) -> tuple[Team, Clone, Clone]:
    """Two clones of a repository of its own."""
    team = make_team()
    return team, team.one, team.clone("two")


def settled(*clones: Clone) -> None:
    """Check that clones hold the same bytes, in step with what is published, and nothing is amiss."""
    first = clones[0]
    for clone in clones:
        assert clone.tip() == first.tip()
        memory = clone.memory
        assert memory.drift() == ()
        assert not severe(verify(memory))
        assert fsck(memory.home) == []
        if memory.home.checked_out:
            assert clone.git("status", "--porcelain") == ""
        if memory.home.kind == OWN_BRANCH and memory.home.repository.top:
            mirrored = clone.folder / ".memory" / "continuity.md"
            assert mirrored.read_text() == memory.continuity()


# ---- journeys -----------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["", "file://{}"])
@pytest.mark.parametrize("kind", KINDS)
def test_h1_two_clones_share_one_memory(make_team: MakeTeam, kind: str, url: str) -> None:
    """Both appended apart; after three syncs both hold the same bytes, and each says what happened."""
    team = make_team(kind, url)
    one, two = team.one, team.clone("two")
    one.create("alpha")
    assert one.sync().went == 1
    two.sync()
    b = two.create("beta")
    c = one.create("gamma")
    sent = two.sync()
    assert (sent.went, sent.tries) == (1, 1)
    report = one.sync()
    assert (report.came, report.agents, report.went, report.tries) == ((b,), 1, 1, 1)
    assert report.learned.new == 1
    assert two.sync().came == (c,)
    assert one.facts() == two.facts() == {"alpha", "beta", "gamma"}
    assert one.tip() == team.there()
    again = one.sync()
    assert (again.came, again.went, again.tries, again.relation) == ((), 0, 0, "same")
    if kind != IN_TREE:
        settled(one, two)


def test_in_tree_clones_agree_and_stay_clean(make_team: MakeTeam) -> None:
    """In-tree publishes by review only: the logs are joined, the projection waits for `publish`."""
    team = make_team(IN_TREE)
    one, two = team.one, team.clone("two")
    for number in range(3):
        one.create(f"one-{number}")
        two.create(f"two-{number}")
        one.sync()
        two.sync()
    one.sync()
    assert one.files() == two.files()
    assert one.memory.continuity() == two.memory.continuity()
    for clone in (one, two):
        assert clone.git("status", "--porcelain") == ""


def test_a_home_that_publishes_by_review_publishes_nothing_in_a_sync(make_team: MakeTeam) -> None:
    """M3: what a join would render is not committed; the file stays as the last review left it."""
    team = make_team(IN_TREE)
    one, two = team.one, team.clone("two")
    before = one.git("rev-parse", "HEAD:memory/continuity.md")
    one.create("alpha")
    two.create("beta")
    one.sync()
    assert two.sync().relation == APART
    one.sync()
    for clone in (one, two):
        assert clone.facts() == {"alpha", "beta"}
        assert clone.git("rev-parse", "HEAD:memory/continuity.md") == before
        assert clone.memory.drift() == ("continuity.md",)


def test_a_fresh_clone_finds_the_branch_on_the_remote(make_team: MakeTeam) -> None:
    """An own-branch home that exists only as a remote-tracking branch gets a branch and a mirror."""
    team = make_team(OWN_BRANCH)
    stem = team.one.create("alpha")
    team.one.sync()
    two = team.clone("two")
    report = two.sync()
    assert report.came == (stem,)
    assert two.git("rev-parse", "refs/heads/memory") == team.there()
    assert "alpha" in (two.folder / ".memory" / "continuity.md").read_text()
    assert two.git("status", "--porcelain") == ""
    settled(team.one, two)


def test_a_log_that_waits_goes_along(pair: tuple[Team, Clone, Clone]) -> None:
    """The spool is drained before anything is fetched."""
    _, one, two = pair
    one.git("checkout", "-q", "--detach")
    with pytest.raises(Exception, match="waits in the spool"):
        one.create("alpha")
    one.git("checkout", "-q", "main")
    assert one.sync().went == 1
    two.sync()
    assert two.facts() == {"alpha"}


def test_what_memory_learned_is_counted(pair: tuple[Team, Clone, Clone]) -> None:
    """New, superseded and contested facts, by the logs of two agents."""
    _, one, two = pair
    one.create("old", "Old.")
    one.create("word", "A word.")
    one.sync()
    two.sync()
    version = two.memory.state()["word"].fact.heads[0].id
    two.append("S", FactCreated("new", "New."), FactSuperseded("old", "new"))
    two.agent = "three"
    two.append("U", FactUpdated("word", "Their word.", (version,)))
    two.sync()
    one.append("U", FactUpdated("word", "Our word.", (version,)))
    report = one.sync()
    assert (len(report.came), report.agents) == (2, 2)
    news = report.learned
    assert (news.new, news.superseded, news.contradictions) == (1, 1, 1)
    two.sync()
    settled(one, two)
    assert len(two.memory.state()["word"].fact.heads) == 2


def test_h9_both_peers_make_the_same_commit(pair: tuple[Team, Clone, Clone]) -> None:
    """Two clones that join the same two tips, apart from each other, come to one commit id."""
    _, one, two = pair
    one.create("alpha")
    two.create("beta")
    one.git("fetch", "-q", str(two.folder), "main:refs/tmp/two")
    two.git("fetch", "-q", str(one.folder), "main:refs/tmp/one")
    theirs, ours = two.tip(), one.tip()
    assert one.memory.join(theirs).tip == two.memory.join(ours).tip == one.tip() == two.tip()
    assert one.git("log", "-1", "--format=%an <%ae>") == "Diurna <diurna@localhost.invalid>"
    settled(one, two)


def test_a_join_is_dated_as_the_newer_side(pair: tuple[Team, Clone, Clone]) -> None:
    """Whichever of the tips has the lower id, and whoever joins them."""
    _, one, two = pair
    newer_first = set()
    for number in range(12):
        dates = (1_800_000_000 + 1000 * number, 1_800_000_500 + 1000 * number)
        for clone, at in zip((one, two), dates if number % 2 else dates[::-1], strict=True):
            clone.create(f"{clone.agent}-{number}")
            raw = re.sub(
                r"(?m)^(committer .*> )\d+", rf"\g<1>{at}", clone.git("cat-file", "commit", "HEAD")
            )
            made = git(
                clone.folder,
                "hash-object",
                "-t",
                "commit",
                "-w",
                "--stdin",
                data=f"{raw}\n".encode(),
            )
            clone.git("update-ref", "HEAD", made.strip())
        one.git("fetch", "-q", str(two.folder), "main:refs/tmp/two")
        two.git("fetch", "-q", str(one.folder), "main:refs/tmp/one")
        tips = one.tip(), two.tip()
        assert one.memory.join(tips[1]).tip == two.memory.join(tips[0]).tip
        assert one.git("log", "-1", "--format=%ct") == str(max(dates))
        newest = tips[1] if number % 2 else tips[0]
        newer_first.add(newest == min(tips))
        for clone, ref in ((one, "two"), (two, "one")):
            clone.git("update-ref", "-d", f"refs/tmp/{ref}")
    assert newer_first == {True, False}


def test_h8_criss_cross_merges_settle(make_team: MakeTeam) -> None:
    """Three clones that joined in different orders come to the same files; one more round, one tip."""
    team = make_team()
    one, two, three = team.one, team.clone("two"), team.clone("three")
    clones = (one, two, three)
    for number, clone in enumerate(clones):
        clone.create(f"fact-{number}")
    tips = [clone.tip() for clone in clones]
    for clone in clones:
        for other, tip in zip(clones, tips, strict=True):
            clone.git("fetch", "-q", str(other.folder), f"main:refs/tmp/{other.agent}")
            assert tip
    for clone, order in ((one, (1, 2)), (two, (2, 0)), (three, (0, 1))):
        for place in order:
            clone.memory.join(tips[place])
    assert one.files() == two.files() == three.files()
    for clone in (*clones, *clones):
        clone.sync()
    settled(*clones)


def test_the_users_work_is_left_alone(pair: tuple[Team, Clone, Clone]) -> None:
    """fault:D1, fault:D2: what is staged stays staged, what is edited stays edited, and other files stay."""
    _, one, two = pair
    two.create("beta")
    two.sync()
    one.create("alpha")
    (one.folder / "staged.txt").write_text("staged")
    one.git("add", "staged.txt")
    (one.folder / "diurna.toml").write_text((one.folder / "diurna.toml").read_text() + "# mine\n")
    (one.folder / "loose.txt").write_text("loose")
    one.sync()
    assert one.git("status", "--porcelain").split("\n") == [
        "M diurna.toml", "A  staged.txt", "?? loose.txt"
    ]  # fmt: skip
    assert one.facts() == {"alpha", "beta"}


def test_another_file_of_the_home_comes_along(pair: tuple[Team, Clone, Clone]) -> None:
    """In a repository of its own a README is part of the home, and the work tree follows."""
    _, one, two = pair
    (two.folder / "README").write_text("read me\n")
    two.git("add", "README")
    two.git("commit", "-q", "-m", "readme")
    two.sync()
    one.create("alpha")
    one.sync()
    assert (one.folder / "README").read_text() == "read me\n"
    two.sync()
    settled(one, two)


def test_a_bare_repository_syncs(pair: tuple[Team, Clone, Clone]) -> None:
    """fault:C3: there is no work tree to follow."""
    team, one, two = pair
    git(team.folder, "clone", "-q", "--bare", str(team.hub), str(team.folder / "bare.git"))
    bare = Clone(team.folder / "bare.git", "bare", START_MS + 500)
    bare.create("from-bare")
    one.create("alpha")
    one.sync()
    bare.sync()
    two.sync()
    assert two.facts() == {"from-bare", "alpha"}


# ---- races --------------------------------------------------------------------------------------


def test_i1_racing_clones_all_land(make_team: MakeTeam) -> None:
    """Three clones append and sync four times each, at once: nothing is lost, all settle."""
    team = make_team()
    clones = [team.one, team.clone("two"), team.clone("three")]
    problems: list[BaseException] = []
    stems: list[str] = []

    def work(clone: Clone) -> None:
        try:
            for number in range(4):
                stems.append(clone.create(f"{clone.agent}-{number}"))
                sync(clone.memory)
        except BaseException as problem:  # noqa: BLE001 - told by the assertion
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(clone,)) for clone in clones]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    for clone in clones:
        clone.sync()
    settled(*clones)
    assert set(logs_in(clones[0].memory.home)) == set(stems)


def test_i1_a_rejected_push_is_joined_and_tried_again(
    pair: tuple[Team, Clone, Clone], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody pushed between our fetch and our push."""
    _, one, two = pair
    one.create("alpha")
    two.create("beta")

    def late(git: Git, remote: Remote, commit: str, **options: object) -> None:
        monkeypatch.setattr("rituals.sync.sync.push", push)
        two.git("push", "-q", "origin", "main")
        push(git, remote, commit)

    monkeypatch.setattr("rituals.sync.sync.push", late)
    report = one.sync()
    assert report.tries == 2
    assert len(report.came) == 1
    two.sync()
    settled(one, two)


# ---- the network --------------------------------------------------------------------------------


def test_i5_offline_is_normal(pair: tuple[Team, Clone, Clone]) -> None:
    """The remote is away: work goes on, and the next sync takes it along."""
    team, one, _ = pair
    one.create("alpha")
    away = team.hub.rename(team.hub.with_name("away.git"))
    before = shape(one.folder)
    report = one.sync()
    assert report.offline
    assert report.ahead == 1
    assert shape(one.folder) == before
    away.rename(team.hub)
    assert one.sync().went == 1


def test_i2_a_refusal_says_what_the_server_said(pair: tuple[Team, Clone, Clone]) -> None:
    """A hook on the remote says no: its words, no retry, and what was joined stays."""
    team, one, _ = pair
    hook = team.hub / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'main is protected, ask Ada' >&2\nexit 1\n")
    hook.chmod(0o755)
    one.create("alpha")
    with pytest.raises(RemoteRefused, match=r"main is protected, ask Ada.*ahead by 1 commit$"):
        one.sync()


def test_i9_an_empty_remote_gets_the_branch(tmp_path: Path) -> None:
    make_home(tmp_path / "one", OWN_REPOSITORY)
    one = Clone(tmp_path / "one", "one")
    one.create("alpha")
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "hub.git"))
    report = one.sync(str(tmp_path / "hub.git"))
    assert report.went == 1
    assert git(tmp_path / "hub.git", "rev-parse", "main").strip() == one.tip()
    assert one.sync(str(tmp_path / "hub.git")).relation == "same"


def test_i10_a_branch_that_the_remote_lost_is_asked_about(pair: tuple[Team, Clone, Clone]) -> None:
    team, one, _ = pair
    git(team.hub, "update-ref", "-d", "refs/heads/main")
    before = one.tip()
    with pytest.raises(SyncRefused, match="has none now"):
        one.sync()
    assert one.tip() == before


def test_i11_which_remote(pair: tuple[Team, Clone, Clone]) -> None:
    """None, several without a preference, the upstream, the one that is named."""
    team, one, _ = pair
    one.git("remote", "rename", "origin", "hub")
    assert one.sync().remote == "hub"
    one.git("remote", "add", "backup", str(team.folder / "backup.git"))
    with pytest.raises(NoRemote, match="2 remotes") as caught:
        one.sync()
    assert "backup, hub" in caught.value.hint
    one.git("config", "branch.main.remote", "hub")
    assert one.sync().remote == "hub"
    git(team.folder, "init", "-q", "--bare", str(team.folder / "backup.git"))
    assert one.sync("backup").tries == 1
    one.git("remote", "remove", "hub")
    one.git("remote", "remove", "backup")
    with pytest.raises(NoRemote, match="no remote"):
        one.sync()


# ---- what a person has to decide ----------------------------------------------------------------


def test_a_dry_run_moves_no_branch(pair: tuple[Team, Clone, Clone]) -> None:
    _, one, two = pair
    stem = two.create("beta")
    two.sync()
    one.create("alpha")
    before = one.tip(), one.files(), one.git("status", "--porcelain")
    report = one.sync(dry_run=True)
    assert (report.came, report.went, report.learned.new) == ((stem,), 1, 1)
    assert (one.tip(), one.files(), one.git("status", "--porcelain")) == before
    done = one.sync()
    assert (done.came, done.went, done.learned) == (report.came, report.went, report.learned)
    assert done.commit == report.commit


def test_a_policy_changed_on_both_sides_goes_to_the_human(pair: tuple[Team, Clone, Clone]) -> None:
    """Named, and nothing changed; a change on one side alone is taken."""
    _, one, two = pair

    def window(clone: Clone, active: int) -> None:
        policy = clone.folder / "diurna.toml"
        policy.write_text(re.sub(r"(?m)^active .*", f"active = {active}", policy.read_text()))
        clone.git("commit", "-q", "-a", "-m", f"active {active}")

    window(two, 5)
    two.sync()
    one.create("alpha")
    one.sync()
    assert one.memory.state().policy.windows.active == 5
    two.sync()
    window(one, 6)
    window(two, 7)
    two.sync()
    before = shape(one.folder)
    with pytest.raises(SyncRefused, match=r"diurna\.toml was changed here and on the remote"):
        one.sync()
    changed = shape(one.folder)
    for key in ("files", "index", "status"):
        assert changed[key] == before[key]
    assert one.git("log", "-1", "--format=%s") == "active 6"


def test_h7_unrelated_histories_are_refused_and_adopted(tmp_path: Path) -> None:
    """Two ledgers that began apart: refused with a reason; `--adopt` keeps all logs of both."""
    for name in ("one", "two"):
        make_home(tmp_path / name, OWN_REPOSITORY)
    one, two = Clone(tmp_path / "one", "one"), Clone(tmp_path / "two", "two", START_MS + 100)
    text = (one.folder / "diurna.toml").read_bytes()
    (two.folder / "diurna.toml").write_bytes(text + b"# two\n")
    two.git("commit", "-q", "-a", "-m", "other")
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(tmp_path / "hub.git"))
    for clone in (one, two):
        clone.create(clone.agent)
        clone.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    one.sync()
    before = two.tip()
    with pytest.raises(SyncRefused, match="share no history"):
        two.sync()
    with pytest.raises(SyncRefused, match=r"diurna\.toml was changed"):
        two.sync(adopt=True)
    assert two.tip() == before
    (two.folder / "diurna.toml").write_bytes(text)
    two.git("commit", "-q", "-a", "-m", "the same")
    two.sync(adopt=True)
    one.sync()
    assert one.facts() == {"one", "two"}
    settled(one, two)


def test_e9_a_force_pushed_remote_gets_its_logs_back(pair: tuple[Team, Clone, Clone]) -> None:
    """The remote lost our logs: an alarm, and they are offered again; nothing goes here."""
    team, one, two = pair
    stem = one.create("alpha")
    one.sync()
    before = one.tip()
    git(team.hub, "update-ref", "refs/heads/main", f"{before}~1")
    two.create("beta")
    two.sync()
    report = one.sync()
    assert [finding.code for finding in report.findings] == ["history-rewritten"]
    assert stem in report.findings[0].message
    assert one.git("rev-parse", f"refs/diurna/lost/{before}") == before
    two.sync()
    assert two.facts() == {"alpha", "beta"}
    settled(one, two)


def test_e9_a_lost_tip_that_was_only_fetched_is_joined_too(
    pair: tuple[Team, Clone, Clone],
) -> None:
    """What this clone fetched and never joined is not lost with the remote's history."""
    team, one, two = pair
    old = team.there()
    two.create("beta")
    two.sync()
    one.git("fetch", "-q")
    git(team.hub, "update-ref", "refs/heads/main", old)
    one.sync()
    assert one.facts() == {"beta"}
    assert team.there() == one.tip()


@pytest.mark.parametrize("how", ["deleted", "modified"])
@pytest.mark.parametrize("apart", [False, True])
def test_e1_a_log_changed_upstream_stays_as_it_is_here(
    pair: tuple[Team, Clone, Clone], how: str, apart: bool
) -> None:
    """Named with commit, path and author; the log as it is here is offered again."""
    _, one, two = pair
    stem = one.create("alpha")
    one.sync()
    two.sync()
    (path,) = [path for path in two.files() if stem in path]
    if how == "deleted":
        two.git("rm", "-q", path)
    else:
        (two.folder / path).write_text("rewritten\n")
    two.git("commit", "-q", "-a", "-m", "tamper", "--author", "Eve <eve@example.invalid>")
    tampered = two.tip()
    two.git("push", "-q", "origin", "main")
    if apart:
        one.create("gamma")
    kept = one.files()[path]
    report = one.sync()
    alarm = report.findings[0]
    assert alarm.code == f"log-{how}"
    assert tampered[:12] in alarm.message
    assert "Eve" in alarm.message
    assert path in alarm.message
    assert one.files()[path] == kept
    two.sync()
    assert two.files() == one.files()
    assert (two.folder / path).exists()


@pytest.mark.parametrize("sealed", [False, True])
def test_one_path_with_other_bytes_on_the_remote_is_told(
    pair: tuple[Team, Clone, Clone], sealed: bool
) -> None:
    """A name that proves nothing leaves both, and says where; a seal says which of them is not the log."""
    _, one, two = pair
    if sealed:
        path = one.memory.append(
            SessionDraft("On alpha", "", (FactCreated("alpha", "Alpha."),))
        ).path
    else:
        path = "sessions/2026-09-20-101500.md"
        (one.folder / "sessions").mkdir(exist_ok=True)
        (one.folder / path).write_text("# Mine\n")
        one.git("add", path)
        one.git("commit", "-q", "-m", "mine")
    (two.folder / path).parent.mkdir(parents=True, exist_ok=True)
    (two.folder / path).write_text("# Theirs\n")
    two.git("add", path)
    two.git("commit", "-q", "-m", "theirs")
    theirs = two.files()[path]
    two.git("push", "-q", "origin", "main")
    found = [
        one for one in one.sync().findings if one.file == path and "on the remote" in one.message
    ]
    (told,) = found
    assert told.code == ("seal-broken" if sealed else "duplicate-stem")
    assert told.hint == "`diurna verify` tells who committed which"
    if sealed:
        assert f"{theirs[:12]} does not match its name" in told.message
        assert theirs not in one.files().values()
    else:
        (twin,) = [name for name in one.files() if "/twins/" in name]
        assert f"both are kept, the second as {twin}" in told.message
        assert {"# Mine\n", "# Theirs\n"} == {
            git(one.folder, "cat-file", "blob", one.files()[name]) for name in (path, twin)
        }
    two.sync()
    assert two.files() == one.files()


def test_in_tree_code_is_left_to_git(make_team: MakeTeam) -> None:
    """Commits that hold more than memory are never joined or sent, on either side."""
    team = make_team(IN_TREE)
    one, two = team.one, team.clone("two")
    two.create("beta")
    (two.folder / "code.py").write_text("print('new')\n")
    two.git("commit", "-q", "-a", "-m", "code")
    before = shape(two.folder)
    with pytest.raises(SyncRefused, match=r"this branch has commits on main .*code\.py") as caught:
        two.sync()
    assert "git pull" in caught.value.hint
    assert shape(two.folder) == before
    two.git("push", "-q")
    one.create("alpha")
    tip = one.tip()
    with pytest.raises(SyncRefused, match="the remote has commits on main"):
        one.sync()
    assert one.tip() == tip
    one.git("pull", "-q", "--no-rebase", "--no-edit")
    one.git("push", "-q")
    one.create("gamma")
    one.sync()
    two.sync()
    assert one.facts() == two.facts() == {"alpha", "beta", "gamma"}


def test_in_tree_a_branch_that_is_not_on_the_remote_is_not_made(make_team: MakeTeam) -> None:
    team = make_team(IN_TREE)
    team.one.git("checkout", "-q", "-b", "topic")
    with pytest.raises(SyncRefused, match="more than memory") as caught:
        team.one.sync()
    assert caught.value.hint == "git push -u origin topic"


# ---- plain git ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
@pytest.mark.parametrize("kind", [OWN_REPOSITORY, IN_TREE])
def test_h1_a_plain_pull_never_conflicts(make_team: MakeTeam, kind: str, how: str) -> None:
    """Both appended; `git pull` is clean, no projection gets markers, and a sync settles it."""
    team = make_team(kind)
    one, two = team.one, team.clone("two")
    for number in range(2):
        one.create(f"one-{number}")
        two.create(f"two-{number}")
    one.git("push", "-q", "origin", "main")
    two.git("pull", "-q", how, "--no-edit", "origin", "main")
    assert two.git("status", "--porcelain") == ""
    for path in two.folder.rglob("*.md"):
        assert "<<<<<<<" not in path.read_text()
    assert two.facts() == {"one-0", "one-1", "two-0", "two-1"}
    two.git("push", "-q", "origin", "main")
    one.git("pull", "-q", how, "--no-edit", "origin", "main")
    one.create("last")
    one.sync()
    two.sync()
    assert one.files() == two.files()
    if kind == OWN_REPOSITORY:
        settled(one, two)


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
def test_h11_what_a_plain_pull_left_is_published_by_sync(
    pair: tuple[Team, Clone, Clone], how: str
) -> None:
    """Git can not recompute a projection; the next sync does, and shares it."""
    _, one, two = pair
    one.create("alpha")
    two.create("beta")
    one.git("push", "-q", "origin", "main")
    two.git("pull", "-q", how, "--no-edit", "origin", "main")
    assert two.memory.drift() == ("continuity.md",)
    two.sync()
    one.sync()
    settled(one, two)


def test_c4_linked_worktrees_sync_at_once(make_team: MakeTeam) -> None:
    """One own branch, two work trees, two syncs at the same time: both end well, both mirrors follow."""
    team = make_team(OWN_BRANCH)
    one, two = team.one, team.clone("two")
    one.git("worktree", "add", "-q", "-b", "topic", str(team.folder / "linked"))
    linked = Clone(team.folder / "linked", "linked", START_MS + 50)
    two.create("beta")
    two.sync()
    one.create("alpha")
    linked.create("gamma")
    problems: list[BaseException] = []

    def work(clone: Clone) -> None:
        try:
            clone.sync()
        except BaseException as problem:  # noqa: BLE001 - told by the assertion
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(clone,)) for clone in (one, linked)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    two.sync()
    assert one.tip() == linked.tip() == two.tip() == team.there()
    assert one.facts() == linked.facts() == {"alpha", "beta", "gamma"}


# ---- the command line ---------------------------------------------------------------------------


def test_the_command_says_what_happened(
    pair: tuple[Team, Clone, Clone], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transcript: nothing to do, something came and went, offline, a wrong name, and `--json`."""
    team, one, two = pair
    monkeypatch.chdir(one.folder)
    assert run("sync").out == "in step with origin (main)\n"
    two.create("beta")
    two.sync()
    one.create("alpha")
    plan = "would come  1 session from 1 agent\nmemory  1 fact new\nwould go  1 session to origin\n"
    assert run("sync", "--dry-run")[:2] == (0, plan)
    done = "came  1 session from 1 agent\nmemory  1 fact new\nwent  1 session to origin\n"
    assert run("sync")[:2] == (0, done)
    answer = run("sync", "--json").json
    assert (answer["came"], answer["went"], answer["commit"]) == ([], 0, one.tip())
    one.create("gamma")
    team.hub.rename(team.hub.with_name("away.git"))
    ran = run("sync")
    assert ran.code == 0
    assert ran.out == f"offline: origin is not there: nothing is at {team.hub}\n"
    assert ran.err == "hint: 1 commit will go with the next sync that reaches it\n"
    assert run("sync", "--json").json["ahead"] == 1
    git(one.folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    assert run("sync").err == ""  # nothing waits to go
    wrong = run("sync", "nowhere")
    assert (wrong.code, wrong.err) == (
        1, "diurna: sync: there is no remote nowhere\nhint: diurna sync REMOTE, with one of: origin\n"
    )  # fmt: skip


# ---- the policy: lines --------------------------------------------------------------------------


def _policy(clone: Clone, **values: object) -> None:
    """Set lines of `diurna.toml` and commit them."""
    path = clone.folder / "diurna.toml"
    text = path.read_text()
    for key, value in values.items():
        text, found = re.subn(rf"(?m)^{key}( *)=.*", rf"{key}\1= {value}", text)
        assert found == 1
    path.write_text(text)
    clone.git("commit", "-q", "-a", "-m", f"policy {values}")


def test_the_policy_merges_line_by_line(pair: tuple[Team, Clone, Clone]) -> None:
    """Different lines changed on both sides: both hold, in one commit whoever joins, published by it."""
    _, one, two = pair
    one.create("alpha")
    one.sync()
    two.sync()
    _policy(one, archive=30)
    _policy(two, project='"renamed"')
    one.git("fetch", "-q", str(two.folder), "main:refs/tmp/two")
    two.git("fetch", "-q", str(one.folder), "main:refs/tmp/one")
    theirs, ours = two.tip(), one.tip()
    assert one.memory.join(theirs).tip == two.memory.join(ours).tip
    policy = one.memory.state().policy
    assert (policy.project, policy.windows.archive) == ("renamed", 30)
    assert "renamed" in (one.folder / "continuity.md").read_text()
    one.sync()
    two.sync()
    settled(one, two)


def test_a_policy_conflict_names_both_sides(pair: tuple[Team, Clone, Clone]) -> None:
    """Which line is in conflict, here and there; nothing moves until a person has agreed."""
    _, one, two = pair
    _policy(one, archive=30)
    _policy(two, archive=40)
    two.sync()
    before = one.tip()
    with pytest.raises(SyncRefused, match=r"here archive = 30, there archive = 40") as caught:
        one.sync()
    assert "agree on one version" in caught.value.hint
    assert one.tip() == before
    _policy(one, archive=40)
    one.sync()
    two.sync()
    settled(one, two)


def test_lines_that_make_no_policy_together_go_to_the_human(
    pair: tuple[Team, Clone, Clone],
) -> None:
    """Each side is a policy by itself, and git merges them cleanly: the same table stands there twice."""
    _, one, two = pair
    table = '[kinds.lesson]\nsection = "Lessons"\n'
    for clone, place in ((one, "[windows]"), (two, "[review]")):
        path = clone.folder / "diurna.toml"
        text = path.read_text() + (
            "" if "[review]" in path.read_text() else "\n[review]\nevery = 9\n"
        )
        path.write_text(text.replace(place, f"{table}\n{place}"))
        clone.git("commit", "-q", "-a", "-m", "a kind")
    two.sync()
    before = one.tip()
    with pytest.raises(SyncRefused, match="both together are no policy"):
        one.sync()
    assert one.tip() == before


# ---- a person's edit, and a history that was rewritten here ---------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_becomes_a_log_before_the_projection_is_written(
    make_team: MakeTeam, kind: str
) -> None:
    """What a person wrote goes to the team as a log of theirs."""
    team = make_team(kind)
    one, two = team.one, team.clone("two")
    one.create("alpha", "The first text.")
    one.memory.publish()
    one.sync()
    two.sync()
    two.create("beta")
    two.memory.publish()
    two.sync()
    folder = {IN_TREE: "memory/", OWN_BRANCH: ".memory/", OWN_REPOSITORY: ""}[kind]
    path = one.folder / f"{folder}continuity.md"
    path.write_text(path.read_text().replace("The first text.", "A person's text."))
    dry = one.sync(dry_run=True)
    assert "A person's text." in path.read_text()
    report = one.sync()
    assert [finding.code for finding in report.findings] == ["absorbed"]
    assert report.went == 1
    if kind != IN_TREE:
        assert [finding.code for finding in dry.findings] == ["absorbed"]
    two.sync()
    for clone in (one, two):
        assert clone.memory.state()["alpha"].fact.text == "A person's text."


def test_an_edit_that_is_not_understood_stops_before_anything_moves(
    pair: tuple[Team, Clone, Clone],
) -> None:
    """File and line are named; the branch, the file and the remote stay as they are."""
    team, one, two = pair
    two.create("beta")
    two.sync()
    path = one.folder / "continuity.md"
    one.create("alpha")
    lines = path.read_text().split("\n")
    path.write_text("\n".join([*lines[:4], "A sentence of mine.", *lines[4:]]))
    before, there = shape(one.folder), team.there()
    with pytest.raises(EditNotUnderstood) as caught:
        one.sync()
    assert caught.value.where.startswith("continuity.md")
    assert caught.value.findings[0].line == 5
    assert shape(one.folder) == before
    assert team.there() == there


def test_e8_a_history_rewritten_here_is_told_and_made_good_by_the_remote(
    pair: tuple[Team, Clone, Clone],
) -> None:
    """The checkpoint of `verify` had a log that is not here any more: named, and it comes back."""
    _, one, _ = pair
    stem = one.create("alpha")
    one.sync()
    verify(one.memory)
    one.git("reset", "-q", "--hard", "HEAD~1")
    one.create("beta")
    report = one.sync()
    found = [finding for finding in report.findings if finding.code == "history-rewritten"]
    assert stem in found[0].message
    assert one.facts() == {"alpha", "beta"}


# ---- what a killed fetch leaves behind -------------------------------------------------------------


def tracking_lock(clone: Clone, age_seconds: float) -> Path:
    """Leave the lock of the tracking reference behind, as a git that is killed in a fetch does."""
    lock = Path(clone.memory.home.repository.commondir) / "refs/remotes/origin/main.lock"
    lock.touch()
    made = time.time() - age_seconds
    os.utime(lock, (made, made))
    return lock


def test_a_lock_of_a_killed_fetch_is_moved_aside(
    pair: tuple[Team, Clone, Clone], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noted by the sync that died, it need not be old; otherwise it has to be; nothing is deleted."""
    _, one, two = pair
    monkeypatch.setattr(
        "ledger.wal.locks._git_commands", lambda: iter(())
    )  # other tests run git beside us
    state = one.folder / ".git/diurna"
    with subprocess.Popen(["true"]) as dead:
        pass
    for name, noted, age in (("alpha", True, 5.0), ("beta", False, 3600.0)):
        two.create(name)
        two.sync()
        lock = tracking_lock(one, age)
        if noted:
            note = state / "transfer"
            note.write_text(f"{dead.pid} refs/remotes/origin/main\n")
            os.utime(note, (time.time() - 6.0,) * 2)
        report = one.sync()
        assert [finding.code for finding in report.findings] == ["stale-lock"]
        assert name in one.memory.state()
        assert not lock.exists()
    assert len([file for file in (state / "stale").iterdir() if "main.lock" in file.name]) == 2
    assert not (state / "transfer").exists()


@pytest.mark.parametrize("why", ["young", "open", "noted by a living process"])
def test_a_lock_that_may_have_an_owner_stays(
    pair: tuple[Team, Clone, Clone], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """A fetch of somebody else may be at it: the sync says what is in the way and changes nothing."""
    _, one, two = pair
    monkeypatch.setattr("ledger.wal.locks._git_commands", lambda: iter(()))
    two.create("alpha")
    two.sync()
    lock = tracking_lock(one, 3600.0 if why == "open" else 5.0)
    if why == "noted by a living process":
        note = one.folder / ".git/diurna/transfer"
        note.write_text(f"{os.getpid()} refs/remotes/origin/main\n")
        os.utime(note, (time.time() - 6.0,) * 2)
    with lock.open() if why == "open" else nullcontext(), pytest.raises(NetworkFailed):
        one.sync()
    assert lock.exists()
