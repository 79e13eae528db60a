"""`diurna sync` between real clones over real bare remotes: journeys, races, the network, plain git beside it."""

from __future__ import annotations

import re
import threading
from itertools import count, product
from pathlib import Path

import pytest

from ledger.errors import NoRemote
from ledger.model.event import FactCreated, FactSuperseded, FactUpdated
from memory.merge.tip_merge import APART
from rituals.sync.sync_rounds import sync
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    START_MS,
    git,
    hermetic,
    logs_in,
    make_home,
)
from tests.conftest import Repo, Run, sampled
from tests.teams import Clone, MakeTeam, SyncedTeam, make_team, pair, settled

__all__ = ["hermetic", "make_team", "pair"]


# ---- journeys -----------------------------------------------------------------------------------


@pytest.mark.deep(reason="a_fresh_clone_finds_the_branch_on_the_remote is the small one")
@pytest.mark.parametrize(("kind", "url"), sampled(product(KINDS, ["{}", "file://{}"]), 5))
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
    assert report.learned.count("new") == 1
    assert two.sync().came == (c,)
    assert one.facts() == two.facts() == {"alpha", "beta", "gamma"}
    assert one.tip() == team.there()
    again = one.sync()
    assert (again.came, again.went, again.tries, again.relation) == ((), 0, 0, "same")
    if kind != IN_TREE:
        settled(one, two)


def test_a_home_that_publishes_by_review_publishes_nothing_in_a_sync(make_team: MakeTeam) -> None:
    """M3: what a join would render is not committed; the file stays as the last review left it."""
    team = make_team(IN_TREE)
    Repo(team.one.folder).publish_when("review")
    team.one.git("push", "-q")
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


