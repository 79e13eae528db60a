"""Crashes, full disks and failing system calls while a log is written, with git itself (catalogue, group A).

A crash is a child process that dies at one precise point; the parent then asks what is left. A full disk is
a limit on the size of files in such a child, a file system of 300 kB where mounting is allowed, or an
error raised in place of a system call.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pygit2
import pytest
from pygit2.enums import ObjectType

from ledger.errors import DiurnaError, StorageFailed, WaitsInSpool
from ledger.git.commit import Commit
from ledger.git.fast_import import FastImport
from ledger.git.pygit2_store import Store
from ledger.home import Home
from ledger.model.digest import blob_id
from ledger.model.layout import JOURNAL_FILE
from memory.api import Memory
from memory.replay import read_logs as reading
from memory.write.draft import Receipt
from projection.document.render import render
from tests.campaigns.homes import (
    IN_TREE,
    KINDS,
    OWN_BRANCH,
    OWN_REPOSITORY,
    START_MS,
    WRITERS,
    Clock,
    assert_sound,
    draft,
    git,
    hermetic,
    logs_in,
    make_home,
    open_memory,
    users_files,
)
from tests.conftest import Repo, Run

__all__ = ["hermetic"]

ROOT = Path(__file__).resolve().parents[1]
DIED = 77
both = pytest.mark.parametrize("writer", WRITERS)
pygit2_only = pytest.mark.parametrize("writer", WRITERS[:1])
fast_import_only = pytest.mark.parametrize("writer", WRITERS[1:])


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder for a home, not below the user's home folder."""
    folder = tmp_path / "shop"
    yield folder


