"""The note on Diurna's lock: what its owner was doing is known whenever it dies."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ledger.git.repository import find_repository
from ledger.model.layout import JOURNAL_FILE, LOCK_FILE, TRANSFER_FILE
from ledger.wal import git_locks
from ledger.wal.atomic_files import Lock, died, plain_bytes
from ledger.wal.git_locks import Transfer
from tests.conftest import Repo, each_row


@pytest.mark.parametrize(
    "then", ["refs/heads/main 4f2a91c", "following refs/heads/main 4f2a91c", ""]
)
@pytest.mark.parametrize("call", ["ftruncate", "pwrite"])
def test_a_note_is_never_lost_between_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str, call: str
) -> None:
    """Killed while it writes the next note, an owner leaves that one or the one before."""
    path = str(tmp_path / "lock")
    before = "refs/heads/memory 0123456789abcdef"
    pid = os.fork()
    if not pid:
        try:
            with Lock(path) as lock:
                lock.write_note(before)
                done = getattr(os, call)
                for name in ("ftruncate", "pwrite"):

                    def die(*arguments: object, name: str = name) -> None:
                        if name == call:
                            done(*arguments)
                        os._exit(0)

                    monkeypatch.setattr(os, name, die)
                lock.write_note(then)
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
    with Lock(path) as lock:
        assert lock.note in (before, then)


@pytest.mark.parametrize(("noted", "left"), [("", False), ("refs/heads/main 4f2a91c", True)])
def test_who_fails_leaves_what_was_begun_and_nothing_else(
    tmp_path: Path, noted: str, left: bool
) -> None:
    """A write that was refused before it did anything is nobody's death: reads stay quick."""
    (tmp_path / LOCK_FILE).parent.mkdir()
    with pytest.raises(ValueError), Lock(str(tmp_path / LOCK_FILE)) as lock:
        if noted:
            lock.write_note(noted, lasting=True)
        raise ValueError
    assert died(str(tmp_path)) is left


def test_nobody_else_may_open_a_lock(tmp_path: Path) -> None:
    """Whoever can open it can hold it, and no append would ever come to an end."""
    path = tmp_path / "lock"
    before = os.umask(0)
    try:
        with Lock(str(path)):
            pass
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    """A clone can bring a link to a device, and a person can put a pipe in the place of a page."""
    (tmp_path / "page").write_bytes(b"text")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "link").symlink_to("page")
    (tmp_path / "folder").mkdir()
    names = ("page", "pipe", "endless", "link", "folder", "nothing")
    read = [plain_bytes(str(tmp_path / name)) for name in names]
    assert read == [b"text", b"", b"", b"", b"", None]


def test_whose_collection_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a living process, or of another machine, for half a day; git's own note says so."""
    monkeypatch.setattr(git_locks, "_git_commands", list)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    note, here = tmp_path / "gc.pid", os.uname().nodename
    for text, collects in (
        (f"{os.getpid()} {here}", True), (f"{ended.pid} {here}", False),
        (f"{ended.pid} elsewhere", True), (f"nobody {here}", True),
    ):  # fmt: skip
        note.write_text(text)
        assert git_locks.git_prunes(str(tmp_path)) is collects, text
    for hours, collects in ((11.9, True), (12.1, False)):
        note.write_text(f"{os.getpid()} {here}")
        then = time.time() - hours * 3600
        os.utime(note, (then, then))
        assert git_locks.git_prunes(str(tmp_path)) is collects, hours
    note.unlink()
    here, beside = f"{tmp_path}/src", f"{tmp_path}-b"
    for words, where, found in (
        ("git gc", "", True), ("git gc", here, True), ("git -C x prune", beside, False),
        ("git log", here, False),
    ):  # fmt: skip
        commands = (words.encode().split(), where), ([b"git"], "/")
        monkeypatch.setattr(git_locks, "_git_commands", lambda some=commands: iter(some))
        assert git_locks.git_prunes(f"{tmp_path}/.git") is found, (words, where)


def test_who_writes_a_file_has_it_open(tmp_path: Path) -> None:
    """One that is young, or open, or gone, nobody has left."""
    file = tmp_path / "file"
    file.touch()
    for age, left in ((0, False), (2, True)):
        os.utime(file, (time.time() - age,) * 2)
        assert git_locks.is_abandoned(str(file)) is left
    with file.open():
        assert not git_locks.is_abandoned(str(file))
    file.unlink()
    assert not git_locks.is_abandoned(str(file))


