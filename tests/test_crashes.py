"""Writers that are killed while they append, with git itself (fault:A1 to fault:A5)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ledger.errors import WaitsInSpool
from ledger.model.layout import JOURNAL_FILE
from tests.append_faults import DIED, Tried, both, place
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_REPOSITORY,
    WRITERS,
    assert_sound,
    draft,
    git,
    hermetic,
    logs_in,
)
from tests.conftest import diagonal

__all__ = ["hermetic", "place"]


_AFTER_BLOB = """
class Odb:
    odb = writer._odb
    read = odb.read
    def write(self, *args):
        self.odb.write(*args)
        die()
writer._odb = Odb()
"""


@pytest.mark.parametrize(("writer", "kind"), diagonal(WRITERS, KINDS[:2]))
def test_a1_killed_between_blob_and_tree(place: Path, writer: str, kind: str) -> None:
    """What was written of the objects is harmless, and the spool brings the log in."""
    tried = Tried(place, writer, kind)
    tried.die(_AFTER_BLOB if writer == "pygit2" else 'before(writer, "commit", die)')
    tried.assert_nothing_moved()
    assert len(tried.waiting()) == 1
    tried.assert_next_append_works("second")


def test_a1_git_is_killed_with_its_parent_in_mid_stream(place: Path) -> None:
    """A fast-import that dies over half a commit leaves a branch that never moved."""
    tried = Tried(place, "fast-import")
    done = tried.child(
        """
os.setpgrp()
whole = ledger.git.fast_import._stream
def cut(wanted):
    stream = whole(wanted)
    # git waits for the rest of a file that never comes, and dies with the writer
    return stream[: stream.rindex(b"\\n", 0, len(stream) - 60)]
ledger.git.fast_import._stream = cut
def dying(command, status, said):
    os.killpg(0, signal.SIGKILL)
writer._git.failure = dying
"""
    )
    assert done.returncode == -9, done.stdout + done.stderr
    tried.assert_nothing_moved()
    assert len(tried.waiting()) == 1
    tried.assert_next_append_works("second")


@pytest.mark.parametrize(("writer", "kind"), diagonal(WRITERS, KINDS[:2]))
def test_a2_killed_between_commit_object_and_reference(place: Path, writer: str, kind: str) -> None:
    """A commit that nothing points to is harmless; the log comes in once."""
    tried = Tried(place, writer, kind)
    owner = "writer, '_move'" if writer == "pygit2" else "ledger.git.fast_import, 'move_reference'"
    tried.die(f"before({owner}, die)")
    tried.assert_nothing_moved()
    assert len(tried.waiting()) == 1
    tried.assert_next_append_works("second")


@both
def test_a2_the_retry_of_a_killed_append_is_one_log(place: Path, writer: str) -> None:
    """The same draft again is the log that waits, under the stem that it has."""
    tried = Tried(place, writer)
    tried.die('before(writer, "commit", die)')
    (stem,) = tried.waiting()
    receipt = tried.append("second")
    assert receipt.already
    assert receipt.stem == stem
    assert receipt.commit == tried.home.tip()
    tried.assert_next_append_works("second")


@both
def test_a3_killed_holding_the_reference_lock(place: Path, writer: str) -> None:
    """A lock whose owner died is moved aside, not removed, and the repair is noted."""
    tried = Tried(place, writer)
    common = Path(tried.home.repository.commondir)
    lock = common / (tried.home.reference + ".lock")
    if writer == "pygit2":
        tried.die("import pygit2; pygit2.Repository.lookup_reference = die")
    else:  # git was killed with the lock in its hands
        tried.die(
            f"def held(*args, **more): open({str(lock)!r}, 'w').close(); die()\nwriter._git.call = held"
        )
    assert lock.exists()
    old = os.stat(lock).st_mtime - 5
    os.utime(lock, (old, old))
    memory = tried.open()
    receipt = memory.append(draft("third"))
    (noted,) = [one for one in receipt.findings if one.code == "stale-lock"]
    assert str(lock) in noted.message
    assert not lock.exists()
    (aside,) = (common / "diurna" / "stale").iterdir()
    assert str(aside) in noted.message
    assert str(lock) in (common / JOURNAL_FILE).read_text()
    tried.acknowledged[receipt.stem] = receipt.data
    tried.assert_next_append_works("second", "third")


@both
def test_a3_a_lock_that_somebody_has_open_is_left_alone(
    place: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However old it is: whoever has it open is alive, so the append waits and says so."""
    monkeypatch.setattr("memory.write.branch_lock.PATIENCE_SECONDS", 0.0)
    tried = Tried(place, writer)
    lock = Path(tried.home.repository.commondir) / (tried.home.reference + ".lock")
    with lock.open("w"):
        os.utime(lock, (0, 0))
        with pytest.raises(WaitsInSpool) as waits:
            tried.append("second")
        assert str(lock) in str(waits.value)
        assert "wait for it" in waits.value.hint
        assert lock.exists()
    tried.assert_nothing_moved()
    lock.unlink()
    tried.assert_next_append_works("second")


_AFTER_MOVE = 'before(writer, "check", die)'