class Tried:
    """A home with one acknowledged log, in which something is about to go wrong."""

    def __init__(self, folder: Path, writer: str, kind: str = IN_TREE) -> None:
        self.folder = folder
        self.writer = writer
        self.home = make_home(folder, kind)
        self.clock = Clock(START_MS + 1_000_000)
        self.acknowledged: dict[str, bytes] = {}
        self.append("first")
        (folder / "notes.txt").write_text("mine, untracked\n")
        if kind == IN_TREE:
            (folder / "code.py").write_text("print('mine, not staged')\n")
            (folder / "staged.py").write_text("print('mine, staged')\n")
            git(folder, "add", "staged.py")
        self.settle()

    def settle(self) -> None:
        """Remember what is to stay as it is now."""
        self.kept_users = self.users()
        self.kept_status = self.status()
        self.tip = self.home.tip()

    def open(self) -> Memory:
        """Open the home as a new process would."""
        return open_memory(self.folder, self.writer, self.clock)

    def append(self, name: str) -> Receipt:
        """Append as a new process would, and remember what was acknowledged."""
        memory = self.open()
        try:
            receipt = memory.append(draft(name))
        finally:
            memory.close()
        self.acknowledged[receipt.stem] = receipt.data
        return receipt

    def users(self) -> dict[str, bytes]:
        """Return the bytes of everything in the work tree that is not Diurna's."""
        found = users_files(self.folder)
        if self.home.kind != OWN_REPOSITORY:
            return found
        ours = ("sessions/", "archive/", "continuity.md", "diurna.toml", ".gitattributes")
        return {path: data for path, data in found.items() if not path.startswith(ours)}

    def status(self) -> str:
        """Say what git would tell the user."""
        return git(self.folder, "status", "--porcelain")

    def die(self, setting: str, name: str = "second") -> None:
        """Let a child append, and die where `setting` (with `memory` at hand) makes it."""
        done = self.child(setting, name)
        assert done.returncode == DIED, done.stdout + done.stderr

    def child(
        self,
        setting: str,
        name: str = "second",
        *,
        prefix: tuple[str, ...] = (),
        preexec: Callable[[], None] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Let a child append; it prints what became of it."""
        script = _CHILD.format(
            folder=str(self.folder), writer=self.writer, name=name, died=DIED,
            now=self.clock(), setting=setting,
        )  # fmt: skip
        return subprocess.run(
            [*prefix, sys.executable, "-c", script],
            cwd=ROOT, capture_output=True, text=True, preexec_fn=preexec,
        )  # fmt: skip

    def waiting(self) -> list[str]:
        """Return the stems in the spool."""
        return self.open().waiting()

    def assert_nothing_moved(self) -> None:
        """Check that the ledger is as it was, and so is everything of the user's."""
        assert self.home.tip() == self.tip
        self.assert_whole()

    def assert_whole(self) -> None:
        """Check that all that was acknowledged is there, and the user's files are untouched."""
        assert_sound(self.home, self.acknowledged)
        assert self.users() == self.kept_users

    def assert_next_append_works(self, *names: str) -> None:
        """Append without anyone's help; `names` are the facts that must have come along."""
        memory = self.open()
        receipt = memory.append(draft("next"))
        self.acknowledged[receipt.stem] = receipt.data
        assert memory.waiting() == []
        self.assert_whole()
        assert self.status() == self.kept_status, "the user's status is as it was before"
        warm, cold = memory.state(), memory.cold_state()
        facts = [one.fact.id for one in cold.standings()]
        assert sorted(facts) == sorted(["first", "next", *names])
        assert render(warm.view()) == render(cold.view())
        assert warm.findings() == cold.findings()
        assert len(logs_in(self.home)) == 2 + len(names)
        assert not list((Path(self.home.repository.commondir) / "refs").rglob("*.lock"))


_CHILD = """
import os, resource, signal, sys
from tests.campaigns.homes import Clock, draft, open_memory
from ledger.errors import DiurnaError, WaitsInSpool
import ledger.git.fast_import, ledger.wal.spool, ledger.wal.atomic_files, memory.worktree.checkout, memory.write.commit
memory = open_memory({folder!r}, {writer!r}, Clock({now}))
spool = memory._lander.spool
writer = memory._lander.writer()
def die(*args, **more):
    os._exit({died})
def limit(size):
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
def after(thing, name, then):
    whole = getattr(thing, name)
    def both(*args, **more):
        result = whole(*args, **more)
        then()
        return result
    setattr(thing, name, both)
def before(thing, name, first):
    whole = getattr(thing, name)
    def both(*args, **more):
        first()
        return whole(*args, **more)
    setattr(thing, name, both)
{setting}
try:
    receipt = memory.append(draft({name!r}))
except WaitsInSpool as problem:
    print("waits", problem.stem, "|", problem, "|", problem.hint)
except DiurnaError as problem:
    print("refused", type(problem).__name__, "|", problem, "|", problem.hint)
else:
    print("ok", receipt.stem)
"""

# ---- killed ---------------------------------------------------------------------------------------

_AFTER_BLOB = """
class Odb:
    odb = writer._odb
    read = odb.read
    def write(self, *args):
        self.odb.write(*args)
        die()
writer._odb = Odb()
"""


@both
@pytest.mark.parametrize("kind", KINDS[:2])
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
def dying(status, said, wanted):
    os.killpg(0, signal.SIGKILL)
writer._failure = dying
"""
    )
    assert done.returncode == -9, done.stdout + done.stderr
    tried.assert_nothing_moved()
    assert len(tried.waiting()) == 1
    tried.assert_next_append_works("second")


@both
@pytest.mark.parametrize("kind", KINDS[:2])
def test_a2_killed_between_commit_object_and_reference(place: Path, writer: str, kind: str) -> None:
    """A commit that nothing points to is harmless; the log comes in once."""
    tried = Tried(place, writer, kind)
    lock = Path(tried.home.repository.commondir) / (tried.home.reference + ".lock")
    if writer == "pygit2":
        tried.die('before(writer, "_move", die)')
    else:  # the branch is locked, so git gets as far as the commit object and no further
        lock.touch()
        tried.die("writer._failure = die")
        lock.unlink()
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


@both
@pytest.mark.parametrize("kind", KINDS[:2])
def test_a4_killed_after_the_reference_moved(place: Path, writer: str, kind: str) -> None:
    """The log is in the ledger once, whether the agent tries again or not, and the index follows."""
    tried = Tried(place, writer, kind)
    tried.die(_AFTER_MOVE)
    assert tried.home.tip() != tried.tip
    tried.assert_whole()
    tried.assert_next_append_works("second")


@both
@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.parametrize(
    "point",
    (
        "import memory.write.commit as landing; before(landing, 'show_files', die)",
        "import memory.worktree.follow as following; before(following, 'follow', die)",
        "import memory.worktree.follow as following; after(following, 'follow', die)",
        'before(spool, "commit", die)',
        'after(spool, "commit", die)',
        'before(memory._lander, "_bring_forward", die)',
    ),
)
@pytest.mark.parametrize("kind", (IN_TREE, OWN_REPOSITORY))
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
    """The index follows with the next command that writes, also where no log is concerned."""
    tried = Tried(place, "pygit2", kind)
    git(place, "config", "diurna.unused", "1")
    policy = (place / tried.home.prefix / "diurna.toml").read_bytes()
    changed = policy.replace(b"every = 10", b"every = 12")
    memory = tried.open()
    memory.commit_files([("diurna.toml", changed)], "policy")
    before = tried.status()
    done = tried.child(
        'import memory.write.ref_update as moving; before(moving, "show_files", die)\n'
        f"memory.commit_files([('diurna.toml', {policy!r})], 'back')"
    )
    assert done.returncode == DIED, done.stderr
    assert tried.status() != before
    tried.append("second")
    assert tried.status() == before
    assert (place / tried.home.prefix / "diurna.toml").read_bytes() == policy


@both
@pytest.mark.parametrize("point", ("half", "whole"))
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
    assert here == (before if point == "half" else tried.open().continuity().encode())
    tried.acknowledged |= logs_in(tried.home)
    (place / ".continuity.md.0.tmp").exists()
    receipt = tried.append("next")
    assert receipt.findings == ()
    assert file.read_bytes() == tried.open().continuity().encode()
    assert git(place, "status", "--porcelain", "-uno") == ""
    assert_sound(tried.home, tried.acknowledged)


# ---- full disks -----------------------------------------------------------------------------------


def crowd(tried: Tried) -> None:
    """Give the user's root folder so many files that its tree is far larger than a log."""
    blob = git(tried.folder, "rev-parse", "HEAD:code.py").strip()
    names = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(200)]
    rows = "".join(f"100644 {blob}\tdata-{name}\n" for name in names)
    (tried.folder / ".gitignore").write_text("data-*\n")
    git(tried.folder, "stash", "-q", "-u")
    git(tried.folder, "update-index", "--add", "--index-info", data=rows.encode())
    git(tried.folder, "commit", "-q", "-m", "many files")
    git(tried.folder, "checkout-index", "-q", "-a")
    git(tried.folder, "stash", "pop", "-q", "--index")
    tried.settle()


