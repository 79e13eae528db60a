"""Write files so that a crash leaves the old or the new, and hold locks that die with their owner."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from ledger.environment import monotonic
from ledger.errors import Busy, WriteRefused, storage_failure
from ledger.model.layout import LOCK_FILE

LOCK_WAIT_SECONDS = 30.0
_RETRY_SECONDS = 0.002
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def write_private(path: str, data: bytes) -> None:
    """Write a new file of mode 0600 and make it durable with one fsync.

    Raises:
        FileExistsError: it is there already.
        StorageFailed: the disk refused, or took fewer bytes than it said.
    """
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
    except FileExistsError:
        raise
    except OSError as problem:  # whatever is there is not ours
        raise storage_failure(problem, path) from problem
    try:
        _fill(fd, data, True)
    except OSError as problem:
        try_unlink(path)  # our own half-written file, never acknowledged
        raise storage_failure(problem, path) from problem


def plain_bytes(path: str) -> bytes | None:
    """Return the bytes of a file, None where there is none to be read; those of anything else are b"".

    A link may lead anywhere, and a pipe or a device may keep a reader for good.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | _NO_FOLLOW)
    except OSError as problem:
        return b"" if problem.errno in (errno.ELOOP, errno.ENXIO) else None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return b""
        with open(fd, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(fd)


def append_bytes(path: str, data: bytes) -> None:
    """Write behind what a file of ours holds, in one step."""
    _fill(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), data, False)


