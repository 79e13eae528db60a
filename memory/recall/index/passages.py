"""Cut a session log into the passages that recall finds.

A passage is one turn of a dialogue, or neighbouring paragraphs of one section up to 600 characters. The
sections that name and hold facts are left out: facts are found as facts.
"""

from __future__ import annotations

import re

from ledger.codec.fenced_code import code_ranges
from ledger.model.record import Record
from memory.recall.index.turn_marks import ASKERS, ASKING, NUMBERED, REPLIERS, TIMED
from memory.recall.index.unspaced import pairs_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Neighbouring paragraphs are one passage up to so many characters, and a paragraph over twice as many
#: is cut.
PASSAGE_CHARS = 600
#: How many characters of a reply count in full: who answers at length says the point first.
REPLY_CHARS = 300
#: A log is cut into no more passages than this; beyond, they are made larger.
PASSAGES_LIMIT = 8000

_HEADER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*$\n?", re.M | re.S)
# patterns begin with what is rare, and look back from there: that is ten times as fast as a search that
# has to try every place
_FACTS = re.compile(r"## (?<=^## )(?:Memory References|Facts)[ \t]*$", re.M)
_BREAK = re.compile(r"\n(?:[ \t]*\n)+|\n(?=#{1,6} )")
_SPEAKER = re.compile(
    r"(?:[-*] )?(?:\*\*|__)?([^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2})(?:\*\*|__)?:(?:\*\*|__)?\s"
)
_TURNS = re.compile(
    r"\n(?=(?:\*\*|__)?[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}(?:\*\*|__)?:(?:\*\*|__)? )"
)
#: What `camelCase` is told by: small letters and digits become "a", capitals "A", all else a blank.
_SHAPES = bytes(
    97 if 48 <= code <= 57 or 97 <= code <= 122 else 65 if 65 <= code <= 90 else 32
    for code in range(256)
)
_CAMEL_WORD = re.compile(r"\b[A-Za-z][A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[A-Za-z0-9]*\b")
_ITEM = re.compile(r"\n(?=[ \t]*(?:[-*+]|[0-9]{1,3}[.)]) )")
_CAMEL_CUT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CUT = re.compile(r"\s(?:(?<=[.!?;]\s)\s*|(?<=\n))")


class Passage(Record):
    """One piece of a log.

    Args:
        line: of the log that it begins on, from 1.
        text: of it, as it stands there.
        who: the first word of who speaks, in lower case; "" in a text that is no dialogue.
        late: it is what a reply says beyond its beginning.
        marks: of a turn, what it gives away of itself (`marks_of`).
    """

    line: int
    text: str
    who: str
    late: bool
    marks: int = 0


def passages_of(text: str, *, is_log: bool = True) -> list[Passage]:
    """Cut a log, or another document, into passages.

    Args:
        text: the whole of it, its header too.
        is_log: sections of facts are left out, and who speaks is told.
    """
    found = list(_passages(text, PASSAGE_CHARS, is_log))
    if any(one.late for one in found) and ASKERS.isdisjoint([one.who for one in found]):
        # `Model: …` is a label where nobody asks
        found = [one._replace(late=False) if one.late else one for one in found]
    if len(found) > PASSAGES_LIMIT:
        found = _joined(found)
    return found


_TIMES = frozenset(
    "yesterday today tonight tomorrow last next ago week weekend weeks month months day days year years "
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july "
    "august september october november december".split()
)
_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten few couple several once twice".split()
)
_DIGIT = re.compile(r"[0-9]")
_STOPS = {ord(mark): " " for mark in ".,;:!?()"}


def marks_of(text: str) -> int:
    """Return what a turn gives away of itself: `ASKING`, `TIMED` and `NUMBERED`, as bits."""
    words = text.lower().translate(_STOPS).split()
    marks = ASKING if text.endswith("?") else 0
    if not _TIMES.isdisjoint(words):
        marks |= TIMED
    if not _NUMBERS.isdisjoint(words) or _DIGIT.search(text):
        marks |= NUMBERED
    return marks


def camel_words(text: str) -> str:
    """Return the words that `camelCase` names in a text are made of, with blanks between them."""
    shape = text.encode("ascii", "replace").translate(_SHAPES)
    if b"aA" not in shape and b"AAa" not in shape:
        return ""
    return " ".join([_CAMEL_CUT.sub(" ", word) for word in _CAMEL_WORD.findall(text)])


def split_words(text: str) -> str:
    """Return the words that are inside of others: of `camelCase`, and of writing without blanks."""
    pairs = pairs_in(text)
    return f"{camel_words(text)} {pairs}" if pairs else camel_words(text)


