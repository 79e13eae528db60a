"""Read a slice of a host's transcript: what a person and an agent said, and which tools were used.

A slice ends behind a whole line, so that the next one begins with one, and its end is the watermark of the
next; slices together tell what one of the whole would. Only a regular file of this user is ever opened,
and no file is waited for. Whatever stands in it, a slice comes back: a line that can not be read says
nothing.

Which lines are read is known by their bytes, so that a transcript of any shape takes little. Of what tools
print those are that tell of a failure, or are waited for: a person's answer, a commit's name. Of what an
agent does the first, the newest, and before anything else happened its longest words and its last. A name
in quotes stands in none of the texts of a line, where they have a mark before them.
"""

from __future__ import annotations

import os
import re
import stat
from collections import deque

from ledger.model.record import Record
from ledger.secrets.private_parts import without_private
from rituals.hosts.moments import BEGINS
from rituals.hosts.payloads import read_object
from rituals.hosts.transcripts.dialogs import DIALOGS
from rituals.hosts.transcripts.formats import FORMATS
from rituals.hosts.transcripts.injected import without_injected, words_of
from rituals.hosts.transcripts.turns import ASKED, ASSISTANT, HOST, TITLE, USER, Turn, Turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
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
#: What a line is: one that says nothing, what a tool printed, also where it failed, a step of an agent,
#: its words, one that is read wherever it is, one before which the agent's last words are a report.
_SILENT, _PRINTED, _FAILED, _STEP, _WORDS, _READ, _TURN = range(7)
#: So much is read of an agent's first steps, of its newest, and of its reports. A line counts for its
#: place, and with a part of its bytes: much of it is the host's.
_EARLY_BYTES, _NEWEST_BYTES, _PLACE_BYTES = 1 << 17, 1 << 19, 200
_PARTS = {_FAILED: 8, _STEP: 8, _WORDS: 2}
#: The fields of an object before the one that tells what it is.
_FIELDS = rb'(?:"\w+": ?(?:"[^"]*"|[^"{}\[\],]*), ?)*?'
_CLAUDE = re.compile(
    rb'\{%b"(?:type": ?"([\w-]+)"|message": ?\{%b"role": ?"(\w+)"|attachment": ?\{)'
    % (_FIELDS, _FIELDS)
)
_CODEX = re.compile(
    rb'\{%b"type": ?"(\w+)"(?:, ?"payload": ?\{%b"type": ?"(\w+)")?' % (_FIELDS, _FIELDS)
)
_AGENT = re.compile(rb'\{%b"type": ?"(?:assistant(?:\.message)?|gemini)"' % _FIELDS)
_ASSISTANT = re.compile(rb'"role": ?"assistant"')
_CLAUDE_TURNS = frozenset((b"user", b"queue-operation", b"ai-title", b"custom-title"))
_CODEX_KINDS = {
    **dict.fromkeys(b"function_call_output custom_tool_call_output".split(), _FAILED),
    **dict.fromkeys(b"function_call custom_tool_call local_shell_call web_search_call".split(), _STEP),
    **dict.fromkeys(
        b"message task_started task_complete user_message turn_aborted thread_rolled_back compacted"
        b" session_meta response_item event_msg".split(),
        _TURN,
    ),
}  # fmt: skip
#: The calls whose results are waited for, and how both are named.
_WAITED = (b"commit", b"diurna note", *[b'"%b"' % name.encode() for name in sorted(DIALOGS)])
_NAMES = re.compile(rb'"(?:tool_use_|call_)?id": ?"([^"\\]+)"')
#: How a result tells that a tool failed, and that the person refused it; and as the first thing that a
#: shell says, that it did not fail.
_FAILS, _REFUSED = re.compile(rb'"is_error": ?true'), b"the user said:"
_SUCCEEDS = re.compile(rb'"output": ?"[^"]{0,200}?(?:exited with code|Exit code:) 0\\n')


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


