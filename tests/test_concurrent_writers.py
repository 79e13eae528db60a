"""Several agents, and several gits, at work on one machine (faults of group B).

fault:B1 to fault:B5, fault:B7 and fault:B8 have more tests in `test_races.py`, with real crowds; here each point stands at the cheapest level
that shows it. fault:B11 (two reviews at once) is in `test_cli_review`.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import Busy, ObjectMissing, ReferenceLocked, TipMoved, WaitsInSpool
from ledger.git.commit_record import Commit
from ledger.home import Home, discover
from ledger.wal.atomic_files import Lock
from memory.api import Memory
from memory.replay.ledger_snapshot import Snapshot
from memory.worktree.checkout import store_blob
from memory.worktree.commit_follow import take_back
from memory.write.ref_update import move
from memory.write.spool_commits import Committer
from tests.campaigns.gc import GC, PACK_REFS, PRUNE, collect
from tests.campaigns.homes import (
    IN_TREE,
    OWN_BRANCH,
    WRITERS,
    assert_sound,
    draft,
    fsck,
    git,
    logs_in,
    make_home,
    open_memory,
    users_files,
)
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import diagonal

both = pytest.mark.parametrize("writer", WRITERS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a user's repository with a home in it."""
    make_home(tmp_path / "home")
    return tmp_path / "home"


def between(memory: Memory, other: Memory, name: str) -> None:
    """Let another process append just before a writer moves the branch the first time."""
    writer = memory._committer.writer()
    whole = writer.commit
    todo = [name]

    def late(wanted: Commit, *show: Any) -> str:
        while todo:
            # the other one does not know of our lock: it is the branch that has to hold
            raw = other._committer.writer()
            text = draft(todo.pop())
            raw.commit(wanted._replace(files=(("memory/other.txt", text.title.encode()),)))
        return whole(wanted, *show)

    writer.commit = late  # type: ignore[method-assign,assignment]


@both
def test_b1_an_append_that_lost_the_race_is_built_anew(folder: Path, writer: str) -> None:
    """Another commit landed between reading the tip and moving the branch: both stand, in a row."""
    memory = open_memory(folder, writer)
    before = memory.home.tip()
    between(memory, open_memory(folder, "pygit2"), "other")
    receipt = memory.append(draft("a"))
    assert_sound(memory.home, [receipt.stem])
    assert git(folder, "show", "main:memory/other.txt") == "Work on other"
    assert git(folder, "rev-list", "--count", f"{before}..main").strip() == "2"


