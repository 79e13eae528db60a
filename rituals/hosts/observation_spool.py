"""Keep the observations of a host session until a boundary has put them into the ledger.

A spool is a file below the common git directory: a line that says when it began and whose it is, then one
line of JSON for each observation. Writers append whole lines under a lock. A line that a kill tore is
closed by the next writer and keeps its number, so that the watermark of a log (`observed: BEGAN 0-57`,
numbers of lines) means the same lines for ever. A spool that is made anew began later.
"""

from __future__ import annotations

import os
from errno import EAGAIN, EINVAL
from stat import S_ISREG

from ledger.environment import now_ms
from ledger.model.layout import STATE_DIR
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.atomic_files import take_lock, write_all
from rituals.hosts.host_events import file_name
from rituals.hosts.session_files import (
    fields_of,
    files_in,
    open_file,
    read_object,
    read_start,
    record_of,
    write_object,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

OBSERVED_DIR = f"{STATE_DIR}/observed"
LINE_BYTES = 4096
WHAT_CHARS, SHORT_CHARS = 240, 120
#: How long a writer waits for another one: a write takes less than a millisecond.
PATIENCE_SECONDS = 0.05
#: Within this time the same content is the same moment that arrived twice, where the host has no id of it.
_SAME_MS = 2000
#: Begins the `once` of such a content.
CONTENT = "~"
_HEAD_BYTES = _TAIL_BYTES = 1 << 16
#: How much of a text is kept.
_CHARS = {"why": SHORT_CHARS, "what": WHAT_CHARS, "once": SHORT_CHARS}


class Observation(Record):
    """One thing that a session did."""

    at: int  #: milliseconds since 1970
    kind: str  #: edit, git, package, file, test or task
    why: str  #: why it was admitted
    what: str  #: at most 240 characters in one line, secrets replaced
    paths: tuple[str, ...] = ()  #: relative to the work tree
    once: str = ""  #: counts once by this; "" counts always


_SAMPLE = Observation(0, "", "", "")


class Observed(Record):
    """What a spool holds."""

    began: int = 0  #: milliseconds since 1970, 0 where there is none
    lines: tuple[bytes, ...] = ()  #: also those that can not be read: watermarks count them
    folder: str = ""  #: where the session works

    def observations(self, start: int = 0) -> tuple[Observation, ...]:
        """Return them from a line on, 0 for the first, without lines that can not be read."""
        return _observations(self.lines[start:])


class Spool(Record):
    """The spool of a host session."""

    path: str  #: of the file
    host: str  #: key of `HOSTS`
    session: str  #: the host's id
    size: int = 0  #: bytes, as they were when it was listed
    changed_ms: int = 0  #: when it was last written to, likewise; 0 for unknown

    def add(self, observation: Observation, folder: str = "") -> bool:
        """Append an observation, secrets replaced; return False where it was there already.

        `folder` is where the session works, for the first line of a new file.

        Raises:
            OSError: the disk refused, or another writer kept the file too long; nothing was written.
        """
        line = _encoded(observation)
        fd = self._locked(make=True)
        try:
            known = _content(fd)
            size = len(known)
            first = b""
            if b"\n" not in known:  # new, or killed before anything was in it
                os.ftruncate(fd, 0)
                size = 0
                began = {"began": now_ms(), "host": self.host, "session": self.session}
                first = write_object({**began, "folder": folder}).encode() + b"\n"
            elif observation.once and _is_in(known, observation):
                return False
            elif known[-1:] != b"\n":
                first = b"\n"
            try:
                write_all(fd, first + line)
            except BaseException:
                os.ftruncate(fd, size)
                raise
            return True
        finally:
            os.close(fd)

    def read(self) -> Observed:
        """Return what it holds; nothing where there is no such file."""
        *lines, _torn = _bytes(self.path, 0)[0].split(b"\n")
        head = (read_object(lines[0]) if lines else None) or {}
        began, folder = head.get("began"), head.get("folder")
        if not isinstance(began, int):
            return Observed()
        return Observed(began, tuple(lines[1:]), folder if isinstance(folder, str) else "")

    def since(self, offset: int) -> tuple[tuple[Observation, ...], int]:
        """Return the observations behind a byte, and the byte behind the last whole line.

        From 0 where the file became shorter.
        """
        data, at = _bytes(self.path, offset)
        end = data.rfind(b"\n") + 1
        return _observations(data[:end].split(b"\n")), at + end

    def remove(self, known: Observed) -> None:
        """Remove it where it holds nothing else than what is known."""
        try:
            fd = self._locked(make=False)
            try:
                if self.read() == known:
                    os.unlink(self.path)
            finally:
                os.close(fd)
        except OSError:
            pass  # the next time

    def _locked(self, *, make: bool) -> int:
        """Open the file under its lock; one that was removed meanwhile is opened again."""
        while True:
            fd = open_file(self.path, os.O_RDWR | os.O_APPEND | (os.O_CREAT if make else 0))
            try:
                if not take_lock(fd, PATIENCE_SECONDS):
                    raise OSError(EAGAIN, "another process holds the spool")
                found = os.fstat(fd)
                if not S_ISREG(found.st_mode):
                    raise OSError(EINVAL, "not a file", self.path)
                if found.st_nlink:
                    return fd
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)