def long_name(tried: Tried) -> None:
    """Give the user a name so long that a commit is larger than a log."""
    words = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(60)]
    git(tried.folder, "config", "user.name", " ".join(words))


FULL = {
    "a6_full_disk_at_the_blob": (100, IN_TREE, None),
    "a6_full_disk_at_the_tree": (6000, IN_TREE, crowd),
    "a7_full_disk_at_the_commit_object": (1500, OWN_BRANCH, long_name),
}


@both
@pytest.mark.parametrize("where", FULL)
def test_a6_a7_full_disk_at_each_object(place: Path, writer: str, where: str) -> None:
    """No write of an object that fails is taken for done: nothing moves, and the log waits."""
    size, kind, prepare = FULL[where]
    tried = Tried(place, writer, kind)
    if prepare:
        prepare(tried)
    done = tried.child(f'after(spool, "put", lambda: limit({size}))')
    (stem,) = tried.waiting()
    said, what, hint = done.stdout.split(" | ")
    assert said == f"waits {stem}", done.stdout + done.stderr
    assert "File too large" in what
    assert stem in what
    assert "\n" not in what
    assert "free space" in hint or "ulimit" in hint
    tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


def test_a7_an_object_that_was_never_written_is_noticed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that gives an id and writes nothing moves no branch, as `create_commit` would."""
    tried = Tried(place, "pygit2")
    memory = tried.open()
    store = memory._lander.writer()
    assert isinstance(store, Store)
    whole = store._odb

    class Lying:
        read = staticmethod(whole.read)

        @staticmethod
        def write(kind: ObjectType, data: bytes) -> object:
            return pygit2.hash(data) if kind == ObjectType.BLOB else whole.write(kind, data)

    class LyingAboutCommits(Lying):
        @staticmethod
        def write(kind: ObjectType, data: bytes) -> object:
            if kind != ObjectType.COMMIT:
                return whole.write(kind, data)
            header = b"commit %d\0" % len(data)
            return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()

    monkeypatch.setattr(store, "_odb", LyingAboutCommits())
    with pytest.raises(WaitsInSpool, match="did not reach the disk"):
        memory.append(draft("second"))
    tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


def test_a8_full_disk_at_the_reference_lock(place: Path) -> None:
    """The branch stays, its lock is taken away again, and the log waits."""
    tried = Tried(place, "pygit2")
    done = tried.child('before(writer, "_move", lambda: limit(20))')
    assert done.stdout.startswith(f"waits {tried.waiting()[0]}"), done.stdout + done.stderr
    assert "File too large" in done.stdout
    tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


@pytest.mark.parametrize("said", ("No space left on device", "Disk quota exceeded"))
def test_a8_git_can_not_make_its_reference_lock(
    place: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """It is said at once what git said, and not taken for a branch that keeps moving."""
    tried = Tried(place, "fast-import")
    lock = f"{tried.home.repository.commondir}/{tried.home.reference}.lock"
    memory = tried.open()
    tries = []

    def refused(*arguments: str, **more: object) -> tuple[int, bytes, bytes]:
        tries.append(arguments)
        reference = tried.home.reference
        text = f"error: cannot lock ref '{reference}': Unable to create '{lock}': {said}\n"
        return 128, b"", text.encode()

    writer = memory._lander.writer()
    assert isinstance(writer, FastImport)
    monkeypatch.setattr(writer._git, "call", refused)
    with pytest.raises(WaitsInSpool, match=said) as waits:
        memory.append(draft("second"))
    assert len(tries) == 1
    assert lock in str(waits.value)
    assert "space" in waits.value.hint or "quota" in waits.value.hint
    tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


def _strace_works() -> bool:
    try:
        done = subprocess.run(
            ["strace", "-f", "-o", "/dev/null", "-e", "inject=chroot:error=EIO", "true"],
            capture_output=True,
        )
    except OSError:
        return False
    return done.returncode == 0


@both
def test_a8_the_system_call_that_makes_the_lock_fails(place: Path, writer: str) -> None:
    """With the error that the kernel itself gives for that one file, whichever git asks."""
    if not _strace_works():
        pytest.skip("strace can not be used here; the injected variants above say the same")
    tried = Tried(place, writer)
    lock = f"{tried.home.repository.commondir}/{tried.home.reference}.lock"
    prefix = (
        "strace",
        "-f",
        "-o",
        "/dev/null",
        "-P",
        lock,
        "-e",
        "inject=openat,open,creat:error=ENOSPC",
    )
    done = tried.child("", prefix=prefix)
    assert done.stdout.startswith(f"waits {tried.waiting()[0]}"), done.stdout + done.stderr
    assert "No space left" in done.stdout
    tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


class Raising:
    """Stands for a function of `os`: raises an error for the paths that are asked for."""

    def __init__(self, function: str, code: int, *, landed: bool = False) -> None:
        self.whole: Callable[..., object] = getattr(os, function)
        self.code = code
        self.landed = landed
        self.calls = 0

    def __call__(self, *arguments: object, **more: object) -> object:
        self.calls += 1
        if self.landed:
            self.whole(*arguments, **more)
        raise OSError(self.code, os.strerror(self.code))


def test_a9_io_error_on_fsync(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The append is refused as not durable, and fsync is not asked a second time."""
    tried = Tried(place, "pygit2")
    memory = tried.open()
    failing = Raising("fsync", errno.EIO)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(StorageFailed) as refused:
            memory.append(draft("second"))
    assert failing.calls == 1
    assert "not durable" in refused.value.hint
    assert os.strerror(errno.EIO) in str(refused.value)
    assert tried.waiting() == [], "what is not durable does not look as if it were"
    assert list(Path(tried.home.spool_folder).glob("2*")) == []
    tried.assert_nothing_moved()
    assert not tried.append("second").already
    tried.assert_next_append_works("second")