def test_b2_a_crowd_waits_for_the_lock_one_after_the_other(tmp_path: Path) -> None:
    """Many threads want one lock: never two hold it, all get it, and none overtakes the others for good."""
    path = str(tmp_path / "lock")
    holding: list[int] = []
    order: list[int] = []
    overlapped: list[int] = []

    def want(number: int) -> None:
        for _ in range(5):
            with Lock(path):
                overlapped.extend(holding)
                holding.append(number)
                order.append(number)
                holding.remove(number)

    crowd = [threading.Thread(target=want, args=(number,)) for number in range(12)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert overlapped == []
    assert sorted(order) == sorted(list(range(12)) * 5)


@both
def test_b3_the_first_commit_of_a_branch_is_compared_too(tmp_path: Path, writer: str) -> None:
    """Two build a root for one unborn branch: the second is told that it moved."""
    folder = tmp_path / "home"
    home = make_home(folder, OWN_BRANCH)
    git(folder, "update-ref", "-d", home.reference)
    first, second = open_memory(folder, writer), open_memory(folder, "pygit2")
    wanted = first._committer.wanted("", [("a.md", b"a")], "one", first.occasion())
    rival = second._committer.wanted("", [("b.md", b"b")], "two", second.occasion())
    made = second._committer.writer().commit(rival)
    with pytest.raises(TipMoved):
        first._committer.writer().commit(wanted)
    assert git(folder, "rev-parse", home.reference).strip() == made


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_b4_an_init_that_comes_second_adopts_what_is_there(tmp_path: Path, kind: str) -> None:
    """The home of the faster one is the home of both; nothing is made twice, nothing replaced."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    stem = open_memory(folder).append(draft("a")).stem
    tip = home.tip()
    assert make_home(folder, kind) == home
    assert home.tip() == tip
    assert_sound(home, [stem])


@pytest.mark.parametrize(("writer", "kind"), diagonal(WRITERS, [IN_TREE, OWN_BRANCH]))
def test_b5_the_users_index_lock_stops_no_append(tmp_path: Path, writer: str, kind: str) -> None:
    """The commit needs no index; a live git's lock stays where it is, and the entry follows later."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    lock = folder / ".git/index.lock"
    lock.touch()
    with lock.open():  # somebody is at work with it
        receipt = open_memory(folder, writer).append(draft("a"))
    assert lock.exists()
    codes = [one.code for one in receipt.findings]
    assert codes == ([] if kind == OWN_BRANCH else ["index-busy"])
    assert_sound(home, [receipt.stem])
    lock.unlink()
    open_memory(folder, writer).append(draft("b"))
    assert git(folder, "status", "--porcelain") == ""


@both
def test_b6_a_live_gits_reference_lock_is_waited_for_and_then_left(
    folder: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its patience the append says busy and leaves the log in the spool; the lock is not touched."""
    monkeypatch.setattr("memory.write.branch_lock.PATIENCE_SECONDS", 0.2)
    lock = folder / ".git/refs/heads/main.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    memory = open_memory(folder, writer)
    before = memory.home.tip()
    with lock.open(), pytest.raises(WaitsInSpool) as waits:
        memory.append(draft("a"))
    assert "main.lock is there" in str(waits.value)
    assert isinstance(waits.value.__cause__, Busy | ReferenceLocked)
    assert lock.exists()
    assert memory.home.tip() == before
    assert memory.waiting() == [waits.value.stem]
    lock.unlink()
    assert_sound(
        memory.home, [open_memory(folder, writer).append(draft("b")).stem, waits.value.stem]
    )


@both
@pytest.mark.parametrize("name", ["packed-refs.lock", "config.lock"])
def test_b7_a_lock_that_no_append_needs_is_in_nobodys_way(
    folder: Path, writer: str, name: str
) -> None:
    """Neither the packed references nor the configuration are written by an append."""
    git(folder, "pack-refs", "--all")
    (folder / ".git" / name).touch()
    receipt = open_memory(folder, writer).append(draft("a"))
    assert receipt.findings == ()
    assert (folder / ".git" / name).exists()
    (folder / ".git" / name).unlink()
    assert_sound(discover(str(folder)), [receipt.stem])


@both
def test_b8_packing_between_two_appends_of_one_process_loses_nothing(
    folder: Path, writer: str
) -> None:
    """The objects and references that a running process knows are somewhere else now."""
    memory = open_memory(folder, writer)
    stems = []
    for number, command in enumerate(("gc -q", "pack-refs --all", "repack -adq", "gc -q")):
        stems.append(memory.append(draft(f"d{number}")).stem)
        git(folder, *command.split())
    stems.append(memory.append(draft("last")).stem)
    assert_sound(memory.home, stems)
    assert len(memory.state().standings()) == 5


@pytest.mark.deep(reason="test_repair_dropped_logs is the small one")
@pytest.mark.parametrize("loop", [GC, PACK_REFS])
def test_b8_collecting_beside_writers_loses_nothing(tmp_path: Path, loop: str) -> None:
    """Processes of both kinds append while git packs in a loop."""
    folder = tmp_path / "home"
    make_home(folder)
    found = collect(folder, loop, 2, 6, 60.0)
    assert found.clean, found
    assert found.acknowledged == found.in_ledger == 12


@pytest.mark.deep(reason="test_lost_objects is the small one")
@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_b9_pruning_beside_writers_loses_nothing(tmp_path: Path, kind: str) -> None:
    """The same with `git gc --prune=now`, which takes what a branch is just moving to."""
    folder = tmp_path / "home"
    make_home(folder, kind)
    found = collect(folder, PRUNE, 3, 6, 60.0)
    assert found.clean, found
    assert found.acknowledged + found.waiting == found.in_ledger == 18


def take(home: Home, *specs: str) -> list[Path]:
    """Take loose objects away, as a prune does that looked before the branch moved; return them."""
    files = []
    for oid in git(home.repository.where, "rev-parse", *specs).split():
        files.append(Path(home.repository.commondir) / "objects" / oid[:2] / oid[2:])
    for file in files:
        file.unlink()
    return files


@pytest.mark.parametrize(("writer", "kind"), diagonal(WRITERS, [IN_TREE, OWN_BRANCH]))
def test_b9_what_a_prune_took_is_made_again_by_the_next_append(
    tmp_path: Path, writer: str, kind: str
) -> None:
    """Commit, trees, log and projection come back under the same ids; the branch never moves back."""
    folder = tmp_path / "home"
    home = make_home(folder, kind)
    before = users_files(folder)
    memory = open_memory(folder, writer)
    stems = [memory.append(draft(f"d{number}")).stem for number in range(3)]
    tip = home.tip()
    at = f"{tip}:{home.prefix}"
    specs = [tip, f"{tip}^{{tree}}", f"{at}sessions", f"{tip}~1", f"{tip}~1^{{tree}}"]
    if kind == OWN_BRANCH:
        specs += [f"{at}continuity.md", f"{tip}~1:continuity.md"]
    (log,) = [line.split()[2] for line in listed(home, tip) if stems[-1] in line]
    files = take(home, *specs, log)
    fresh = open_memory(folder, writer)
    receipt = fresh.append(draft("next"))
    assert [one.code for one in receipt.findings] == ["object-mended"]
    if kind == OWN_BRANCH:
        fresh.remake()  # the older projection, which no append needs
    assert all(file.exists() for file in files)
    assert git(folder, "rev-parse", f"{home.reference}~1").strip() == tip
    assert_sound(home, [*stems, receipt.stem])
    assert git(folder, "status", "--porcelain") == ""
    assert users_files(folder) == before


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_b9_a_join_that_a_prune_took_is_made_again(tmp_path: Path, kind: str) -> None:
    """The commit of a sync with its trees and projection, by the next append, under the same ids."""
    folder, other = tmp_path / "home", tmp_path / "other"
    home = make_home(folder, kind)
    git(tmp_path, "clone", "-q", str(folder), str(other))
    git(other, "checkout", "-q", "-B", home.branch, f"origin/{home.branch}")
    theirs = open_memory(other).append(draft("theirs"))
    git(folder, "fetch", "-q", str(other), f"{home.branch}:refs/remotes/other/x")
    memory = open_memory(folder)
    ours = memory.append(draft("ours"))
    memory.join(git(folder, "rev-parse", "refs/remotes/other/x").strip())
    tip = home.tip()
    assert git(folder, "rev-list", "--parents", "-1", tip).count(" ") == 2
    at = f"{tip}:{home.prefix}"
    specs = [tip, f"{tip}^{{tree}}", f"{at}sessions"]
    files = take(home, *specs, *([f"{at}continuity.md"] if kind == OWN_BRANCH else []))
    receipt = open_memory(folder).append(draft("next"))
    assert [one.code for one in receipt.findings] == ["object-mended"]
    assert all(file.exists() for file in files)
    assert_sound(home, [theirs.stem, ours.stem, receipt.stem])


@pytest.mark.parametrize("reader", ["notice", "moves", "due_findings"])
def test_b9_no_read_of_an_append_falls_into_a_prune(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    """What it reads before its log is stored, and after it is committed, is made again and read again."""
    memory = open_memory(folder)
    stems = [memory.append(draft(f"d{number}")).stem for number in range(2)]
    module = {
        "notice": "memory.write.duplicate_check",
        "moves": "memory.write.append",
        "due_findings": "memory.write.review_notice",
    }[reader]
    whole = getattr(importlib.import_module(module), reader)
    taken: list[Path] = []

    def pruned(*arguments: object) -> object:
        if not taken:
            taken.extend(take(memory.home, "main^{tree}"))
            memory.snapshot.list_logs(memory.home.tip())  # as a reader does whose cache is behind
        return whole(*arguments)

    monkeypatch.setattr(f"{module}.{reader}", pruned)
    stems.append(memory.append(draft("last"), tiers=True).stem)
    assert taken[0].exists()
    assert_sound(memory.home, stems)


def test_b9_the_first_read_of_an_append_falls_into_no_prune(folder: Path) -> None:
    """Whose cache is behind asks git for the tip's logs first of all: what was taken is made again."""
    stems = [open_memory(folder).append(draft(f"d{number}")).stem for number in range(2)]
    memory = open_memory(folder)
    taken = take(memory.home, "main", "main^{tree}")
    Path(memory.home.cache_file + ".sqlite").unlink()
    stems.append(memory.append(draft("last")).stem)
    assert all(file.exists() for file in taken)
    assert_sound(memory.home, stems)


@pytest.mark.parametrize("what", ["main", "main^{tree}", "main:memory"])
def test_b9_nothing_is_taken_back_to_a_tip_that_a_prune_took(folder: Path, what: str) -> None:
    """A file that can not be looked up is not taken for one that the branch does not have."""
    memory = open_memory(folder)
    memory.append(draft("a"))
    page = f"{memory.home.prefix}continuity.md"
    blob = git(folder, "rev-parse", f"main:{page}").strip()
    take(memory.home, what)
    with pytest.raises(ObjectMissing):
        take_back(memory.home, {page: blob})
    assert (folder / page).exists()
    assert git(folder, "ls-files", "--", page).strip() == page


def test_b9_what_another_process_made_again_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is lost any more when the lock is had, and no git prunes: it is tried once more, not twice."""
    memory = open_memory(folder)
    branch, tried = memory._committer.branch, []
    monkeypatch.setattr("memory.write.branch_lock.git_prunes", lambda _: False)

    def missing(times: int) -> int:
        tried.append(times)
        if len(tried) <= times:
            raise ObjectMissing("ls-tree", 128, "fatal: not a tree object", str(folder), "")
        return len(tried)

    assert branch.despite_pruning(lambda: missing(1)) == 2
    tried.clear()
    with pytest.raises(ObjectMissing):
        branch.despite_pruning(lambda: missing(2))


def test_b9_a_committed_log_is_acknowledged_whatever_can_not_be_read_behind_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that were told "refused" would append it a second time."""
    memory = open_memory(folder)

    def missing(*_: object) -> object:
        raise ObjectMissing("ls-tree", 128, "fatal: not a tree object", str(folder), "")

    monkeypatch.setattr("memory.write.append.moves", missing)
    monkeypatch.setattr("memory.write.review_notice.due_findings", missing)
    receipt = memory.append(draft("a"), tiers=True)
    assert [one.code for one in receipt.findings] == ["unreadable"]  # said twice, told once
    assert_sound(memory.home, [receipt.stem])


def test_b9_a_cache_that_missed_a_log_looks_again(folder: Path) -> None:
    """It was read while the bytes were gone; once somebody wrote them again, no command needs help."""
    memory = open_memory(folder)
    stems = [memory.append(draft(f"d{number}")).stem for number in range(2)]
    (log,) = [line.split()[2] for line in listed(memory.home, "main") if stems[0] in line]
    (file,) = take(memory.home, log)
    memory.snapshot.rebuilt()
    assert [one.code for one in memory.state().findings()] == ["unreadable"]
    store_blob(memory.home, Path(memory.home.spool_folder, "kept", stems[0]).read_bytes())
    assert file.exists()
    assert memory.state().findings() == ()
    assert len(open_memory(folder).state().standings()) == 2


def listed(home: Home, tip: str) -> list[str]:
    """List the files of a commit as git does."""
    return git(home.repository.where, "ls-tree", "-r", tip).splitlines()


def test_b9_a_hole_below_the_tip_is_found_before_the_copies_go(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A running writer needs no older tree, so nobody misses one; letting go of the copies does."""
    monkeypatch.setattr("memory.repair.lost_blobs.KEEP", 4)
    memory = open_memory(folder)
    stems = [memory.append(draft(f"d{number}")).stem for number in range(2)]
    gone = take(memory.home, "main~1^{tree}")
    stems += [memory.append(draft(f"e{number}")).stem for number in range(1)]
    assert fsck(memory.home) != []
    stems += [memory.append(draft("last")).stem]
    assert memory.kept() == []
    assert all(file.exists() for file in gone)
    assert_sound(memory.home, stems)
    assert not (Path(memory.home.spool_folder) / "kept/commits").exists()


def test_b9_copies_stay_while_a_git_deletes_objects(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was referred to after it looked, it deletes; git's note of a dead collection counts no more."""
    monkeypatch.setattr("memory.repair.lost_blobs.KEEP", 2)
    memory = open_memory(folder)
    note = folder / ".git/gc.pid"
    note.write_text(f"{os.getpid()} {os.uname().nodename}")
    memory.append(draft("a"))
    memory.append(draft("b"))
    assert len(memory.kept()) == 2
    with subprocess.Popen(["true"]) as dead:
        pass
    note.write_text(f"{dead.pid} {os.uname().nodename}")
    memory.append(draft("c"))
    assert memory.kept() == []


def test_b9_a_note_cut_short_spoils_no_other(folder: Path) -> None:
    """A kill in the middle of a note costs that one; what is no note is passed over."""
    memory = open_memory(folder)
    memory.append(draft("a"))
    notes = Path(memory.home.spool_folder) / "kept/commits"
    notes.write_bytes(b"\xff\0 garbage \0\0\n" + notes.read_bytes() + b"refs/heads/main\0tip\0half")
    memory.append(draft("b"))
    with notes.open("ab") as file:
        file.write(b"\0\0\nrefs/heads/main\0-\0no number\0a\0b\0c\0\0\n")
    take(memory.home, "main", "main~1")
    assert len(open_memory(folder).remake()) == 2
    assert fsck(memory.home) == []


@pytest.mark.parametrize(("writer", "what"), diagonal(WRITERS, ["checkout", "reset", "amend"]))
def test_b10_the_user_moves_the_branch_meanwhile(folder: Path, writer: str, what: str) -> None:
    """The append lands on the branch as it is then, and what the user did stands."""
    memory = open_memory(folder, writer)
    first = memory.append(draft("a")).stem
    git(folder, "branch", "side", "HEAD~1")
    (folder / "code.py").write_text("print('amended')\n")
    commands = {
        "checkout": ("checkout", "-q", "side"),
        "reset": ("reset", "-q", "--soft", "HEAD~1"),
        "amend": ("commit", "-q", "--amend", "--no-edit", "code.py"),
    }
    git(folder, *commands[what])
    edited = users_files(folder)
    home = discover(str(folder))
    receipt = Memory(home, agent="t", in_process=writer == "pygit2").append(draft("b"))
    logs = logs_in(home)
    assert receipt.stem in logs
    assert (first in logs) == (what == "amend")
    assert first in memory.kept(), "what the user set back is not lost"
    assert_sound(home, [receipt.stem])
    assert users_files(folder) == edited
    if what == "checkout":
        assert first in git(folder, "ls-tree", "-r", "--name-only", "main")


def test_b12_nobody_steals_from_a_holder_that_is_stopped(folder: Path) -> None:
    """A stopped process keeps its lock: the others say busy and whose it is, and the log waits."""
    lock = folder / ".git/diurna/lock"
    script = (
        "import fcntl, os, sys\nfile = open(sys.argv[1], 'r+')\nfcntl.flock(file, fcntl.LOCK_EX)\n"
        "file.write(f'{os.getpid()} refs/heads/main tip\\n'); file.flush()\n"
        "print('held', flush=True)\nos.kill(os.getpid(), 19)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(lock)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        os.waitpid(holder.pid, os.WUNTRACED)  # until it is stopped
        memory = open_memory(folder)
        with pytest.MonkeyPatch.context() as patch, pytest.raises(WaitsInSpool) as waits:
            patch.setattr("ledger.wal.atomic_files.Lock.__init__.__defaults__", (0.05,))
            memory.append(draft("a"))
        assert f"another Diurna process ({holder.pid}) holds" in str(waits.value)
        assert memory.waiting() == [waits.value.stem]
        holder.kill()
    receipt = memory.append(draft("b"))
    assert_sound(memory.home, [receipt.stem, waits.value.stem])


def test_b13_an_append_while_a_sync_joins(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The branch moved after the join was made: it is made again on the new tip, and both sides stand."""
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(folder), str(other))
    git(other, "config", "user.name", "Bo")
    git(other, "config", "user.email", "bo@example.invalid")
    theirs = open_memory(other).append(draft("theirs"))
    git(folder, "fetch", "-q", str(other), "main:refs/remotes/other/main")
    ours = open_memory(folder).append(draft("ours"))
    memory, late = open_memory(folder), open_memory(folder)
    late_stems: list[str] = []

    def moved(snapshot: Snapshot, committer: Committer, where: Callable[[str], str]) -> str:
        def racing(tip: str) -> str:
            made = where(tip)
            if not late_stems:
                wanted = late._committer.wanted(
                    tip, [("late.txt", b"late")], "late", late.occasion()
                )
                late_stems.append(late._committer.writer().commit(wanted))
            return made

        return move(snapshot, committer, racing)

    monkeypatch.setattr("memory.write.ref_update.move", moved)
    memory.join(git(folder, "rev-parse", "refs/remotes/other/main").strip())
    assert len(late_stems) == 1
    git(folder, "merge-base", "--is-ancestor", late_stems[0], "main")
    assert_sound(memory.home, [theirs.stem, ours.stem])
    assert git(folder, "show", "main:memory/late.txt") == "late"


@both
def test_b14_where_file_locks_do_nothing_the_branch_still_holds(
    folder: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With locks that let everybody in, two writers build on one tip; neither overwrites the other."""
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    memory, other = open_memory(folder, writer), open_memory(folder)
    writing = memory._committer.writer()
    whole = writing.commit
    stems: list[str] = []

    def late(wanted: Commit, *show: Any) -> str:
        if not stems:
            stems.append(other.append(draft("other")).stem)
        return whole(wanted, *show)

    writing.commit = late  # type: ignore[method-assign,assignment]
    stems.append(memory.append(draft("mine")).stem)
    assert_sound(memory.home, stems)
    assert len(stems) == 2