def test_a_log_that_waits_goes_along(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
    """The spool is drained before anything is fetched."""
    _, one, two = pair
    one.git("checkout", "-q", "--detach")
    with pytest.raises(Exception, match="waits in the spool"):
        one.create("alpha")
    one.git("checkout", "-q", "main")
    assert one.sync().went == 1
    two.sync()
    assert two.facts() == {"alpha"}


@pytest.mark.deep(reason="the_command_says_what_happened is the small one")
def test_what_memory_learned_is_counted(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
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
    count = report.learned.count
    assert (count("new"), count("superseded"), count("contradiction")) == (1, 1, 1)
    two.sync()
    settled(one, two)
    assert len(two.memory.state()["word"].fact.heads) == 2


@pytest.mark.deep(reason="test_merges::h9_h10_h11_both_peers_make_one_commit is the small one")
def test_a_join_is_dated_as_the_newer_side(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
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
        if number >= 3 and newer_first == {True, False}:
            break
    assert newer_first == {True, False}


def test_the_users_work_is_left_alone(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
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


def test_another_file_of_the_home_comes_along(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
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


def test_a_bare_repository_syncs(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
    """fault:C3: there is no work tree to follow."""
    team, one, two = pair
    git(team.folder, "clone", "-q", "--bare", str(team.hub), str(team.folder / "bare.git"))
    bare = Clone(team.folder / "bare.git", "bare", count(START_MS + 500, 1000))
    bare.create("from-bare")
    one.create("alpha")
    one.sync()
    bare.sync()
    two.sync()
    assert two.facts() == {"from-bare", "alpha"}


# ---- races --------------------------------------------------------------------------------------


@pytest.mark.deep(reason="test_sync_decisions::what_a_sync_meets has a race")
def test_i1_racing_clones_all_land(make_team: MakeTeam) -> None:
    """Three clones append and sync three times each, at once: nothing is lost, all settle."""
    team = make_team()
    clones = [team.one, team.clone("two"), team.clone("three")]
    problems: list[BaseException] = []
    stems: list[str] = []

    def work(clone: Clone) -> None:
        try:
            for number in range(3):
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


# ---- the network --------------------------------------------------------------------------------


def test_i9_an_empty_remote_gets_the_branch(tmp_path: Path) -> None:
    make_home(tmp_path / "one", OWN_REPOSITORY)
    one = Clone(tmp_path / "one", ticks=count(START_MS, 1000))
    one.create("alpha")
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "hub.git"))
    report = one.sync(str(tmp_path / "hub.git"))
    assert report.went == 1
    assert git(tmp_path / "hub.git", "rev-parse", "main").strip() == one.tip()
    assert one.sync(str(tmp_path / "hub.git")).relation == "same"


def test_i11_which_remote(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
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
    with pytest.raises(NoRemote, match="there is nothing at"):
        one.sync(f"{team.hub}x")
    one.git("remote", "remove", "hub")
    one.git("remote", "remove", "backup")
    with pytest.raises(NoRemote, match="no remote"):
        one.sync()


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
    pair: tuple[SyncedTeam, Clone, Clone], how: str
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
    linked = Clone(team.folder / "linked", ticks=count(START_MS + 50, 1000))
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
    pair: tuple[SyncedTeam, Clone, Clone], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transcript: nothing to do, something came and went, offline, a wrong name, and `--json`."""
    team, one, two = pair
    monkeypatch.chdir(one.folder)
    assert run("sync").out == "in step with origin (main)\n"
    two.create("beta")
    two.sync()
    one.create("alpha")
    plan = "would come  1 log from 1 agent\nmemory  1 fact new\n  new  beta  The text of beta.\nwould go  1 log to origin\n"
    assert run("sync", "--dry-run")[:2] == (0, plan)
    done = "came  1 log from 1 agent\nmemory  1 fact new\n  new  beta  The text of beta.\nwent  1 log to origin\n"
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
    git(one.folder, "branch", "-q", "--set-upstream-to=origin/main")
    assert "upstream  origin/main: 1 ahead, 0 behind\n" in run("status").out
    git(one.folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    assert run("sync").err == ""  # nothing waits to go
    wrong = run("sync", "nowhere")
    assert (wrong.code, wrong.err) == (
        1, "diurna: sync: there is no remote nowhere\nhint: diurna sync REMOTE, with one of: origin\n"
    )  # fmt: skip


# ---- beside commits of code ---------------------------------------------------------------------


@pytest.mark.parametrize("theirs", ["nothing", "a log", "code", "code and a log"])
@pytest.mark.parametrize("ours", ["code", "a log", "code and a log", "a branch of code and a log"])
def test_code_is_left_to_git(make_team: MakeTeam, ours: str, theirs: str) -> None:
    """No commit of a person's is sent, rewritten or fetched into a work tree; git then brings all together."""
    team = make_team(IN_TREE)
    one, two = team.one, team.clone("two")
    two.memory.close()

    def work(clone: Clone, what: str) -> None:
        if "branch" in what:
            clone.git("switch", "-q", "-c", "feat")
        if "code" in what:
            (clone.folder / f"{clone.agent}.py").write_text("x = 1\n")
            clone.git("add", f"{clone.agent}.py")
            clone.git("commit", "-q", "-m", "code")
        if "log" in what:
            clone.create(clone.agent)

    work(two, theirs)
    two.git("push", "-q")
    work(one, ours)
    tip, there = one.tip(), team.there()
    planned = one.sync(dry_run=True)
    assert (one.tip(), team.there()) == (tip, there)
    report = one.sync()
    assert (report.came, report.left) == (planned.came, planned.left)
    assert tip in one.git("rev-list", one.tip()).split()
    away, code = "branch" in ours, "code" in ours
    if "code" in theirs and not away:
        assert one.tip() == tip
        assert "`git pull`" in report.left
    elif code:
        assert team.there() == there
        assert ("log" in ours) == ("`git push" in report.left)
        assert len(report.came) == ("log" in theirs and not away)
        if one.tip() != tip:
            assert one.git("rev-parse", "HEAD^1") == tip
    else:
        assert (report.left, team.there()) == ("", one.tip())
    assert not one.git("status", "--porcelain")
    one.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    one.git("push", "-q", "origin", "HEAD:main")
    two.git("pull", "-q", "--no-rebase")
    wanted = {clone.agent for clone, what in ((one, ours), (two, theirs)) if "log" in what}
    assert one.facts() == two.facts() == wanted
    assert two.sync().left == ""
