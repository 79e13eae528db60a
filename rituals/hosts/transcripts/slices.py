"""Read a slice of a host's transcript: what a person and an agent said, and which tools were used.

A slice ends behind a whole line, so that the next one begins with one, and its end is the watermark of the
next. Only a regular file of this user is ever opened, and no file is waited for. Whatever stands in it, a
slice comes back: a line that can not be read says nothing.
"""

from __future__ import annotations

import json
import os
import re
import stat

from ledger.model.record import Record
from ledger.secrets.private_parts import without_private
from rituals.hosts.moments import BEGINS
from rituals.hosts.transcripts.formats import FORMATS
from rituals.hosts.transcripts.injected import without_injected, words_of
from rituals.hosts.transcripts.turns import ASKED, ASSISTANT, HOST, USER, Turn, Turns

__all__ = ["SLICE_BYTES", "Slice", "Turn", "last_slice", "read_slice"]

#: How much a slice has, and how long a line may be that is passed over because it does not fit into one.
SLICE_BYTES, _LINE_BYTES = 1 << 20, 1 << 30
#: How much of a file's first line is read to learn whose session it is.
_FIRST_BYTES = 64 << 10
#: How a line has our question in the place of a person's words, and how long words around its answer are.
_QUESTION = BEGINS.encode()
_ASKS = re.compile(
    rb'"user".{0,600}?(?:Stop hook feedback:\\n|\\">|"text": ?")' + re.escape(_QUESTION)
)
_ANSWER_CHARS = 400


class Slice(Record):
    """A part of a transcript."""

    name: str  #: of the file
    start: int  #: its first byte; 0 where the file is another one than the one that was read before
    end: int  #: the byte behind its last line
    turns: tuple[Turn, ...]  #: in the order of the transcript
    helps: bool = False  #: it is the session of a subagent: what it reports, it reports to an agent
    typed: tuple[str, ...] = ()  #: all that persons typed in it, also what nothing may keep
    hidden: tuple[str, ...] = ()  #: the same of what is not in the file (`typed_words.hidden_runs`)


def read_slice(host: str, path: str, start: int, limit: int = SLICE_BYTES) -> Slice | None:
    """Read what was added to a transcript since the last time; None where there is no such transcript.

    Args:
        host: whose transcript it is.
        path: of the file, absolute.
        start: the end of the slice before this one.
        limit: how many bytes are read; a line that is longer is passed over.
    """
    if host not in FORMATS or not os.path.isabs(path):
        return None
    try:
        file = _opened(path)
        if file < 0:
            return None
        try:
            start = _start(file, start)
            data, end = _read(file, start, limit)
            first = os.pread(file, _FIRST_BYTES, 0) if start else b""
        finally:
            os.close(file)
    except (OSError, ValueError):  # a name that no file can have
        return None
    read = FORMATS[host]
    turns = Turns()
    if first:
        read(_object(first.partition(b"\n")[0]), turns)
        turns.clear()
    at = start
    for line in data.split(b"\n"):
        found = _object(line)
        turns.begin(at, found, found.get("uuid") or found.get("id"))
        read(found, turns)
        if _QUESTION in line and _ASKS.search(line):
            turns.asked()
        at += len(line) + 1
    typed = tuple(filter(None, map(words_of, turns.typed)))
    helps = turns.asking == ASSISTANT
    name, hidden = os.path.basename(path), tuple(turns.hidden)
    return Slice(name, start, end, _turns(turns), helps, typed, hidden)


def all_typed(host: str, path: str) -> tuple[list[str], list[str]]:
    """Return all that persons typed in a transcript, and the hidden runs; nothing where there is none."""
    found, hidden = list[str](), list[str]()
    part = read_slice(host, path, 0)
    while part is not None and part.end > part.start:
        found += part.typed
        hidden += part.hidden
        part = read_slice(host, path, part.end)
    return found, hidden


def last_slice(host: str, path: str, limit: int = SLICE_BYTES) -> Slice | None:
    """Read the end of a transcript, whole lines of at most so many bytes; None where there is none."""
    try:
        file = _opened(path) if os.path.isabs(path) else -1
        if file < 0:
            return None
        try:
            start = max(0, os.fstat(file).st_size - limit)
            start += os.pread(file, limit, start).find(b"\n") + 1 if start else 0
        finally:
            os.close(file)
    except (OSError, ValueError):
        return None
    return read_slice(host, path, start, limit)


def _opened(path: str) -> int:
    """Open a regular file of this user; -1 where it is none, or a link to one."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    about = os.fstat(file)
    if stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid():
        return file
    os.close(file)
    return -1


def _start(file: int, start: int) -> int:
    """Return where to go on; 0 in a file that shrank, or that has no end of a line there any more."""
    if 0 < start <= os.fstat(file).st_size and os.pread(file, 1, start - 1) == b"\n":
        return start
    return 0


def _read(file: int, start: int, limit: int) -> tuple[bytes, int]:
    """Return whole lines and the byte behind them; no lines, and the byte behind it, for one too long."""
    data = b""
    while len(data) < limit:
        part = os.pread(file, limit - len(data), start + len(data))
        if not part:
            break
        data += part
    end = data.rfind(b"\n") + 1
    if end or len(data) < limit:
        return data[:end], start + end
    for at in range(start + limit, start + _LINE_BYTES, SLICE_BYTES):
        part = os.pread(file, SLICE_BYTES, at)
        found = part.find(b"\n")
        if found >= 0:
            return b"", at + found + 1
        if not part:
            break
    return b"", start  # it is still being written


def _object(line: bytes) -> dict[str, object]:
    """Return the object on a line; an empty one where there is none."""
    try:
        found = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _turns(turns: Turns) -> tuple[Turn, ...]:
    """Return what is left of the turns without what programs put there, and what is private."""
    found: list[Turn] = []
    answering = False
    for said in turns:
        is_person = said.role == USER
        answering = said.tool == ASKED if said.role == HOST else answering and not is_person
        if said.tool == ASKED or (
            answering and said.role == ASSISTANT and len(said.text) < _ANSWER_CHARS
        ):
            continue  # the words around an answer are no report
        text = (words_of if is_person else without_injected)(said.text) if said.text else ""
        text = without_private(text).strip()
        if text or (said.tool and not is_person):
            given, result = said.given, said.result
            if "private" in given.lower() or "private" in result.lower():
                given, result = without_private(given), without_private(result)
            role, _, at, tool, when, asked, _, _, failed = said
            found.append(Turn(role, text, at, tool, when, asked, given, result, failed))
    return tuple(found)