def _passages(text: str, room: int, is_log: bool) -> Iterator[Passage]:
    header = _HEADER.match(text)
    start = header.end() if header else 0
    line = 1 + text.count("\n", 0, start)
    for begin, end in _fact_sections(text, start) if is_log else ():
        yield from _section(text[start:begin], line, room, is_log)
        line += text.count("\n", start, end)
        start = end
    if start < len(text):
        yield from _section(text[start:], line, room, is_log)


def _fact_sections(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield where the sections that name and hold facts begin and end; a heading in code is none."""
    if "```" in text or "~~~" in text:
        lines = text.split("\n")
        for first, behind in code_ranges(lines):
            lines[first:behind] = [" " * len(line) for line in lines[first:behind]]
        text = "\n".join(lines)
    while facts := _FACTS.search(text, start):
        start = text.find("\n## ", facts.end()) + 1 or len(text)
        yield facts.start(), start


def _section(text: str, line: int, room: int, is_log: bool) -> Iterator[Passage]:
    """Cut a text that holds no section of facts."""
    who = ""
    pending: list[str] = []
    pending_chars = pending_line = 0
    prose = False  # what is pending is more than headings
    place = 0
    for found in [*_BREAK.finditer(text), None]:
        end = len(text) if found is None else found.start()
        block = text[place:end]
        here = line
        line += text.count("\n", place, len(text) if found is None else found.end())
        place = 0 if found is None else found.end()
        bare = block.strip()
        if not bare:
            continue
        if bare is not block and block[0].isspace():
            lead = block.find(bare)
            here += block.count("\n", 0, lead)
            block = block[block.rfind("\n", 0, lead) + 1 :]
        heading = bare[0] == "#"
        turns = _TURNS.split(block) if is_log and ": " in block and "\n" in block else None
        speaker = _SPEAKER.match(block) if is_log and not heading and ":" in block else None
        if heading:
            who = ""
        if pending and (
            speaker
            or (turns is not None and len(turns) > 1)
            or (heading and prose)
            or pending_chars + len(bare) > room
        ):
            yield Passage(pending_line, "\n\n".join(pending), who, False)
            pending = []
        if speaker or (turns is not None and len(turns) > 1):
            for turn in turns or [block]:
                said = _SPEAKER.match(turn)
                if said:
                    who = said[1].lower().rstrip(".'’-")
                yield from _turn(turn, here, room, who)
                here += turn.count("\n") + 1
        elif who or len(bare) > 2 * room:
            if pending:
                yield Passage(pending_line, "\n\n".join(pending), who, False)
                pending = []
            yield from _turn(block, here, room, who, who in REPLIERS)
        else:
            if not pending:
                pending_line, pending_chars, prose = here, 0, False
            prose = prose or not heading or "\n" in bare
            pending.append(bare)
            pending_chars += len(bare)
    if pending:
        yield Passage(pending_line, "\n\n".join(pending), who, False)


def _turn(block: str, line: int, room: int, who: str, late: bool = False) -> Iterator[Passage]:
    """Yield a turn, or a long paragraph, in pieces; of a reply only the first one counts in full."""
    bare = block.rstrip()
    reply = who in REPLIERS
    first = REPLY_CHARS if reply else 2 * room
    if len(bare) <= first or (late and len(bare) <= 2 * room):
        said = bare.lstrip("\n")
        yield Passage(line, said, who, late, marks_of(said) if who else 0)
        return
    place, size = 0, (REPLY_CHARS if reply and not late else room)
    while place < len(bare):
        end = place + size
        if end < len(bare):
            # best where an item of a list begins, then behind a sentence, then behind a word
            cut = _last(_ITEM, bare, place + size // 4, end)
            cut = cut or _last(_CUT, bare, place + size // 2, end)
            if cut:
                end = cut
            else:
                blank = bare.rfind(" ", place + size // 2, end)
                end = blank + 1 if blank > 0 else end
        piece = bare[place:end]
        said = piece.strip()
        if said:
            before = piece.count("\n", 0, piece.index(said[0]))
            yield Passage(line + before, said, who, late, marks_of(said) if who else 0)
        line += piece.count("\n")
        place, size = end, room
        late = reply


def _last(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Return where the last match of a stretch ends, 0 for none."""
    ends = [found.end() for found in pattern.finditer(text, start, end)]
    return ends[-1] if ends else 0


def _joined(found: list[Passage]) -> list[Passage]:
    """Put neighbours together until there are few enough."""
    step = -(-len(found) // PASSAGES_LIMIT)
    return [
        found[start]._replace(text="\n\n".join([one.text for one in found[start : start + step]]))
        for start in range(0, len(found), step)
    ]
