"""Cut a session log into the passages that recall finds.

A passage is one turn of a dialogue, or neighbouring paragraphs of one section up to 600 characters. The
sections that name and hold facts are left out: facts are found as facts.
"""

from __future__ import annotations

import re

from ledger.codec.outline_by_lines import code_ranges
from ledger.model.record import Record
from memory.recall.index.unspaced import bare_words, pairs_in
from projection.text.clipping import last_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: Neighbouring paragraphs are one passage up to so many characters, and a paragraph over twice as many
#: is cut.
PASSAGE_CHARS = 600
#: The sections of a captured log in which nobody speaks, whatever a paragraph begins with.
TOLD_HEADINGS = frozenset(("## Answered", "## Commits", "## Texts", "## Turns", "## Observed"))
#: A log is cut into no more passages than this; beyond, they are made larger.
PASSAGES_LIMIT = 8000

_HEADER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*$\n?", re.M | re.S)
# patterns begin with what is rare, and look back from there: that is ten times as fast as a search that
# has to try every place
_FACTS = re.compile(r"## (?<=^## )(?:Memory References|Facts)[ \t]*$", re.M)
_BREAK = re.compile(r"\n(?:[ \t]*\n)+|\n(?=#{1,6} )")
_SPEAKER = re.compile(
    r"(?:[-*] )?(?:\*\*|__)?[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}(?:\*\*|__)?:(?:\*\*|__)?\s"
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
_ITEM = re.compile(r"\n(?=[ \t]*(?:(?:[-*+]|[0-9]{1,3}[.)]) |\|))")
_CAMEL_CUT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: What one line ends with that announces the next ones.
_COLONS = (":", "\uff1a", ":**", "\uff1a**")


class Passage(Record):
    """One piece of a log."""

    line: int  #: of the log that it begins on, from 1
    text: str  #: of it, as it stands there
    skip: int = 0  #: how many characters of its line stand before it


#: Where something begins and ends.
_Stretch = tuple[int, int]


def passages_of(text: str, *, is_log: bool = True) -> list[Passage]:
    """Cut the whole of a log, its header too, or another document, into passages.

    `is_log`: sections of facts are left out, and turns of a talk are told apart.
    """
    found = list(_placed(text, _passages(text, PASSAGE_CHARS, is_log)))
    return _joined(found) if len(found) > PASSAGES_LIMIT else found


def camel_words(text: str) -> str:
    """Return the words that `camelCase` names in a text are made of, with blanks between them."""
    shape = text.encode("ascii", "replace").translate(_SHAPES)
    if b"aA" not in shape and b"AAa" not in shape:
        return ""
    return " ".join([_CAMEL_CUT.sub(" ", word) for word in _CAMEL_WORD.findall(text)])


def split_words(text: str) -> str:
    """Return the words that are inside of others: of `camelCase`, and as other writings join them."""
    if text.isascii():
        return camel_words(text)
    return " ".join([camel_words(text), pairs_in(text), *bare_words(text)])


def _passages(text: str, room: int, is_log: bool) -> Iterator[_Stretch]:
    header = _HEADER.match(text)
    start = header.end() if header else 0
    for begin, end in _fact_sections(text, start) if is_log else ():
        yield from _section(text, start, begin, room, is_log)
        start = end
    yield from _section(text, start, len(text), room, is_log)


def _placed(text: str, stretches: Iterable[_Stretch]) -> Iterator[Passage]:
    """Yield the passages that stretches of a text are, in its order."""
    line = 1
    place = 0
    for start, end in stretches:
        line += text.count("\n", place, start)
        place = start
        yield Passage(line, text[start:end], start - (text.rfind("\n", 0, start) + 1))


def _fact_sections(text: str, start: int) -> Iterator[_Stretch]:
    """Yield where the sections that name and hold facts begin and end; a heading in code is none."""
    if "```" in text or "~~~" in text:
        lines = text.split("\n")
        for first, behind in code_ranges(lines):
            lines[first:behind] = [" " * len(line) for line in lines[first:behind]]
        text = "\n".join(lines)
    while facts := _FACTS.search(text, start):
        start = text.find("\n## ", facts.end()) + 1 or len(text)
        yield facts.start(), start


def _section(text: str, begin: int, end: int, room: int, is_log: bool) -> Iterator[_Stretch]:
    """Cut a part of a text that holds no section of facts."""
    told = False
    run: list[_Stretch] = []  # paragraphs of one turn, or of one section that nobody speaks
    for first, behind in _split(text, begin, end, _BREAK):
        heading = text[first] == "#"
        if heading and text[first : first + 3] == "## ":
            told = text[first:behind].partition("\n")[0].rstrip() in TOLD_HEADINGS
        speaks = is_log and not (heading or told) and text.find(":", first, behind) >= 0
        turns = [*_split(text, first, behind, _TURNS)] if speaks else []
        if len(turns) > 1 or (speaks and _SPEAKER.match(text, first, behind)):
            for turn in turns:
                yield from _packed(text, run, room)
                run = [turn]
        else:
            run.append((first, behind))
    yield from _packed(text, run, room)


def _split(text: str, begin: int, end: int, at: re.Pattern[str]) -> Iterator[_Stretch]:
    """Yield what stands between the places where a pattern is found, but what is blank."""
    place = begin
    for found in [*at.finditer(text, begin, end), None]:
        bare = _stripped(text, place, end if found is None else found.start())
        if bare is not None:
            yield bare
        place = end if found is None else found.end()


def _stripped(text: str, first: int, behind: int) -> _Stretch | None:
    """Return where what is not blank of a stretch begins and ends, None where all is."""
    bare = text[first:behind].lstrip()
    first = behind - len(bare)
    return (first, first + len(bare.rstrip())) if bare else None


def _packed(text: str, blocks: Sequence[_Stretch], room: int) -> Iterator[_Stretch]:
    """Put neighbouring paragraphs together; what announces others stays with what it announces."""
    parts = [part for one in blocks for part in _parts(text, *one, room)]
    open_: list[_Stretch] = []
    for first, behind in parts:
        ends = bool(open_) and text[first] == "#" and not _is_heading(text, *open_[-1])
        if ends or (open_ and behind - open_[0][0] > room):
            kept = len(open_)
            while not ends and kept and _announces(text, *open_[kept - 1]):
                kept -= 1
            if not kept and first - open_[0][0] > room // 2:
                kept = len(open_)  # nothing but what announces, and much of it
            if kept:
                yield open_[0][0], open_[kept - 1][1]
                open_ = open_[kept:]
        open_.append((first, behind))
    if open_:
        yield open_[0][0], open_[-1][1]


def _announces(text: str, first: int, behind: int) -> bool:
    """Tell whether a paragraph is a heading, or one line that ends with a colon or is all bold."""
    said = text[first:behind]
    announces = said[0] == "#" or said.endswith(_COLONS) or (said[:2] == "**" == said[-2:])
    return announces and "\n" not in said


def _is_heading(text: str, first: int, behind: int) -> bool:
    return text[first] == "#" and text.find("\n", first, behind) < 0


def _parts(text: str, first: int, behind: int, room: int) -> Iterator[_Stretch]:
    """Cut a paragraph that is too long where items and rows begin, the longest behind sentences."""
    if behind - first <= room:
        yield first, behind
        return
    for start, stop in _split(text, first, behind, _ITEM):
        yield from _pieces(text, start, stop, room) if stop - start > 2 * room else [(start, stop)]


def _pieces(text: str, first: int, behind: int, room: int) -> Iterator[_Stretch]:
    """Cut a stretch into pieces of about one length: best before an item, then between sentences."""
    place, size = first, room
    while place < behind:
        end = _cut(text, place, place + size, behind)
        bare = _stripped(text, place, end)
        if bare is not None:
            yield bare
        place = end


def _cut(text: str, place: int, end: int, behind: int) -> int:
    """Return where a stretch that ends about there is cut."""
    if end >= behind:
        return behind
    size = end - place
    items = [found.end() for found in _ITEM.finditer(text, place + size // 4, end)]
    if cut := items[-1] if items else last_start(text, place + size // 2, end):
        return cut
    blank = text.rfind(" ", place + size // 2, end)
    return blank + 1 if blank > 0 else end


def _joined(found: list[Passage]) -> list[Passage]:
    """Put neighbours together until there are few enough."""
    step = -(-len(found) // PASSAGES_LIMIT)
    return [
        found[start]._replace(text="\n\n".join([one.text for one in found[start : start + step]]))
        for start in range(0, len(found), step)
    ]
