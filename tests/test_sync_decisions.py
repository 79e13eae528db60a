"""What `diurna sync` leaves to a person: policies that differ, histories rewritten, edits not understood, locks in the way."""

from __future__ import annotations

import os
import re
import subprocess
import time
from contextlib import nullcontext
from itertools import count
from pathlib import Path

import pytest

from ledger.errors import EditNotUnderstood, NetworkFailed, SyncRefused
from ledger.model.event import FactCreated
from memory.write.draft import SessionDraft
from rituals.check.check_registry import verify
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    START_MS,
    git,
    hermetic,
    make_home,
    shape,
)
from tests.teams import Clone, MakeTeam, SyncedTeam, make_team, pair, settled

__all__ = ["hermetic", "make_team", "pair"]


# ---- what a person has to decide ----------------------------------------------------------------


def test_a_dry_run_moves_no_branch(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
    _, one, two = pair
    stem = two.create("beta")
    two.sync()
    one.create("alpha")
    before = one.tip(), one.files(), one.git("status", "--porcelain")
    report = one.sync(dry_run=True)
    assert (report.came, report.went, report.learned.count("new")) == ((stem,), 1, 1)
    assert (one.tip(), one.files(), one.git("status", "--porcelain")) == before
    done = one.sync()
    assert (done.came, done.went, done.learned) == (report.came, report.went, report.learned)
    assert done.commit == report.commit


def test_a_policy_changed_on_both_sides_goes_to_the_human(
    pair: tuple[SyncedTeam, Clone, Clone],
) -> None:
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
    one = Clone(tmp_path / "one", ticks=count(START_MS, 1000))
    two = Clone(tmp_path / "two", ticks=count(START_MS + 100, 1000))
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


def test_e9_a_force_pushed_remote_gets_its_logs_back(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
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
    pair: tuple[SyncedTeam, Clone, Clone],
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
    pair: tuple[SyncedTeam, Clone, Clone], how: str, apart: bool
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
    pair: tuple[SyncedTeam, Clone, Clone], sealed: bool
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
    assert told.hint == "`diurna check` tells who committed which"
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


def test_the_policy_merges_line_by_line(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
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


def test_a_policy_conflict_names_both_sides(pair: tuple[SyncedTeam, Clone, Clone]) -> None:
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
    pair: tuple[SyncedTeam, Clone, Clone],
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
    pair: tuple[SyncedTeam, Clone, Clone],
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
    pair: tuple[SyncedTeam, Clone, Clone],
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
    pair: tuple[SyncedTeam, Clone, Clone], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noted by the sync that died, it need not be old; otherwise it has to be; nothing is deleted."""
    _, one, two = pair
    monkeypatch.setattr(
        "ledger.wal.git_locks._git_commands", lambda: iter(())
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
    pair: tuple[SyncedTeam, Clone, Clone], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """A fetch of somebody else may be at it: the sync says what is in the way and changes nothing."""
    _, one, two = pair
    monkeypatch.setattr("ledger.wal.git_locks._git_commands", lambda: iter(()))
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