def newest_turns(host: str, path: str, limit: int = _TAIL_BYTES) -> tuple[Turn, ...]:
    """Read the end of a transcript, whole lines of at most so many bytes; none where there is none."""
    found = _slice(host, path, 0, limit)
    return found.turns if found else ()


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
            whose = Turns()
            read(read_object(file.readline(_FIRST_BYTES)) or {}, whose)
            turns.asking = whose.asking
            file.seek(tail)
            start = begin = tail + len(file.readline())
        chosen, end = _chosen(host, _lines(file, begin), begin)
        for at, size in chosen.items():
            line = os.pread(file.fileno(), size, at)
            found = read_object(line.decode("utf-8", "replace").encode()) or {}
            turns.begin(at, found, found.get("uuid") or found.get("id"))
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


def _start(file: int, start: int) -> int:
    """Return where to go on; 0 in a file that shrank, or that has no end of a line there any more."""
    if 0 < start <= os.fstat(file).st_size and os.pread(file, 1, start - 1) == b"\n":
        return start
    return 0


def _lines(file: BinaryIO, end: int) -> Iterator[tuple[bytes, int]]:
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
            found.append(said._replace(text=text, given=given, result=result))
    return tuple(found)


def _chosen(
    host: str, lines: Iterable[tuple[bytes, int]], begin: int
) -> tuple[Mapping[int, int], int]:
    """Return where those lines begin that are read, with their sizes, and where all end."""
    kind_of = {"claude": _claude, "codex": _codex}.get(host, _other)
    awaited, found, first, end = set[bytes](), dict[int, int](), _EARLY_BYTES, begin
    steps = deque[tuple[int, int, int]](maxlen=_NEWEST_BYTES // _PLACE_BYTES)
    reports, none = list[tuple[int, int, int]](), (0, 0, 0)
    longest = last = none
    for line, end in lines:
        kind, size = kind_of(line), len(line)
        if kind == _STEP and any(map(line.__contains__, _WAITED)):
            awaited.update(_NAMES.findall(line))
            kind = _READ
        elif awaited and kind in (_PRINTED, _FAILED):
            kind = kind if awaited.isdisjoint(_NAMES.findall(line)) else _READ
        if kind in _PARTS:
            step = end - size, size, kind
            if kind == _WORDS:
                longest, last = step if size >= longest[1] else longest, step
            if first > 0:
                first -= _PLACE_BYTES + size // _PARTS[kind]
                found[step[0]] = size
            else:
                steps.append(step)
        elif kind >= _READ:
            found[end - size] = size
            if kind == _TURN and last is not none:
                reports += [longest, last][last is longest :]
                longest = last = none
    reports += [longest, last][last is longest :] if last is not none else []
    for newest in (steps, reports):
        room = _NEWEST_BYTES
        for at, size, kind in reversed(newest):
            room -= _PLACE_BYTES + size // _PARTS[kind]
            if room < 0:
                break
            found[at] = size
    return dict(sorted(found.items())), end


def _claude(line: bytes) -> int:
    """Return what a line of Claude Code is."""
    found = _CLAUDE.match(line)
    kind = found and (found[1] or found[2])
    if kind == b"assistant":
        says = b'"text"' in line and b'"tool_use"' not in line
        return _READ if b"isApiErrorMessage" in line else _WORDS if says else _STEP
    if kind == b"user" and b'"tool_result"' in line and b'"text"' not in line:
        return _TURN if _REFUSED in line else _FAILED if _FAILS.search(line) else _PRINTED
    return _TURN if not found or kind in _CLAUDE_TURNS else _SILENT


def _codex(line: bytes) -> int:
    """Return what a line of Codex is."""
    found = _CODEX.match(line)
    kind = _CODEX_KINDS.get(found[2] or found[1], _SILENT) if found else _TURN
    if kind == _FAILED and _SUCCEEDS.search(line):
        return _PRINTED
    return _WORDS if found and found[2] == b"message" and _ASSISTANT.search(line) else kind


def _other(line: bytes) -> int:
    """Return what a line of another host is."""
    is_agents = _AGENT.match(line) and not any(map(line.__contains__, _WAITED))
    return _WORDS if is_agents else _TURN
