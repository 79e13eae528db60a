"""Cut a session log into the passages that recall finds.

A passage is one turn of a dialogue, or neighbouring paragraphs of one section up to 600 characters. The
sections that name and hold facts are left out: facts are found as facts.
"""

from __future__ import annotations

import re

from ledger.model.record import TYPE_CHECKING, Record
from memory.recall.question import bare_words, pairs_in
from projection.text.clipping import last_start

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Neighbouring paragraphs are one passage up to so many characters, and a paragraph over twice as many
#: is cut.
PASSAGE_CHARS = 600
#: The sections of a captured log in which nobody speaks, whatever a paragraph begins with.
TOLD_HEADINGS = frozenset(("## Answered", "## Commits", "## Texts", "## Turns", "## Observed"))
_OF_FACTS = frozenset(("## Memory References", "## Facts"))
#: A log is cut into no more passages than this; beyond, they are made larger.
PASSAGES_LIMIT = 8000

_HEADER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*$\n?", re.M | re.S)
# patterns begin with what is rare: that is ten times as fast as a search that has to try every place
_BREAK = re.compile(r"\n(?:[ \t]*\n)+|\n(?=#{1,6} )")
_NAME = r"(?:\*\*|__)?[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}(?:\*\*|__)?:(?:\*\*|__)?"
_SPEAKER, _TURNS = re.compile(rf"(?:[-*] )?{_NAME}\s"), re.compile(rf"\n(?={_NAME} )")
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
    cut = [*_stretches(text, len(header_of(text)), is_log)]
    step = -(-len(cut) // PASSAGES_LIMIT) or 1
    found, line, place = [], 1, 0
    for (start, _), (_, end) in zip(cut[::step], [*cut[step - 1 :: step], *cut[-1:]], strict=False):
        line += text.count("\n", place, start)
        place = start
        found.append(Passage(line, text[start:end], start - (text.rfind("\n", 0, start) + 1)))
    return found


def header_of(text: str) -> str:
    """Return the lines before the text of a log, "" where it has none."""
    found = _HEADER.match(text)
    return found.group() if found else ""


def split_words(text: str) -> str:
    """Return the words that are inside of others: of `camelCase`, and as other writings join them."""
    shape = text.encode("ascii", "replace").translate(_SHAPES)
    camel = _CAMEL_WORD.findall(text) if b"aA" in shape or b"AAa" in shape else ()
    words = [_CAMEL_CUT.sub(" ", word) for word in camel]
    return " ".join(words if text.isascii() else [*words, pairs_in(text), *bare_words(text)])


def _stretches(text: str, begin: int, is_log: bool) -> Iterator[_Stretch]:
    """Yield where passages begin and end."""
    plain = _without_code(text)
    told = of_facts = False
    run: list[_Stretch] = []  # paragraphs of one turn, or of one section that nobody speaks
    for first, behind in _split(text, begin, len(text), _BREAK):
        heading = text[first] == "#"
        if plain[first : first + 3] == "## ":
            title = text[first:behind].partition("\n")[0].rstrip(" \t")
            told, of_facts = title in TOLD_HEADINGS, is_log and title in _OF_FACTS
        if of_facts:
            yield from _packed(text, run)
            run = []
            continue
        speaks = is_log and not (heading or told) and text.find(":", first, behind) >= 0
        for part in _split(text, first, behind, _TURNS) if speaks else ((first, behind),):
            if speaks and _SPEAKER.match(text, *part):
                yield from _packed(text, run)
                run = []
            run.append(part)
    yield from _packed(text, run)


def _without_code(text: str) -> str:
    """Return a text with blanks in place of fenced code."""
    if "```" not in text and "~~~" not in text:
        return text
    from ledger.codec.outline_by_lines import code_ranges

    lines = text.split("\n")
    for first, behind in code_ranges(lines):
        lines[first:behind] = [" " * len(line) for line in lines[first:behind]]
    return "\n".join(lines)


def _split(text: str, begin: int, end: int, at: re.Pattern[str]) -> Iterator[_Stretch]:
    """Yield what stands between the places where a pattern is found, but what is blank."""
    for found in at.finditer(text, begin, end):
        yield from _bare(text, begin, found.start())
        begin = found.end()
    yield from _bare(text, begin, end)


def _bare(text: str, first: int, behind: int) -> Iterator[_Stretch]:
    """Yield where what is not blank of a stretch begins and ends."""
    bare = text[first:behind].lstrip()
    if bare:
        yield behind - len(bare), behind - len(bare) + len(bare.rstrip())


def _packed(text: str, blocks: Sequence[_Stretch]) -> Iterator[_Stretch]:
    """Put neighbouring paragraphs together; what announces others stays with what it announces."""
    open_: list[_Stretch] = []
    for first, behind in [part for one in blocks for part in _parts(text, *one)]:
        heads = bool(open_) and text[open_[-1][0]] == "#" and _announces(text, *open_[-1])
        ends = text[first] == "#" and not heads
        if open_ and (ends or behind - open_[0][0] > PASSAGE_CHARS):
            kept = len(open_)
            while not ends and kept and _announces(text, *open_[kept - 1]):
                kept -= 1
            if not kept and first - open_[0][0] > PASSAGE_CHARS // 2:
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


def _parts(text: str, first: int, behind: int) -> Iterator[_Stretch]:
    """Cut a paragraph that is too long where items and rows begin, the longest between sentences."""
    if behind - first <= PASSAGE_CHARS:
        yield first, behind
        return
    for start, stop in _split(text, first, behind, _ITEM):
        room = PASSAGE_CHARS if stop - start > 2 * PASSAGE_CHARS else stop - start
        while start < stop:
            half, end = start + room // 2, start + room
            if end < stop:
                end = last_start(text, half, end) or text.rfind(" ", half, end) + 1 or end
            yield from _bare(text, start, min(end, stop))
            start = end