def unlink(path: str) -> None:
    """Remove a file, where there is one."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def try_unlink(path: str) -> None:
    """Remove a file, where that is possible: nothing hangs on it."""
    try:
        os.unlink(path)
    except OSError:
        pass


def replace_file(
    path: str, data: bytes, mode: int = 0o644, durable: bool = False, scratch: str = ""
) -> None:
    """Write a file so that readers see its old or its new content, never a part.

    Refuses to write through a symbolic link in its last folder or name (fault:J3). `mode` is that of a
    new file; `durable` flushes it to the disk. `scratch` is where a kill in the middle may leave a
    part, if it is on the same file system; else that is beside the file.

    Raises:
        StorageFailed: the disk refused.
        WriteRefused: the path is a link or a folder.
    """
    folder = os.path.dirname(path)
    if os.path.islink(path) or os.path.islink(folder) or os.path.isdir(path):
        raise WriteRefused(
            f"{path} is not an ordinary file in an ordinary folder",
            hint="Diurna does not write through links; put a file or nothing there",
        )
    temporary = f"{scratch or folder}/.{os.path.basename(path)}.{os.getpid()}.tmp"
    try:
        how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_FOLLOW
        _fill(os.open(temporary, how, mode), data, durable)
        os.replace(temporary, path)
    except OSError as problem:
        try_unlink(temporary)
        if scratch and problem.errno in (errno.EXDEV, errno.ENOENT):
            return replace_file(path, data, mode, durable)
        raise storage_failure(problem, path) from problem


def _fill(fd: int, data: bytes, flush: bool) -> None:
    try:
        write_all(fd, data)
        if flush:
            os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it; a disk may take less at once."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def make_folder(path: str, mode: int = 0o700) -> None:
    """Make a folder and the ones above it, all with the same mode (`os.makedirs` opens those above).

    Raises:
        StorageFailed: the disk refused.
    """
    if os.path.isdir(path):
        return
    above = os.path.dirname(path)
    try:
        if os.path.basename(path) == ".git":
            raise FileNotFoundError(errno.ENOENT, "the repository was removed", path)
        if above and above != path:
            make_folder(above, mode)
        os.mkdir(path, mode)
    except OSError as problem:
        if not os.path.isdir(path):  # else another process was faster
            raise storage_failure(problem, path) from problem


def take_lock(fd: int, seconds: float) -> bool:
    """Take the lock of an open file; False where another process held it for so many seconds.

    Raises:
        OSError: it can not be locked.
    """
    deadline = 0.0
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as problem:
            if problem.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                raise
        now = monotonic()
        deadline = deadline or now + seconds
        if now >= deadline:
            return False
        time.sleep(_RETRY_SECONDS)


class Lock:
    """An exclusive lock between processes; the kernel frees it when its owner dies.

    While it is held the file says whose it is and what it is about to do. `note` is what the owner
    before us left there: "" when it ended well, what it was doing when it died in the middle. It stays
    there until a new owner has dealt with it: writes a note of its own, or settles it. `noted_at` is when
    that note was written, in seconds since 1970.

    Args:
        path: the lock file; it stays where it is.
        wait_seconds: how long to wait for another owner.
    """

    def __init__(self, path: str, wait_seconds: float = LOCK_WAIT_SECONDS) -> None:
        self._path = path
        self._wait_seconds = wait_seconds
        self._fd = -1
        self._lasting = False
        self._left = False
        self.note = ""
        self.noted_at = 0.0

    def write_note(self, doing: str, *, lasting: bool = False) -> None:
        """Say in one line what is about to be done; "" when it is done.

        `lasting` leaves it to the next owner also when this one fails, not only when it dies.
        """
        self._lasting, self._left = lasting and bool(doing), False  # who did nothing leaves nothing
        text = f"{os.getpid()} {doing}".strip().encode("utf-8", "replace") + b"\n"
        # killed between the two, it leaves the new line and the end of an old one behind it, never nothing
        os.pwrite(self._fd, text, 0)
        os.ftruncate(self._fd, len(text))

    def resume(self) -> None:
        """Read the note again: what we noted ourselves and failed to do is there to be finished."""
        left = os.pread(self._fd, 4096, 0).decode("utf-8", "replace").partition("\n")[0]
        self.note = left.strip().partition(" ")[2]
        self.noted_at = os.fstat(self._fd).st_mtime

    def leave_note(self, doing: str) -> None:
        """Leave a line to the next owner, however this one ends."""
        self.write_note(doing, lasting=True)
        self._left = True

    def __enter__(self) -> Lock:
        """Take the lock.

        Raises:
            Busy: another process kept it for the whole time.
            StorageFailed: the lock file can not be opened.
        """
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600)
        except OSError as problem:
            raise storage_failure(problem, self._path) from problem
        try:
            taken = take_lock(self._fd, self._wait_seconds)
        except OSError as problem:
            os.close(self._fd)
            raise storage_failure(problem, self._path) from problem
        if not taken:
            words = os.pread(self._fd, 32, 0).decode("ascii", "replace").split()
            owner = f" ({words[0]})" if words and words[0].isdigit() else ""
            os.close(self._fd)
            raise Busy(
                f"another Diurna process{owner} holds {self._path}",
                hint="try again when it is done; its work is not interrupted",
            )
        self.resume()
        was = os.fstat(self._fd).st_mtime_ns
        try:
            self.write_note(self.note, lasting=True)
            if self.note:
                os.utime(self._fd, ns=(was, was))  # it is as old as it was
        except OSError:
            pass  # a full disk: the lock holds without a name on it
        self._left = bool(self.note)
        return self

    def settle(self) -> None:
        """Let the note go that was found: what it tells of is finished, or taken back."""
        self._left = False

    def __exit__(self, kind: object, *_: object) -> None:
        """Free the lock; a disk that refuses that says nothing of what was done under it."""
        try:
            if not self._left and (kind is None or not self._lasting):
                os.ftruncate(self._fd, 0)  # else the next owner finds it done
        except OSError:
            pass
        try:
            os.close(self._fd)
        except OSError:
            pass  # it is closed all the same


def died(commondir: str) -> bool:
    """Tell whether a process died while it held Diurna's lock, or left it something to finish.

    That is a look at the size of one file, and where somebody may hold the lock, a try to take it.
    """
    path = os.path.join(commondir, LOCK_FILE)
    try:
        if not os.stat(path).st_size:
            return False
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return bool(os.fstat(file.fileno()).st_size)
    except OSError:
        return False  # it lives, or there is no lock here