@pytest.mark.parametrize(("writer", "kind"), diagonal(WRITERS, KINDS[:2]))
def test_a4_killed_after_the_reference_moved(place: Path, writer: str, kind: str) -> None:
    """The log is in the ledger once, whether the agent tries again or not, and the index follows."""
    tried = Tried(place, writer, kind)
    tried.die(_AFTER_MOVE)
    assert tried.home.tip() != tried.tip
    tried.assert_whole()
    tried.assert_next_append_works("second")


@pytest.mark.parametrize(("writer", "kind"), diagonal(WRITERS, KINDS))
def test_a4_a_retry_answers_already_recorded(place: Path, writer: str, kind: str) -> None:
    """It names the log that is there, and the work tree and the index follow with it."""
    tried = Tried(place, writer, kind)
    tried.die(_AFTER_MOVE)
    (stem,) = tried.waiting()
    receipt = tried.append("second")
    assert receipt.already
    assert receipt.stem == stem
    assert tried.waiting() == []
    assert tried.status() == tried.kept_status
    tried.assert_next_append_works("second")


_BEHIND = (
    "import memory.worktree.checkout_update as ahead; before(ahead, 'show_files', die)",
    "import memory.worktree.checkout_update as ahead; after(ahead, 'show_files', die)",
    "import memory.write.spool_commits as landing; before(landing, 'show_elsewhere', die)",
    "import memory.worktree.commit_follow as following; before(following, 'follow', die)",
    "import memory.worktree.commit_follow as following; after(following, 'follow', die)",
    'before(spool, "commit", die)',
    'after(spool, "commit", die)',
    'before(memory._committer, "_bring_forward", die)',
)


@pytest.mark.parametrize(
    ("point", "kind"),
    diagonal(_BEHIND, (IN_TREE, OWN_REPOSITORY)),
)
def test_a4_the_users_index_never_takes_a_log_out(place: Path, kind: str, point: str) -> None:
    """Wherever it died after the commit: the next append leaves git with nothing to tell the user.

    Without that, the user's own next commit would delete the log again.
    """
    tried = Tried(place, "pygit2", kind)
    tried.die(point)
    tried.assert_next_append_works("second")
    git(place, "commit", "-q", "--allow-empty", "-m", "the user's own")
    assert_sound(tried.home, tried.acknowledged)
    assert len(logs_in(tried.home)) == 3


def test_a4_what_the_user_staged_after_the_crash_stays(place: Path) -> None:
    """Catching up touches only what is still as it was before the commit that was not followed."""
    tried = Tried(place, "pygit2", OWN_REPOSITORY)
    tried.die(_AFTER_MOVE)
    policy = place / "diurna.toml"
    policy.write_text(policy.read_text().replace("every = 10", "every = 11"))
    git(place, "add", "diurna.toml")
    (place / "continuity.md").write_text("my own words\n")
    tried.append("third")
    assert (place / "continuity.md").read_text() == "my own words\n"
    assert tried.status().split("\n")[:2] == [" M continuity.md", "M  diurna.toml"]
    assert_sound(tried.home, tried.acknowledged)


@pytest.mark.parametrize("kind", (IN_TREE, OWN_REPOSITORY))
def test_a4_killed_while_publishing(place: Path, kind: str) -> None:
    """Where no log is concerned work tree and index have it before the branch, too."""
    tried = Tried(place, "pygit2", kind)
    git(place, "config", "diurna.unused", "1")
    policy = (place / tried.home.prefix / "diurna.toml").read_bytes()
    changed = policy.replace(b"every = 10", b"every = 12")
    memory = tried.open()
    memory.commit_files([("diurna.toml", changed)], "policy")
    before = tried.status()
    done = tried.child(
        'import memory.write.spool_commits as landing; before(landing, "show_elsewhere", die)\n'
        f"memory.commit_files([('diurna.toml', {policy!r})], 'back')"
    )
    assert done.returncode == DIED, done.stderr
    assert tried.status() == before
    tried.append("second")
    assert tried.status() == before
    assert (place / tried.home.prefix / "diurna.toml").read_bytes() == policy


@pytest.mark.parametrize(("writer", "point"), diagonal(WRITERS, ("half", "whole")))
def test_a5_killed_while_writing_continuity(place: Path, writer: str, point: str) -> None:
    """The file holds its old or its new text, never a part, and the next append has it right."""
    tried = Tried(place, writer, OWN_REPOSITORY)
    file = place / "continuity.md"
    before = file.read_bytes()
    setting = """
whole = ledger.wal.atomic_files._write_all
def half(fd, data):
    if data.startswith(b"# Continuity"):
        whole(fd, data[: len(data) // 2]); die()
    whole(fd, data)
ledger.wal.atomic_files._write_all = half
"""
    if point == "whole":
        setting = """
whole = os.replace
def late(old, new):
    whole(old, new)
    if new.endswith("continuity.md"): die()
os.replace = late
"""
    tried.die(setting)
    here = file.read_bytes()
    assert (here == before) == (point == "half") and (b"second" in here) == (point == "whole")
    assert logs_in(tried.home).keys() == tried.acknowledged.keys(), (
        "the branch moves behind the file"
    )
    receipt = tried.append("next")
    assert receipt.findings == ()
    assert file.read_bytes() == tried.open().continuity().encode()
    assert git(place, "status", "--porcelain", "-uno") == ""
    assert_sound(tried.home, tried.acknowledged)
