"""Stamp the files of the cache, so that one which this user's Diurna did not leave so is not opened.

SQLite sums no pages, and a damaged one may say something else, or hide what is there. So a stamp stands
beside each file: what the file system says of it since Diurna wrote it last, signed with the user's key.
Nobody changes a byte of a file, or puts another one in its place, without the system noting when; and
Diurna sets the time of its last change to a nanosecond that the system's own clock does not meet. What
does not agree with its stamp is not opened, but built anew: after damage as after a copy of the folder.

A file that was written without waiting for the disk may be half there after a crash of the machine. Until
it is known to be on the disk its stamp therefore names the run of the machine in which it was written.
What a writer leaves that is killed bears no stamp, so no journal is kept beside a file.

What a stamp can not tell is what the system does not: that a disk gives other bytes than it took.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time

from ledger.environment import monotonic, now_ns
from ledger.model.layout import CACHE_VERSION
from ledger.wal.user_key import signed, user_key
from memory.cache.sqlite import CacheDamaged, sqlite3

_SUFFIX = ".stamp"
_HEADER = b"diurna-stamp"
#: Stands in a stamp, in place of the boot, where the file is known to be on the disk.
ON_DISK = "-"
_WORDS, _LONGEST = 4, 300
#: What SQLite may keep beside a file.
BESIDE = ("-journal", "-wal", "-shm")
#: Other processes write for milliseconds; SQLite waits as long.
_WAIT_SECONDS = 10.0
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
#: How long the system has to bring what was written to the disk before it is asked to.
_QUIET_NS = 60 * 10**9


class StampBroken(CacheDamaged):
    """A file is not as Diurna left it: it is not to be read."""


class Stamp:
    """The stamp of one file.

    Args:
        path: the file; "" for one in memory, which is nobody else's.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._key = user_key() if path else b""
        self._number = file_number(path)
        self._good: tuple[int, ...] = ()
        self._run = ""

    @property
    def usable(self) -> bool:
        """Whether a file can be kept at all: there is a key."""
        return bool(self._key)

    @property
    def replaced(self) -> bool:
        """Whether another file has that path since this stamp was looked for, or none."""
        return bool(self._number) and file_number(self.path) != self._number

    @property
    def elsewhere(self) -> bool:
        """Whether the stamp is of another file: the folder was copied, or brought back."""
        words = _read(self.path + _SUFFIX).partition(b"\n")[0].split()
        try:
            return len(words) == _WORDS and words[2] != b"%d" % os.stat(self.path).st_ino
        except OSError:
            return True

    def holds(self) -> bool:
        """Tell whether the file is as it was left, as far as can be told without waiting."""
        if not self.path:
            return True
        now = _look(self.path)
        if now and now == self._good:
            return True
        return self._agrees(now, _read(self.path + _SUFFIX)) if now and self._key else False

    def check(self) -> None:
        """Make sure that the file is as it was left, outside of any reading of it.

        Raises:
            StampBroken: it is not.
        """
        if not self.holds():
            with self.unwritten():
                pass

    def unwritten(self) -> Held:
        """Check the file, and return a `with` in which nobody else writes it.

        Raises:
            StampBroken: on entering, the file is not as it was left.
        """
        return Held(self, fcntl.LOCK_SH)

    def writing(self, run: str = "") -> Held:
        """Return the `with` in which the file may be changed: it is checked before and stamped after.

        `run` is what the stamp says of the disk then, "" that it is of this run of the machine.

        Raises:
            StampBroken: on entering, the file is not as it was left.
            sqlite3.OperationalError: likewise, nothing can be written there, or others do for too long.
        """
        return Held(self, fcntl.LOCK_EX, run=run)

    def replacing(self) -> Held:
        """Return the `with` in which another file may replace this one: `writing` without the check.

        Raises:
            sqlite3.OperationalError: as for `writing`.
        """
        return Held(self, fcntl.LOCK_EX, fresh=True)

    def wants_disk(self) -> bool:
        """Tell whether it is time to make sure that the file is on the disk, and to note that."""
        quiet = bool(self._good) and now_ns() - self._good[3] > _QUIET_NS
        return quiet and self._run != ON_DISK

    def _agrees(self, now: tuple[int, ...], said: bytes) -> bool:
        """Tell whether a stamp is of this state of the file, and remember it then."""
        words = said.partition(b"\n")[0].split()
        if len(words) != _WORDS or words[0] != _HEADER:
            return False
        run = words[1].decode("ascii", "replace")
        if self._signed(now, run).encode() != words[3] or run not in (ON_DISK, machine_run()):
            return False
        self._good, self._run = now, run
        return True

    def _signed(self, now: tuple[int, ...], run: str) -> str:
        name = os.fsencode(os.path.basename(self.path))
        facts = b" ".join([b"%d" % value for value in (CACHE_VERSION, *now)])
        return signed(self._key, b"stamp", name, run.encode(), facts)

    def write(self, fd: int, run: str) -> None:
        """Stamp the file as it is now, if it was written since."""
        if _look(self.path) == self._good:
            return
        found = os.stat(self.path, follow_symlinks=False)
        os.utime(self.path, ns=(found.st_atime_ns, now_ns()), follow_symlinks=False)
        now = _look(self.path)
        said = (_HEADER, run.encode(), b"%d" % found.st_ino, self._signed(now, run).encode())
        line = b" ".join(said) + b"\n"
        os.pwrite(fd, line, 0)
        os.ftruncate(fd, len(line))
        self._good, self._run = now, run