@both
@pytest.mark.parametrize("function", ("rename", "replace"))
def test_a10_an_error_after_the_rename_landed(
    place: Path, monkeypatch: pytest.MonkeyPatch, writer: str, function: str
) -> None:
    """The error is told although the write landed, and the retry is one log."""
    tried = Tried(place, writer, OWN_REPOSITORY)
    memory = tried.open()
    failing = Raising(function, errno.EIO, landed=True)
    with monkeypatch.context() as patch:
        patch.setattr(os, function, failing)
        try:
            receipt = memory.append(draft("second"))
        except WaitsInSpool as problem:
            assert "error" in str(problem)
            receipt = None
    assert failing.calls
    if receipt is not None:  # the file in the work tree is not the log: the commit stands
        assert receipt.findings
    again = tried.append("second")
    assert again.already
    assert receipt is None or again.stem == receipt.stem
    tried.assert_next_append_works("second")


def _no_override() -> None:
    """Let the modes of files count for root too, in a child that is about to start."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
                os._exit(DIED)


@contextmanager
def read_only(top: Path) -> Iterator[None]:
    """Take the right to write away from every folder and file."""
    found = [top, *top.rglob("*")]
    modes = {path: path.lstat().st_mode for path in found if not path.is_symlink()}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@both
@pytest.mark.parametrize("cached", (True, False))
def test_a11_read_only_folder(place: Path, writer: str, cached: bool) -> None:
    """Reading works, with and without a cache; writing says why it can not, and changes nothing."""
    tried = Tried(place, writer)
    if not cached:
        for file in Path(tried.home.cache_file).parent.iterdir():
            file.unlink()
    with read_only(place):
        done = tried.child(
            "print(sorted(one.fact.id for one in memory.state().standings()))",
            preexec=_no_override,
        )
        if done.returncode == DIED:
            pytest.skip("this user writes whatever the modes say, and can not give that up")
    facts, said, _ = done.stdout.split("\n")
    assert facts == "['first']"
    assert said.startswith("refused StorageFailed"), done.stdout + done.stderr
    assert "Permission denied" in said
    assert "reading still works" in said
    assert str(place) in said
    tried.assert_nothing_moved()
    tried.assert_next_append_works()


def test_a11_read_only_file_system(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of a file system that is mounted for reading is told as such."""
    tried = Tried(place, "pygit2")
    memory = tried.open()
    whole = os.open

    def reading(path: str, flags: int, *more: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return whole(path, flags, *more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", reading)
        with pytest.raises(StorageFailed) as refused:
            memory.append(draft("second"))
        assert "first" in memory.continuity()
    assert "read-only" in refused.value.hint
    tried.assert_nothing_moved()
    tried.assert_next_append_works()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount file systems in memory, where that is allowed."""
    mounted: list[Path] = []

    def mount(options: str) -> Path:
        folder = tmp_path / f"disk{len(mounted)}"
        folder.mkdir()
        try:
            done = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True
            )
        except OSError:
            pytest.skip("there is no mount here; the injected variants say the same")
        if done.returncode:
            pytest.skip("mounting is not allowed here; the injected variants say the same")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=True)


@both
@pytest.mark.parametrize("options", ("size=1m", "size=8m,nr_inodes=400"))
def test_a6_a13_a_disk_that_fills_up(
    small_disk: Callable[[str], Path], writer: str, options: str
) -> None:
    """Append until there is no more room, or no more files: what was acknowledged is all there.

    And when there is room again, whatever waits comes in with the next append.
    """
    disk = small_disk(options)
    ballast = disk / "ballast"
    ballast.write_bytes(b"\0" * 100_000)
    home = make_home(disk / "shop", OWN_BRANCH)
    limit = disk / "fill"
    limit.mkdir()
    memory = open_memory(home.repository.top, writer, Clock(START_MS + 1_000_000))
    acknowledged: dict[str, bytes] = {}
    spare = [memory.append(draft("first"))]
    refused: list[DiurnaError] = []
    room = os.statvfs(disk)
    if "nr_inodes" in options:
        for number in range(room.f_ffree - 20):
            (limit / str(number)).touch()
    else:
        (limit / "large").write_bytes(b"\0" * (room.f_bavail * room.f_frsize - 90_000))
    for number in range(60):
        try:
            spare.append(memory.append(draft(f"work-{number}", "It went well. " * 40)))
        except DiurnaError as problem:
            refused.append(problem)
            if len(refused) == 4:
                break
    acknowledged = {receipt.stem: receipt.data for receipt in spare}
    assert len(refused) == 4
    assert {type(one) for one in refused} <= {WaitsInSpool, StorageFailed}
    for one in refused:
        assert "No space left" in str(one)
        assert one.hint
    assert_sound(home, acknowledged)
    for file in limit.iterdir():
        file.unlink()
    ballast.unlink()
    memory = open_memory(home.repository.top, writer, Clock(START_MS + 90_000_000))
    waiting = memory.waiting()
    receipt = memory.append(draft("last"))
    acknowledged[receipt.stem] = receipt.data
    assert memory.waiting() == []
    assert_sound(home, acknowledged)
    assert set(waiting) <= set(logs_in(home))
    facts = {one.fact.id for one in memory.cold_state().standings()}
    assert facts == {one.fact.id for one in memory.state().standings()}
    assert {"first", "last"} < facts


def test_a12_file_size_limit_of_the_shell(place: Path) -> None:
    """`ulimit -f 0`: exit code 1, what and where, and a hint; the draft is still the user's."""
    tried = Tried(place, "fast-import")

    def no_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    given = place.parent / "draft.md"
    given.write_text("# Second\n\n## Memory References\n\n- Referenced: first\n")
    for arguments in (["append", str(given)], ["append", str(given), "--json"]):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "rituals", *arguments],
            cwd=place, capture_output=True, text=True, preexec_fn=no_files,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        assert "File too large" in done.stderr
        assert tried.home.spool_folder in done.stderr
        assert "ulimit -f" in done.stderr
        assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "StorageFailed"
    assert tried.waiting() == []
    tried.assert_nothing_moved()
    tried.assert_next_append_works()


@pytest.mark.parametrize(
    ("function", "code", "hint"),
    (
        ("write", errno.EDQUOT, "quota"),
        ("write", errno.EFBIG, "ulimit"),
        ("write", errno.ENOSPC, "free some space"),
        ("open", errno.ENOSPC, "free some space"),
        ("open", errno.EDQUOT, "quota"),
    ),
)
def test_a12_a13_the_spool_refuses(
    place: Path, monkeypatch: pytest.MonkeyPatch, function: str, code: int, hint: str
) -> None:
    """Quota, limits and a disk without room for one more file: refused, nothing half-written left."""
    tried = Tried(place, "pygit2")
    memory = tried.open()
    memory.waiting()
    with monkeypatch.context() as patch:
        patch.setattr(os, function, Raising(function, code))
        with pytest.raises(StorageFailed) as refused:
            memory.append(draft("second"))
    assert tried.home.spool_folder in str(refused.value)
    assert os.strerror(code) in str(refused.value)
    assert hint in refused.value.hint
    assert list(Path(tried.home.spool_folder).glob("2*")) == []
    tried.assert_nothing_moved()
    tried.assert_next_append_works()


@both
def test_a13_no_room_for_one_more_object_folder(place: Path, writer: str) -> None:
    """Where no folder of the object store can be made, the log waits, or git keeps it in a pack."""
    tried = Tried(place, writer)
    objects = Path(tried.home.repository.commondir) / "objects"
    blocked = [objects / f"{number:02x}" for number in range(256)]
    blocked = [folder for folder in blocked if not folder.exists()]
    for folder in blocked:
        folder.touch()
    if writer == "pygit2":
        with pytest.raises(WaitsInSpool):
            tried.append("second")
    else:  # fast-import falls back to the pack that it wrote first
        tried.append("second")
        assert list((objects / "pack").glob("*.pack"))
    for folder in blocked:
        folder.unlink()
    if writer == "pygit2":
        tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


# ---- disks that lie, and power cuts ----------------------------------------------------------------


def object_file(home: Home, oid: str) -> Path:
    """Return the file of a loose object, writable."""
    file = Path(home.repository.commondir) / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    return file


@both
@pytest.mark.parametrize(
    ("how", "stubborn"), (("short", False), ("empty", True), ("empty", False), ("other", True))
)
def test_a14_the_disk_lies_about_a_log(place: Path, writer: str, how: str, stubborn: bool) -> None:
    """A log is acknowledged only after its bytes were read back; they are written a second time.

    Where the disk goes on lying the log waits, and the next append writes it again.
    """
    tried = Tried(place, writer)
    memory = tried.open()
    made: Any = memory._lander.writer()
    whole = made.commit

    def lying(wanted: Commit) -> str:
        commit: str = whole(wanted)
        (log,) = [data for path, data in wanted.files if "sessions/" in path and data]
        file = object_file(tried.home, blob_id(log))
        data = {"short": file.read_bytes()[:-7], "empty": b"", "other": zlib.compress(b"blob 1\0x")}
        file.write_bytes(data[how])
        return commit

    made.commit = lying
    if stubborn:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("memory.write.branch_lock.Branch.remake_locked", lambda _: [])
            with pytest.raises(WaitsInSpool, match="did not reach the disk whole"):
                memory.append(draft("second"))
    else:
        receipt = memory.append(draft("second"))
        assert [one.code for one in receipt.findings] == ["object-mended"]
        tried.acknowledged[receipt.stem] = receipt.data
        assert tried.status() == tried.kept_status
        tried.assert_whole()
    assert users_files(place) == tried.kept_users
    tried.assert_next_append_works("second")


@pytest.mark.parametrize("kind", (ObjectType.TREE, ObjectType.COMMIT))
def test_a14_the_disk_lies_about_a_tree_or_commit(place: Path, kind: ObjectType) -> None:
    """The branch does not move to what can not be read back."""
    tried = Tried(place, "pygit2")
    memory = tried.open()
    store: Any = memory._lander.writer()
    whole = store._odb
    damaged: list[Path] = []

    class Lying:
        read = staticmethod(whole.read)

        @staticmethod
        def write(of: ObjectType, data: bytes) -> object:
            made = whole.write(of, data)
            if of == kind:
                file = object_file(tried.home, str(made))
                file.write_bytes(file.read_bytes()[:-5])
                damaged.append(file)
            return made

    store._odb = Lying()
    with pytest.raises(WaitsInSpool):
        memory.append(draft("second"))
    assert tried.home.tip() == tried.tip
    for file in damaged:
        file.unlink()
    tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


@both
@pytest.mark.parametrize("kind", KINDS)
def test_a15_power_cut_after_the_acknowledgement(place: Path, writer: str, kind: str) -> None:
    """Objects and branch are as they were before, the spool was flushed: the next append has it all."""
    tried = Tried(place, writer, kind)
    common = Path(tried.home.repository.commondir)
    before = {path for path in (common / "objects").rglob("*") if path.is_file()}
    receipt = tried.append("second")
    for path in (common / "objects").rglob("*"):
        if path.is_file() and path not in before:
            path.unlink()
    (common / tried.home.reference).write_text(tried.tip + "\n")
    for log in (common / "logs").rglob("*"):
        if log.is_file():
            log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    del tried.acknowledged[receipt.stem]
    assert tried.open().cold_state().get("second") is None
    tried.acknowledged[receipt.stem] = receipt.data
    tried.assert_next_append_works("second")


def test_a15_the_spool_is_flushed_before_any_object_is_written(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fsync, of the log's copy: what was acknowledged is on the disk, whatever git does."""
    tried = Tried(place, "pygit2")
    memory = tried.open()
    order: list[str] = []
    whole = os.fsync

    def flushed(fd: int) -> None:
        order.append(os.readlink(f"/proc/self/fd/{fd}") if os.path.isdir("/proc/self/fd") else "")
        whole(fd)

    store: Any = memory._lander.writer()
    commit = store.commit

    def noted(wanted: Commit) -> object:
        order.append("commit")
        return commit(wanted)

    store.commit = noted
    monkeypatch.setattr(os, "fsync", flushed)
    receipt = memory.append(draft("second"))
    assert order[-1] == "commit"
    assert len(order) == 2
    assert order[0] in ("", f"{tried.home.spool_folder}/{receipt.stem}")
    kept = Path(tried.home.spool_folder) / "kept" / receipt.stem
    assert kept.read_bytes() == receipt.data
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a15_copies_are_let_go_only_after_a_flush_and_a_look(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log whose object was lost meanwhile is written again, not forgotten."""
    monkeypatch.setattr("memory.repair.lost_blobs.KEEP", 6)
    tried = Tried(place, "pygit2", OWN_BRANCH)
    lost = tried.append("second")
    object_file(tried.home, blob_id(lost.data)).unlink()  # and the cache still has the log
    synced: list[int] = []
    memory = tried.open()
    monkeypatch.setattr(os, "sync", lambda: synced.append(len(memory._lander.spool.kept())))
    receipts = [memory.append(draft(f"more-{number}")) for number in range(4)]
    assert synced == [6]
    assert memory._lander.spool.kept() == []
    tried.acknowledged |= {one.stem: one.data for one in receipts}
    tried.assert_whole()
    assert memory.cold_state().get("second") is not None
    codes = [one.code for receipt in receipts for one in receipt.findings]
    assert codes == ["object-mended"]


@both
@pytest.mark.parametrize(("how", "cached"), (("empty", True), ("empty", False), ("short", False)))
def test_a16_a_damaged_log_is_named_and_written_again(
    place: Path, writer: str, cached: bool, how: str
) -> None:
    """Reading goes on without it and names it; the next append writes it again from the spool."""
    tried = Tried(place, writer)
    lost = tried.append("second")
    file = object_file(tried.home, blob_id(lost.data))
    file.write_bytes(b"" if how == "empty" else file.read_bytes()[:-9])
    if not cached:
        Path(tried.home.cache_file + ".sqlite").unlink()
    state = tried.open().cold_state()
    assert state.get("second") is None
    assert state.get("first") is not None
    (named,) = [one for one in state.findings() if one.code == "unreadable"]
    assert blob_id(lost.data) in named.message
    assert lost.path in named.file
    receipt = tried.append("third")
    (mended,) = [one for one in receipt.findings if one.code == "object-mended"]
    assert blob_id(lost.data) in mended.message
    common = Path(tried.home.repository.commondir)
    assert blob_id(lost.data) in (common / JOURNAL_FILE).read_text()
    assert [one.name.startswith("objects%2F") for one in (common / "diurna/stale").iterdir()] == [
        True
    ]
    tried.assert_next_append_works("second", "third")


def test_a16_an_object_cut_short_ends_no_reading(place: Path) -> None:
    """Reading through libgit2, as many logs are read, goes past it and names it."""
    tried = Tried(place, "pygit2")
    lost = tried.append("second")
    file = object_file(tried.home, blob_id(lost.data))
    whole = file.read_bytes()
    refs, _ = tried.open().snapshot.list_logs(tried.home.tip())
    for cut in (0, 2, len(whole) // 2, len(whole) - 9, len(whole) - 5, len(whole) - 1):
        file.write_bytes(whole[:cut])
        script = (
            "import resource, sys\nfrom ledger.git.pygit2_store import Store\n"
            "from ledger.home import discover\n"
            "resource.setrlimit(resource.RLIMIT_CPU, (5, 5))\n"
            "found = Store(discover(sys.argv[1]).repository).blobs(sys.argv[2:])\n"
            "print([data is not None for data in found])"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(place), *[ref.blob for ref in refs]],
            cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
        assert done.stdout == "[True, False]\n", done.stderr
    file.write_bytes(whole)
    git(place, "repack", "-q", "-a", "-d")
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(whole[:-9])
    store = Store(tried.home.repository)
    assert list(store.blobs([blob_id(lost.data)])) == [lost.data], "the packed copy is whole"


@pytest.mark.parametrize("noted", (True, False))
@pytest.mark.parametrize("spec", ("{tip}", "{tip}^{{tree}}"))
def test_a16_a_tip_cut_short_ends_no_append(place: Path, spec: str, noted: bool) -> None:
    """It is made again; where nothing was noted the writer refuses, and says which object."""
    tried = Tried(place, "pygit2")
    if not noted:
        (Path(tried.home.spool_folder) / "kept/commits").unlink()
    oid = git(place, "rev-parse", spec.format(tip=tried.tip)).strip()
    file = object_file(tried.home, oid)
    whole = file.read_bytes()
    file.write_bytes(whole[:-9])
    done = tried.child("resource.setrlimit(resource.RLIMIT_CPU, (5, 5))")
    if noted:
        assert done.stdout.startswith("ok "), done.stdout + done.stderr
        assert file.read_bytes() != whole[:-9]
    else:
        assert done.stdout.startswith("waits "), done.stdout + done.stderr
        assert oid in done.stdout
        file.write_bytes(whole)
    tried.assert_next_append_works("second")


@both
@pytest.mark.parametrize("spec", ("{tip}", "{tip}^{{tree}}"))
def test_a16_a_damaged_commit_or_tree_is_named(place: Path, writer: str, spec: str) -> None:
    """What can not be made from the spool is named, with a way out, and new logs wait."""
    tried = Tried(place, writer, OWN_BRANCH)
    oid = git(place, "rev-parse", spec.format(tip=tried.tip)).strip()
    file = object_file(tried.home, oid)
    whole = file.read_bytes()
    file.write_bytes(b"")
    Path(tried.home.cache_file + ".sqlite").unlink()
    with pytest.raises(DiurnaError) as read:
        tried.open().continuity()
    assert oid in str(read.value)
    assert "git fsck" in read.value.hint
    for words in ("rm ", "delete", "--force", "reset", "--hard"):
        assert words not in read.value.hint
    file.write_bytes(whole)  # as from a clone that has it
    tried.assert_next_append_works()


# ---- memory and open files -------------------------------------------------------------------------


def test_a17_out_of_memory_in_a_replay(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1 and one sentence; the ledger is untouched."""
    assert run("append", "--title", "First", "--new", "fact first: It holds.").code == 0
    shape = repo.shape()

    def none_left(*arguments: object, **more: object) -> None:
        raise MemoryError

    for name in ("memory.replay.state.collect", "memory.cache.file.Cache.view"):
        with monkeypatch.context() as patch:
            patch.setattr(name, none_left)
            ran = run("replay") if name.endswith("collect") else run("show")
        assert ran.code == 1
        assert "not enough memory" in ran.err
        assert "Traceback" not in ran.err
        assert repo.shape() == shape
    assert "It holds." in run("show").out


def test_a17_out_of_memory_while_committing(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is in the spool already: it says so, and the next append brings it in."""
    tip = repo.git("rev-parse", "HEAD")

    def none_left(*arguments: object, **more: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("ledger.git.fast_import.FastImport.commit", none_left)
        ran = run("append", "--title", "First", "--new", "fact first: It holds.")
    assert ran.code == 1
    assert "not enough memory" in ran.err
    assert repo.git("rev-parse", "HEAD") == tip
    assert run("append", "--title", "Second", "--new", "fact second: It too.").code == 0
    shown = run("show").out
    assert "It holds." in shown
    assert "It too." in shown


def test_a17_out_of_memory_in_the_plain_form(repo: Repo) -> None:
    """`diurna append FILE`, without the command line's libraries, says the same sentence."""
    given = repo.path.parent / "draft.md"
    given.write_text("# Second\n\n## Memory References\n\n- Referenced: first\n")
    script = (
        "import sys\nimport memory.write.commit\nfrom rituals.cli.entry import main\n"
        "def none_left(*arguments): raise MemoryError\n"
        "memory.write.commit.Lander._commit_once = none_left\n"
        f"sys.argv = ['diurna', 'append', {str(given)!r}]\nsys.exit(main())"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("DIURNA_NOW")
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=repo.path, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 1
    assert "not enough memory" in done.stderr
    assert "Traceback" not in done.stderr


def test_a17_the_reading_child_dies(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed for its memory in the middle of a replay: its half is read by the parent."""
    tried = Tried(place, "pygit2")
    tried.append("second")
    memory = tried.open()
    refs, _ = memory.snapshot.list_logs(tried.home.tip())
    parent, whole = os.getpid(), reading.read_part

    def dying(*arguments: Any) -> reading.Reading:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(*arguments)

    told = memory.state().standings()
    monkeypatch.setattr(reading, "_FORK_FROM", 2)
    monkeypatch.setattr(
        reading, "may_fork", lambda: True
    )  # the threads of a test's runner do no harm
    monkeypatch.setattr(reading, "read_part", dying)
    monkeypatch.setattr("memory.replay.state.read_part", dying)
    assert reading.read_all(tried.home, refs) == reading.read_few(tried.home, refs)
    assert memory.cold_state().standings() == told


@both
def test_a18_too_many_open_files(place: Path, writer: str) -> None:
    """However few can be opened: refused, or waiting, or done, and never a half of anything."""
    tried = Tried(place, writer)
    done = tried.child(
        """
first, hard = memory, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
def attempt(room):
    memory = open_memory(first.home.folder, "WRITER", Clock(first.occasion().now_ms + 1000 * room))
    name = f"tried-{room}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (room, hard))
    try:
        memory.append(draft(name)); said = "ok"
    except DiurnaError as problem:
        said = f"{type(problem).__name__} {problem} | {problem.hint}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    memory.close()
    print(f"{name} {said}")
for room in range(3, 22):
    attempt(room)
""".replace("WRITER", writer),
        name="second",
    )  # fmt: skip
    printed = done.stdout.splitlines()
    lines = [line.split(" ", 2) for line in printed if line.startswith("tried-")]
    assert done.returncode == 0, done.stdout + done.stderr
    kinds = [words[1] for words in lines]
    assert set(kinds) <= {"ok", "StorageFailed", "WaitsInSpool", "CorruptRepository"}, kinds
    assert "StorageFailed" in kinds
    assert kinds[-2:] == ["ok", "ok"]
    for words in lines:
        if words[1] in ("StorageFailed", "WaitsInSpool"):
            assert words[2].rpartition("| ")[2], "there is always a hint"
    assert tried.waiting() == []
    facts = {one.fact.id for one in tried.open().cold_state().standings()}
    assert facts >= {"first", "second"} | {
        words[0] for words in lines if words[1] in ("ok", "WaitsInSpool")
    }
    assert_sound(tried.home, tried.acknowledged)
    assert tried.users() == tried.kept_users


def test_a18_it_is_tried_a_second_time(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that nobody uses any more are closed, and git is started after all."""
    tried = Tried(place, "fast-import")
    memory = tried.open()
    memory.identity()
    whole = os.pipe
    failures = [errno.EMFILE]

    def pipe() -> tuple[int, int]:
        if failures:
            raise OSError(failures.pop(), "Too many open files")
        return whole()

    monkeypatch.setattr(os, "pipe", pipe)
    receipt = memory.append(draft("second"))
    assert not failures
    tried.acknowledged[receipt.stem] = receipt.data
    tried.assert_next_append_works("second")


def test_a18_the_command_says_it_in_one_sentence(place: Path) -> None:
    """Also in the plain form, which answers without the command line's libraries."""
    tried = Tried(place, "fast-import")
    given = place.parent / "draft.md"
    given.write_text("# Second\n\n## Memory References\n\n- Referenced: first\n")
    codes = []
    for room in range(5, 12):
        script = (
            "import resource, sys\nimport rituals.cli.fast_path, memory.api, memory.write.append, ledger.codec.validate\n"
            "import rituals.cli.app, rituals.answers.objects, rituals.cli.commands.append\n"
            f"resource.setrlimit(resource.RLIMIT_NOFILE, ({room}, {room}))\n"
            "from rituals.cli.entry import main\n"
            f"sys.argv = ['diurna', 'append', {str(given)!r}]\nsys.exit(main())"
        )
        done = subprocess.run(
            [sys.executable, "-P", "-c", script],
            cwd=place, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        codes.append(done.returncode)
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr
        if done.returncode:
            assert "diurna: " in done.stderr
    assert 1 in codes
    assert_sound(tried.home, tried.acknowledged)