def spool_of(commondir: str, host: str, session: str) -> Spool:
    """Return the spool of a session (the host's id, not ""), whether it is there or not."""
    return Spool(f"{commondir}/{OBSERVED_DIR}/{file_name(host, session)}.jsonl", host, session)


def spools(commondir: str) -> list[Spool]:
    """Return the spools of a clone, newest first."""
    found, folder = [], f"{commondir}/{OBSERVED_DIR}"
    for name, size, written in files_in(folder, ".jsonl"):
        host, _, session = name[:-6].partition("-")
        if "~" in session:  # its head names it
            start = read_start(f"{folder}/{name}", _HEAD_BYTES).partition(b"\n")[0]
            said = (read_object(start) or {}).get("session")
            session = said if isinstance(said, str) else session
        found.append(Spool(f"{folder}/{name}", host, session, size, written // 1_000_000))
    found.sort(key=lambda spool: (-spool.changed_ms, spool.path))
    return found


def _is_in(known: bytes, observation: Observation) -> bool:
    """Tell whether an observation is there already; by content only among the newest ones."""
    once = {"once": observation.once[:SHORT_CHARS]}  # the end of its line
    mark = write_object(once, ascii_only=False).encode("utf-8", "replace")[1:]
    if not observation.once.startswith(CONTENT):
        return mark in known
    same = _observations([line for line in known[-_TAIL_BYTES:].split(b"\n") if mark in line])
    return any(abs(one.at - observation.at) <= _SAME_MS for one in same)


def _bytes(path: str, offset: int) -> tuple[bytes, int]:
    """Return a file from a byte on, from 0 where it is shorter, and that byte; nothing where it is odd."""
    try:
        fd = open_file(path, os.O_RDONLY)
        try:
            at = offset if 0 <= offset <= os.fstat(fd).st_size else 0
            return _content(fd, at), at
        finally:
            os.close(fd)
    except OSError:
        return b"", 0


def _content(fd: int, at: int = 0) -> bytes:
    parts = []
    while part := os.pread(fd, 1 << 20, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _encoded(observation: Observation) -> bytes:
    """Return the line of an observation, with fewer paths where it would be too long."""
    said = fields_of(observation)
    said |= {key: getattr(observation, key)[:chars] for key, chars in _CHARS.items()}
    paths = observation.paths
    while True:
        line = write_object(said, ascii_only=False).encode("utf-8", "replace") + b"\n"
        if len(line) <= LINE_BYTES or not paths:
            return line
        paths = said["paths"] = paths[: len(paths) // 2]


def _observations(lines: Sequence[bytes]) -> tuple[Observation, ...]:
    """Read lines, without those that are none of ours."""
    found = [record_of(_SAMPLE, read_object(line)) for line in lines]
    return tuple([one for one in found if one and one.kind and one.what])
