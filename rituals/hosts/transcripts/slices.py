"""Read a slice of a host's transcript: what a person and an agent said, and which tools were used.

A slice ends behind a whole line, so that the next one begins with one, and its end is the watermark of the
next; slices together tell what one of the whole would. Only a regular file of this user is ever opened,
and no file is waited for. Whatever stands in it, a slice comes back: a line that can not be read says
nothing.
"""

from __future__ import annotations

import os
import re
import stat

from ledger.model.record import TYPE_CHECKING, Record
from ledger.secrets.match import without_private
from rituals.hosts.host_events import BEGINS
from rituals.hosts.session_files import read_object
from rituals.hosts.transcripts.formats import FORMATS
from rituals.hosts.transcripts.injected_text import without_injected, words_of
from rituals.hosts.transcripts.turns import ASKED, ASSISTANT, HOST, TITLE, USER, Turn, Turns

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

#: How much of a file's end is read, and how long a line may be; of one that is longer nothing is told.
_TAIL_BYTES, _LINE_BYTES = 1 << 20, 16 << 20
#: How much of a file's first line is read to learn whose session it is, and of any file at once.
_FIRST_BYTES, _AT_ONCE = 64 << 10, 1 << 18
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


def newest_turns(host: str, path: str, limit: int = _TAIL_BYTES) -> tuple[Turn, ...]:
    """Read the end of a transcript, whole lines of at most so many bytes; none where there is none."""
    found = read_slice(host, path, 0, limit)
    return found.turns if found else ()


def read_slice(host: str, path: str, start: int, limit: int = 0) -> Slice | None:
    """Read what was added to a transcript since the last time; None where there is no such transcript.

    What stands before is read too, for it says what a later line means: who asks, what a dialog asked.

    Args:
        host: whose transcript it is.
        path: of the file, absolute.
        start: the end of the slice before this one; in a file that shrank, or that has no end of a line
            there any more, all is read.
        limit: only so many bytes at its end are read, 0 for all.
    """
    file = _opened(path) if host in FORMATS and os.path.isabs(path) else None
    if file is None:
        return None
    read, turns, end = FORMATS[host], Turns(), 0
    with file:
        fd, size = file.fileno(), os.fstat(file.fileno()).st_size
        start = start if 0 < start <= size and os.pread(fd, 1, start - 1) == b"\n" else 0
        if limit and (tail := size - limit) > 0:
            whose = Turns()
            read(read_object(file.readline(_FIRST_BYTES)) or {}, whose)
            turns.asking = whose.asking
            file.seek(tail)
            start = end = tail + len(file.readline())
        while line := file.readline(_LINE_BYTES):
            begin, size, part = end, len(line), line
            while part and not part.endswith(b"\n"):  # too long, or still being written
                part = file.readline(_LINE_BYTES)
                size += len(part)
            if not part:
                break
            end += size
            if size == len(line):
                found = read_object(line.decode("utf-8", "replace").encode()) or {}
                turns.begin(begin, found, found.get("uuid") or found.get("id"))
                read(found, turns)
                if found.get("type") != ASSISTANT and _QUESTION in line and _ASKS.search(line):
                    turns.mark(ASKED)
    typed = tuple(filter(None, map(words_of, turns.typed)))
    helps = turns.asking == ASSISTANT
    told = tuple([turn for turn in _turns(turns) if turn.at >= start or turn.tool == TITLE])
    return Slice(os.path.basename(path), start, end, told, helps, typed, tuple(turns.hidden))


def _opened(path: str) -> BinaryIO | None:
    """Open a regular file of this user; None where it is none, or a link to one."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):  # a name that no file can have
        return None
    about = os.fstat(file)
    if stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid():
        return os.fdopen(file, "rb", _AT_ONCE)
    os.close(file)
    return None


def _turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
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
            given, result = without_private(said.given), without_private(said.result)
            found.append(said._replace(text=text, given=given, result=result))
    return tuple(found)