_MAIN = "refs/heads/main 0"


@each_row(
    "note, name, noted, made, git, goes",
    [
        (_MAIN, "refs/heads/main", 0, 0, "-x/src", True), (_MAIN, "refs/heads/main", 0, 0, "/src", False),
        (_MAIN, "refs/heads/main", 0, 0, "-w/src", False), (_MAIN, "refs/heads/main", 0, 0, "", False),
        (_MAIN, "refs/heads/main", 5, 2, "/.git", True), (_MAIN, "refs/heads/main", 60, 10, "-x", False),
        (_MAIN, "HEAD", 0, 0, "-x", True), (_MAIN, "config", 0, 0, "-x", True),
        ("", "HEAD", 100, 100, "-x", False),
        (_MAIN, "refs/tags/v1", 100, 100, "-x", False), (_MAIN, "refs/tags/v1", 130, 130, "/src", True),
        (f"left {_MAIN}", "refs/heads/main", 60, 50, "-x", False),
        (f"left {_MAIN}", "HEAD", 50, 60, "-x", True),
        (f"every {_MAIN}", "refs/tags/v1", 9, 5, "-x", True),
        (f"every {_MAIN}", "refs/tags/v1", 5, 9, "-x", False),
    ],
)  # fmt: skip
def test_whose_lock_it_is(
    note: str, name: str, noted: int, made: int, git: str, goes: bool,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Of the dead one of this note at once, where no git is at work; else after two minutes (in seconds)."""
    common, now = f"{tmp_path}/.git", time.time()
    path, linked = Path(common, f"{name}.lock"), Path(common, "worktrees/w/gitdir")
    for file in (path, linked):
        file.parent.mkdir(parents=True, exist_ok=True)
    linked.write_text(f"{tmp_path}-w/.git\n")
    path.touch()
    os.utime(path, (now - made, now - made))
    commands = [([b"git"], git and f"{tmp_path}{git}")]
    monkeypatch.setattr(git_locks, "_git_commands", lambda: iter(commands))
    found = git_locks.clear_stale_lock(common, str(path), note, now - noted)
    assert (found is not None, not path.exists()) == (goes, goes)
    assert found is None or found.message in Path(common, JOURNAL_FILE).read_text()


def test_a_lock_of_a_git_that_was_killed_alone_is_known(repo: Repo) -> None:
    """Diurna lives on and its transfer ends: the next one knows whose lock that is, and the one behind it."""
    repository, tracking = find_repository(str(repo.path)), "refs/remotes/origin/main"
    assert repository is not None
    lock = Path(repository.commondir, f"{tracking}.lock")
    note = Path(repository.commondir, TRANSFER_FILE)
    lock.parent.mkdir(parents=True)
    with Transfer(repository, tracking):
        lock.touch()
        now = time.time()
        os.utime(note, (now - 10, now - 10))
        os.utime(lock, (now - 9, now - 9))
    with Transfer(repository, tracking):
        pass  # nothing new: the reference is not touched
    with Transfer(repository, tracking) as last:
        assert last.free() and not lock.exists()
    assert [one.code for one in last.findings] == ["stale-lock"]
    assert not note.exists()


def test_a_note_stays_until_it_is_settled(tmp_path: Path) -> None:
    """Whoever takes the lock for something else neither loses it nor makes it younger; a note of one's own replaces it."""
    path = tmp_path / "lock"
    path.write_text("1 refs/heads/main 0\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    for _ in range(2):
        with Lock(str(path)) as lock:
            assert (lock.note, lock.noted_at) == ("refs/heads/main 0", 1_000_000_000)
    with Lock(str(path)) as lock:
        lock.settle()
    assert not path.stat().st_size
    path.write_text("1 refs/heads/main 0\n")
    with Lock(str(path)) as lock:
        lock.write_note("")
    assert not path.stat().st_size


@pytest.mark.parametrize("call", ["close", "ftruncate"])
def test_a_lock_that_is_let_go_badly_fails_nothing(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was done under it is done: a disk that refuses only the end of the lock is no refusal of that."""
    real = getattr(os, call)

    def refused(*arguments: int) -> None:
        real(*arguments)
        raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR))

    path = str(tmp_path / "lock")
    lock = Lock(path)
    lock.__enter__()
    lock.write_note("commit")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, refused)
        lock.__exit__(None, None, None)
    with Lock(path, wait_seconds=0.1) as next_one:
        assert next_one.note == ""
