"""Disks that are full, fail, take nothing or lie, with git itself (fault:A6 to fault:A15).

A full disk is a limit on the size of files in a child, a file system of 300 kB where mounting is allowed, or an
error raised in place of a system call.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import ObjectType

from ledger.errors import DiurnaError, StorageFailed, WaitsInSpool
from ledger.git.cli import Git
from ledger.git.fast_import import FastImport
from ledger.git.git_objects import BLOB, write_objects
from ledger.git.pygit2_store import Store
from tests.append_faults import DIED, ROOT, Tried, both, place
from tests.campaigns.calls import strace_works
from tests.campaigns.homes import (
    IN_TREE,
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
)
from tests.conftest import diagonal

__all__ = ["hermetic", "place"]


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


@pytest.mark.parametrize(("writer", "where"), diagonal(WRITERS, FULL))
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
    store = memory._committer.writer()
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


def test_a7_objects_that_git_did_not_keep_are_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`unpack-objects` ends as always where it can not move what it flushed at once into its place."""
    git(tmp_path, "init", "-q")
    right = Git.run

    def careless(self: Git, *arguments: str, data: bytes = b"", check: bool = True) -> bytes:
        if "unpack-objects" in arguments:
            return b""
        return right(self, *arguments, data=data, check=check)

    write_objects(Git(str(tmp_path)), [(BLOB, b"kept")])
    monkeypatch.setattr(Git, "run", careless)
    write_objects(Git(str(tmp_path)), [(BLOB, b"kept")])
    with pytest.raises(StorageFailed, match="did not keep"):
        write_objects(Git(str(tmp_path)), [(BLOB, b"kept"), (BLOB, b"lost")])


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

    writer = memory._committer.writer()
    assert isinstance(writer, FastImport)
    monkeypatch.setattr(writer._git, "call", refused)
    with pytest.raises(WaitsInSpool, match=said) as waits:
        memory.append(draft("second"))
    assert len(tries) == 1
    assert lock in str(waits.value)
    assert "space" in waits.value.hint or "quota" in waits.value.hint
    tried.assert_nothing_moved()
    tried.assert_next_append_works("second")


@pytest.mark.deep(reason="a8_git_can_not_make_its_reference_lock is the small one")
@both
def test_a8_the_system_call_that_makes_the_lock_fails(place: Path, writer: str) -> None:
    """With the error that the kernel itself gives for that one file, whichever git asks."""
    if not strace_works():
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


@pytest.mark.parametrize(("writer", "function"), diagonal(WRITERS, ("rename", "replace")))
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


@pytest.mark.deep(reason="a11_read_only_file_system is the small one")
@pytest.mark.parametrize(("writer", "cached"), diagonal(WRITERS, (True, False)))
def test_a11_read_only_folder(place: Path, writer: str, cached: bool) -> None:
    """Reading works, with and without a cache; writing says why it can not, and changes nothing."""
    tried = Tried(place, writer)
    if not cached:
        for file in Path(tried.home.cache_file).parent.iterdir():
            file.unlink()
    with read_only(place):
        done = tried.child(
            "print(sorted(one.fact.id for one in memory.state().standings()))", preexec=_no_override
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


@pytest.mark.parametrize(
    ("writer", "options"), diagonal(WRITERS, ("size=1m", "size=8m,nr_inodes=400"))
)
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
