"""Stamp the files of SQLite that stand beside the ledger: what Diurna did not leave so is not read.

SQLite sums no pages, and a damaged one may say something else, or hide what is there. So a stamp stands
beside each file: what the file system says of it since Diurna wrote it last, signed with the user's key.
Nobody changes a byte of a file, or puts another one in its place, without the system noting when; and
Diurna sets the time of its last change to a nanosecond that the system's own clock does not meet. What
does not agree with its stamp is not opened, but built anew: after damage as after a copy of the folder.

A file that was written without waiting for the disk may be half there after a crash of the machine. Until
it is known to be on the disk its stamp therefore names the run of the machine in which it was written.
What a writer leaves that is killed bears no stamp, so no journal is kept beside a file.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import stat
import sys
import time

from ledger.environment import monotonic, now_ns
from ledger.model.layout import CACHE_VERSION
from ledger.model.record import TYPE_CHECKING, cached
from ledger.wal.user_key import signed, user_key

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from typing import Any, Self, TypeVar

    Said = TypeVar("Said")
else:
    # it takes nothing but `lru_cache` of a module that loads six more: 3 ms a start
    lent = sys.modules.setdefault("functools", type(sys)("functools"))
    lent.lru_cache = getattr(lent, "lru_cache", cached)
    try:
        import _sqlite3 as sqlite3  # the standard module loads `datetime`: 3 ms more
    finally:
        if lent.lru_cache is cached:
            del sys.modules["functools"]

__all__ = ["FILE_ERRORS", "CacheDamaged", "FileErrors", "Stamp", "sqlite3", "unpack"]

_SUFFIX, _HEADER = ".stamp", b"diurna-stamp"
#: Stands in a stamp, in place of the boot, where the file is known to be on the disk.
ON_DISK = "-"
_WORDS, _LONGEST = 4, 300
#: What SQLite may keep beside a file.
BESIDE = ("-journal", "-wal", "-shm")
#: Other processes write for milliseconds; SQLite waits as long.
_WAIT_SECONDS = 10.0
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | os.O_NONBLOCK
#: How long the system has to bring what was written to the disk before it is asked to.
_QUIET_NS = 60 * 10**9
#: A row of more bytes holds hundreds of events. What a few such rows make is kept: who looks at many
#: facts asks of each of them for the one log, or the one fact, that they hang on.
_LONG_BYTES = 8192
_KEPT = 16


class CacheDamaged(Exception):
    """The cache's file is missing, damaged, of another version or out of reach: build it anew."""


class StampBroken(CacheDamaged):
    """A file is not as Diurna left it: it is not to be read."""


class FileErrors:
    """Stands, as `with FILE_ERRORS:`, around what reads or writes a file: SQLite's errors are damage.

    Args:
        damage: what is raised then.
    """

    def __init__(self, damage: type[Exception]) -> None:
        self.damage = damage

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, value: object, trace: object) -> None:
        if isinstance(value, (sqlite3.Error, CacheDamaged)) and not isinstance(value, self.damage):
            raise self.damage(str(value)) from value


FILE_ERRORS = FileErrors(CacheDamaged)


def unpack(packed: bytes, make: Callable[[Any], Said]) -> Said:
    """Return the value that a row holds, made of what `marshal` gives back.

    Raises:
        CacheDamaged: it was never packed here. Any other error is one of what is made of the value.
    """
    try:
        return make(marshal.loads(packed))
    except (ValueError, EOFError, TypeError, IndexError) as problem:
        raise CacheDamaged("a value is not as it was written") from problem


_unpacked: Callable[..., Any] = cached(_KEPT)(unpack)


def unpack_once(packed: bytes, make: Callable[[Any], Said]) -> Said:
    """Return the value that a row holds, which nobody can change, as `unpack`."""
    made: Said = (unpack if len(packed) <= _LONG_BYTES else _unpacked)(packed, make)
    return made


