"""Read a slice of a host's transcript: what a person and an agent said, and which tools were used.

A slice ends behind a whole line, so that the next one begins with one, and its end is the watermark of the
next; slices together tell what one of the whole would. Only a regular file of this user is ever opened,
and no file is waited for. Whatever stands in it, a slice comes back: a line that can not be read says
nothing.
"""

from __future__ import annotations

import json
import os
import re
import stat

from ledger.model.record import Record
from ledger.secrets.private_parts import without_private
from rituals.hosts.moments import BEGINS
from rituals.hosts.transcripts.formats import FORMATS, says_nothing
from rituals.hosts.transcripts.injected import without_injected, words_of
from rituals.hosts.transcripts.turns import ASKED, ASSISTANT, HOST, TITLE, USER, Turn, Turns

__all__ = ["Slice", "Turn", "last_slice", "read_slice"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

#: How much of a file's end is read, and how long a line may be; of one that is longer nothing is told.
TAIL_BYTES, _LINE_BYTES = 1 << 20, 16 << 20
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
    typed: tuple[str, ...] = ()  #: all that persons typed up to its end, also what nothing may keep
    hidden: tuple[str, ...] = ()  #: the same of what is not in the file (`typed_words.hidden_runs`)

    def without_last_turn(self) -> Slice:
        """Return it without the last turn of a person, and what came of that."""
        asked = [turn.at for turn in self.turns if turn.role == USER and not turn.tool]
        end = asked[-1] if asked else self.start
        return self._replace(end=end, turns=tuple([turn for turn in self.turns if turn.at < end]))


def read_slice(host: str, path: str, start: int) -> Slice | None:
    """Read what was added to a transcript since the last time; None where there is no such transcript.

    What stands before is read too, for it says what a later line means: who asks, what a dialog asked.

    Args:
        host: whose transcript it is.
        path: of the file, absolute.
        start: the end of the slice before this one.
    """
    return _slice(host, path, start, 0)


def last_slice(host: str, path: str, limit: int = TAIL_BYTES) -> Slice | None:
    """Read the end of a transcript, whole lines of at most so many bytes; None where there is none."""
    return _slice(host, path, 0, limit)


def _slice(host: str, path: str, start: int, limit: int) -> Slice | None:
    """Read a transcript, its last bytes alone where there is a `limit`; tell what begins at `start`."""
    if host not in FORMATS or not os.path.isabs(path):
        return None
    read, turns = FORMATS[host], Turns()
    file = _opened(path)
    if file is None:
        return None
    with file:
        start, begin = _start(file.fileno(), start), 0
        if limit and (tail := os.fstat(file.fileno()).st_size - limit) > 0:
            read(_object(file.readline(_FIRST_BYTES)), turns)
            turns.clear()
            file.seek(tail)
            start = begin = tail + len(file.readline())
        end = begin
        for line, end in _lines(file, begin):
            if says_nothing(host, line, turns):
                continue
            found = _object(line)
            turns.begin(end - len(line), found, found.get("uuid") or found.get("id"))
            read(found, turns)
            if found.get("type") != ASSISTANT and _QUESTION in line and _ASKS.search(line):
                turns.asked()
    typed = tuple(filter(None, map(words_of, turns.typed)))
    helps = turns.asking == ASSISTANT
    told = tuple([turn for turn in _turns(turns) if turn.at >= start or turn.tool == TITLE])
    return Slice(os.path.basename(path), start, end, told, helps, typed, tuple(turns.hidden))


def _opened(path: str) -> BufferedReader | None:
    """Open a regular file of this user; None where it is none, or a link to one."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):  # a name that no file can have
        return None
    about = os.fstat(file)
    if stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid():
        return os.fdopen(file, "rb")
    os.close(file)
    return None


def _start(file: int, start: int) -> int:
    """Return where to go on; 0 in a file that shrank, or that has no end of a line there any more."""
    if 0 < start <= os.fstat(file).st_size and os.pread(file, 1, start - 1) == b"\n":
        return start
    return 0


def _lines(file: BufferedReader, end: int) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, each with the byte behind it; one that is too long as an empty one.

    The last one may still be being written.
    """
    while line := file.readline(_LINE_BYTES):
        end += len(line)
        part = line
        while part and not part.endswith(b"\n"):
            line, part = b"", file.readline(_LINE_BYTES)
            end += len(part)
        if part:
            yield line, end


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