class Held:
    """A lock on a stamp, for as long as it stands in a `with`.

    Args:
        stamp: the stamp.
        how: `fcntl.LOCK_SH` or `fcntl.LOCK_EX`.
        fresh: the file is another one afterwards, whatever it is now.
        run: what the stamp says of the disk when this ends well.
    """

    def __init__(self, stamp: Stamp, how: int, *, fresh: bool = False, run: str = "") -> None:
        self._stamp, self._alone, self._fresh, self._run = stamp, how == fcntl.LOCK_EX, fresh, run
        self._fd = -1

    def __enter__(self) -> None:
        path, alone = self._stamp.path, self._alone
        if not path:
            return
        flags = (os.O_RDWR if alone else os.O_RDONLY) | (os.O_CREAT if self._fresh else 0)
        try:
            self._fd = os.open(path + _SUFFIX, flags | _NO_FOLLOW | os.O_NONBLOCK, 0o600)
            _lock(self._fd, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        except OSError as problem:
            self._let_go()
            if alone and not isinstance(problem, FileNotFoundError):
                raise sqlite3.OperationalError(f"{path}: {problem.strerror}") from problem
            raise StampBroken(path) from problem
        if not (self._fresh or self._stamp.holds()):
            self._let_go()
            raise StampBroken(path)

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if self._fd >= 0 and self._alone and kind is None:
                self._stamp.write(self._fd, self._run or machine_run())
        except OSError:
            pass  # the stamp is of another state now: the next reader builds the file anew
        finally:
            self._let_go()

    def _let_go(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _look(path: str) -> tuple[int, ...]:
    """Return what the system says of a file; () for one that is not there, or not a plain file."""
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return ()
    # no writer of ours keeps such a file, and SQLite would take it for a part of this one
    beside = any(os.path.lexists(path + suffix) for suffix in BESIDE)
    if beside or not stat.S_ISREG(found.st_mode):
        return ()
    return (found.st_uid, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | _NO_FOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(fd, _LONGEST)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _lock(fd: int, how: int) -> None:
    deadline = 0.0
    while True:
        try:
            return fcntl.flock(fd, how | fcntl.LOCK_NB)
        except BlockingIOError:
            now = monotonic()
            deadline = deadline or now + _WAIT_SECONDS
            if now > deadline:
                raise
            time.sleep(0.0005 + os.getpid() % 7 / 5000)


def file_number(path: str) -> int:
    """Return the inode of a file, 0 for none: another file of its name has another."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def machine_run() -> str:
    """Return an id of this boot of the machine; "-" where the system does not tell one."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read(64).strip() or ON_DISK
    except OSError:
        return ON_DISK