class Stamp:
    """The stamp of one file, and the lock on it for as long as it stands in a `with` (`locked`).

    Args:
        path: the file; "" for one in memory, which is nobody else's.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._key = user_key() if path else b""
        self._number = _file_number(path)
        self._good: tuple[int, ...] = ()
        self._run = ""
        self._fd, self._alone, self._ends = -1, False, ""

    @property
    def replaced(self) -> bool:
        """Whether another file has that path since this stamp was looked for, or none."""
        return bool(self._number) and _file_number(self.path) != self._number

    @property
    def elsewhere(self) -> bool:
        """Whether the stamp is of another file: the folder was copied, or brought back."""
        words, now = _read(self.path + _SUFFIX).split(), _look(self.path)
        return not now or (len(words) == _WORDS and words[2] != b"%d" % os.stat(self.path).st_ino)

    def holds(self) -> bool:
        """Tell whether the file is as it was left, as far as can be told without waiting."""
        now = _look(self.path) if self.path else ()
        if not self.path or (now and now == self._good):
            return True
        words = _read(self.path + _SUFFIX).partition(b"\n")[0].split() if now and self._key else []
        if len(words) != _WORDS or words[0] != _HEADER:
            return False
        run = words[1].decode("ascii", "replace")
        if self._signed(now, run).encode() != words[3] or run not in (ON_DISK, _machine_run()):
            return False
        self._good, self._run = now, run
        return True

    def check(self) -> None:
        """Make sure that the file is as it was left, outside of any reading of it.

        Raises:
            StampBroken: it is not.
        """
        if not self.holds():
            with self.locked(alone=False):
                pass

    def locked(self, *, alone: bool = True, fresh: bool = False, run: str = "") -> Self:
        """Return the `with` in which nobody else writes the file, which is checked on entering.

        Args:
            alone: it may be changed, and is stamped in the end.
            fresh: another file may replace it, whatever it is now.
            run: what the stamp says of the disk then, "" that it is of this run of the machine.

        Raises:
            StampBroken: on entering, the file is not as it was left.
            sqlite3.OperationalError: likewise, nothing can be written there, or others do for too long.
        """
        self._alone, self._ends = alone, run or _machine_run()
        if self.path:
            flags = (os.O_RDWR if alone else os.O_RDONLY) | (os.O_CREAT if fresh else 0)
            try:
                self._fd = os.open(self.path + _SUFFIX, flags | _FLAGS, 0o600)
                _lock(self._fd, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            except OSError as problem:
                self._let_go()
                if alone and not isinstance(problem, FileNotFoundError):
                    raise sqlite3.OperationalError(f"{self.path}: {problem.strerror}") from problem
                raise StampBroken(self.path) from problem
            if not (fresh or self.holds()):
                self._let_go()
                raise StampBroken(self.path)
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if self._fd >= 0 and self._alone and kind is None and _look(self.path) != self._good:
                self._write()
        except OSError:
            pass  # the stamp is of another state now: the next reader builds the file anew
        finally:
            self._let_go()

    def _write(self) -> None:
        """Stamp the file as it is now."""
        found = os.stat(self.path, follow_symlinks=False)
        os.utime(self.path, ns=(found.st_atime_ns, now_ns()), follow_symlinks=False)
        now, run = _look(self.path), self._ends
        said = (_HEADER, run.encode(), b"%d" % found.st_ino, self._signed(now, run).encode())
        line = b" ".join(said) + b"\n"
        os.pwrite(self._fd, line, 0)
        os.ftruncate(self._fd, len(line))
        self._good, self._run = now, run

    def _let_go(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def wants_disk(self) -> bool:
        """Tell whether it is time to make sure that the file is on the disk, and to note that."""
        quiet = bool(self._good) and now_ns() - self._good[3] > _QUIET_NS
        return quiet and self._run != ON_DISK

    def _signed(self, now: tuple[int, ...], run: str) -> str:
        name = os.fsencode(os.path.basename(self.path))
        facts = b" ".join([b"%d" % value for value in (CACHE_VERSION, *now)])
        return signed(self._key, b"stamp", name, run.encode(), facts)


def _look(path: str) -> tuple[int, ...]:
    """Return what the system says of a file; () for one that is not there, or not a plain file."""
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return ()
    # no writer of ours keeps such a file, and SQLite would take it for a part of this one
    beside = any(os.access(path + one, os.F_OK, follow_symlinks=False) for one in BESIDE)
    if beside or not stat.S_ISREG(found.st_mode):
        return ()
    return (found.st_uid, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", 0, opener=lambda name, how: os.open(name, how | _FLAGS)) as file:
            return file.read(_LONGEST) or b""
    except OSError:
        return b""


def _lock(fd: int, how: int) -> None:
    deadline = monotonic() + _WAIT_SECONDS
    while True:
        try:
            return fcntl.flock(fd, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > deadline:
                raise
            time.sleep(0.0005 + os.getpid() % 7 / 5000)


def _file_number(path: str) -> int:
    """Return the inode of a file, 0 for none: another file of its name has another."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _machine_run() -> str:
    """Return an id of this boot of the machine; "-" where the system does not tell one."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read(64).strip() or ON_DISK
    except OSError:
        return ON_DISK
