"""Read and write the small files that hosts' sessions leave beside git, and JSON as a hook needs it.

The module `json` loads the machinery of regular expressions, which takes longer than all that a hook does.
Its scanner and its writer of strings are parts of the interpreter.
No file is waited for, and none is followed by a link; what is odd is read as nothing.
"""

from __future__ import annotations

import fcntl
import os
import time

from ledger.environment import now_seconds
from ledger.model.layout import HOOK_FAULTS_FILE
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.atomic_files import try_unlink, write_all

#: End the names of the one that says where a session was seen last, and of the one that it is over.
SEEN, ENDED = ".seen", ".ended"

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    _R = TypeVar("_R", bound=Record)

_MARK = b"\xef\xbb\xbf"
_BLANK = " \t\n\r"
_FILE_BYTES, _BLOCK = 1 << 20, 4096
_ODD = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class _Context:
    """What the scanner asks for: plain values, and control characters only where they are escaped."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def read_object(data: bytes) -> dict[str, object] | None:
    """Return the object that some bytes hold, None where they hold none; a byte order mark is skipped."""
    from _json import make_scanner

    try:
        text = data.removeprefix(_MARK).decode()
        start = len(text) - len(text.lstrip(_BLANK))
        found, end = make_scanner(_Context)(text, start)  # type: ignore[arg-type]
    except (ValueError, RecursionError, StopIteration, SystemError):
        # the last one says ValueError where nobody has loaded `json`, before Python 3.12
        return None
    return found if isinstance(found, dict) and not text[end:].strip(_BLANK) else None


def read_start(path: str, limit: int) -> bytes:
    """Return the first bytes of a file that is no link, b"" where it can not be read."""
    try:
        fd = os.open(path, os.O_RDONLY | _ODD)
        try:
            return os.read(fd, limit)
        finally:
            os.close(fd)
    except OSError:
        return b""


def read_file(path: str) -> dict[str, object]:
    """Return the object that a small file of ours holds; an empty one where it holds none."""
    return read_object(read_start(path, _FILE_BYTES)) or {}


def open_file(path: str, flags: int) -> int:
    """Open a file for this user alone, with `O_CREAT` its folder made, too; return the descriptor.

    Raises:
        OSError: there is none, or the disk refused.
    """
    try:
        return os.open(path, flags | _ODD, 0o600)
    except FileNotFoundError:
        folder = os.path.dirname(path)
        if not flags & os.O_CREAT or os.path.isdir(folder):
            raise
        for one in (os.path.dirname(folder), folder):  # and none of a repository that was removed
            try:
                os.mkdir(one, 0o700)
            except FileExistsError:
                pass
        return os.open(path, flags | _ODD, 0o600)


def files_in(folder: str, end: str = "") -> list[tuple[str, int, int]]:
    """Return the files in a folder whose names end so: names, bytes and when written (ns since 1970).

    A link is none.
    """
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    if entry.name.endswith(end) and entry.is_file(follow_symlinks=False):
                        about = entry.stat(follow_symlinks=False)
                        found.append((entry.name, about.st_size, about.st_mtime_ns))
                except OSError:
                    continue  # removed meanwhile
    except OSError:
        pass  # there is no such folder yet
    return found


def sweep(folder: str, before_seconds: float) -> None:
    """Remove the files of a folder that were written before a moment (seconds since 1970)."""
    for name, _, written in files_in(folder):
        if written < before_seconds * 1_000_000_000:
            try_unlink(f"{folder}/{name}")  # another hook may be faster


def record_of(sample: _R, said: object) -> _R | None:
    """Return the record that an object tells, None where one of its values is of another type.

    `sample` has the types of the fields, and the values of those that are not told.
    """
    if not isinstance(said, dict):
        return None
    values = [said.get(field, usual) for field, usual in zip(sample._fields, sample, strict=True)]
    values = [tuple(one) if isinstance(one, list) else one for one in values]
    for value, usual in zip(values, sample, strict=True):
        texts = value if isinstance(value, tuple) else ()
        counts = value.values() if isinstance(value, dict) else ()
        odd = {*map(type, texts)} - {str} or {*map(type, counts)} - {int}
        if odd or type(value) is not type(usual):
            return None
    return type(sample)(*values)


def read_record(path: str, sample: _R) -> _R:
    """Return the record that a small file of ours holds, the sample where it holds none."""
    return record_of(sample, read_file(path) or None) or sample


def write_record(path: str, record: Record, at: int | None = None) -> None:
    """Write the file of a record, of which readers see the old or the new, as if `at` (ms since 1970).

    Raises:
        OSError: the disk refused; the old one stands.
    """
    folder, _, name = path.rpartition("/")
    temporary = f"{folder}/.{name}.{os.getpid()}"
    fd = open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(fd, write_object(fields_of(record)).encode())
    except OSError:
        os.unlink(temporary)
        raise
    finally:
        os.close(fd)
    if at is not None:
        os.utime(temporary, ns=(at * 1_000_000, at * 1_000_000))
    os.replace(temporary, path)


def changed(path: str, sample: _R, change: Callable[[_R], _R]) -> _R | None:
    """Change the record of a file under its lock; return the one before, None where that failed."""
    try:
        file = open_file(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            known = record_in(file, sample)
            put_record(file, change(known))
            return known
        finally:
            os.close(file)
    except OSError:
        return None


def record_in(file: int, sample: _R) -> _R:
    """Return the record that an open file holds, the sample where it holds none."""
    return record_of(sample, read_object(os.pread(file, _FILE_BYTES, 0))) or sample


def put_record(file: int, record: Record) -> None:
    """Put a record in the place of the one that an open file holds; killed, it leaves that or this whole.

    The file grows by blocks, so that a full disk does not keep it where it was.
    """
    data = write_object(fields_of(record), ascii_only=False).encode("utf-8", "replace")
    size = max(os.fstat(file).st_size, -(-len(data) // _BLOCK) * _BLOCK)
    os.pwrite(file, data.ljust(size), 0)


def fields_of(record: Record) -> dict[str, object]:
    """Return the object that tells a record."""
    return dict(zip(record._fields, record, strict=True))


def write_object(said: Mapping[str, object], *, ascii_only: bool = True) -> str:
    """Write an object of strings, numbers, lists and objects; `ascii_only` escapes all but ASCII."""
    from _json import encode_basestring, encode_basestring_ascii

    return _written(said, encode_basestring_ascii if ascii_only else encode_basestring)


def _written(value: object, quoted: Callable[[str], str]) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        pairs = [f"{quoted(key)}: {_written(one, quoted)}" for key, one in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([_written(one, quoted) for one in value]) + "]"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)


#: Of what failed in a hook, where `diurna check` reads it: the agent never sees it.
_LINE_CHARS = 300
#: A file of more bytes than that becomes the old one, and a new one is begun.
_FAULT_BYTES = 1 << 16


class Fault(Record):
    """A hook that failed."""

    at: str  #: when, as `YYYY-MM-DDTHH:MM:SSZ`
    said: str  #: which one, and why


def note_fault(commondir: str, said: str) -> None:
    """Note a fault in one line, secrets in it replaced; a disk that refuses is no reason to fail."""
    from ledger.secrets.scanner import without_secrets

    path = f"{commondir}/{HOOK_FAULTS_FILE}"
    line = f"{utc(now_seconds())} {without_secrets(' '.join(said.split())[:_LINE_CHARS])}\n"
    try:
        if os.path.exists(path) and os.path.getsize(path) > _FAULT_BYTES:
            os.replace(path, path + ".old")
        fd = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(fd, line.encode("utf-8", "replace"))
        finally:
            os.close(fd)
    except OSError:
        pass


def utc(seconds: float) -> str:
    """Return a moment, in seconds since 1970, as `YYYY-MM-DDTHH:MM:SSZ`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def faults(commondir: str) -> list[Fault]:
    """Return what failed, oldest first."""
    said = read_start(f"{commondir}/{HOOK_FAULTS_FILE}", 2 * _FAULT_BYTES)
    pairs = [line.partition(" ") for line in said.decode("utf-8", "replace").splitlines()]
    return [Fault(at, why) for at, _, why in pairs if why]
