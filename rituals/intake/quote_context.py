"""Find quoted words in a document, with all that stands above them and may turn their sense.

That has a form: the headings, a line all in bold or a tag around them, what leads in to the list, table or
block that they stand in, and the items and lines above them in it. "Store keys" below "Don't" is said with
it. Words that are a part of a sentence are no quote: the other part may turn it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from ledger.codec.outline import NESTING_COLUMNS
from ledger.model.record import Record
from rituals.intake.markdown_sections import (
    Block,
    blocks_of,
    code_lines,
    front_matter,
    led,
    without_comments,
)

#: Behind each heading or lead-in that is kept before what stands below it.
BELOW = " \u203a "
#: What stands before the words of a line: marks of quotes, items, boxes and headings.
_MARKS = re.compile(
    r"[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+)?"
)
_TICKED = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[xX]\][ \t]")
_TAG = re.compile(r"[ \t]*<(/?)([A-Za-z][\w:-]*)(?:\s[^<>]*)?>[ \t]*$")
#: A line all in bold is a heading, but for a sentence and what leads in to the next lines alone.
_BOLD = re.compile(r"(\*\*|__)(?=\S)(?:(?!\1).)+(?<![:\uff1a.\u3002])\1$")
_CLOSED = "___"  #: stands for a tag that closes
_COLON = ":\uff1a"
_COLONS = tuple([colon + marks for colon in _COLON for marks in ("", "**", "__", "*", "_")])
#: A sentence ends with these; where words have blanks between them, one stands behind it.
_ENDS, _WIDE_ENDS = ".!?\u2026\u061f\u0964", "\u3002\uff01\uff1f"
_CLOSING = "\"'\u201d\u2019\xbb)]}\u300d\u300f"
_SHOWN = 120  #: characters of a sentence in a message
_BLOCKS = ("html_block", "fence", "code_block")


class Quoted(Record):
    """Words that stand in a document."""

    text: str  #: as they stand, those of one paragraph on one line
    above: tuple[str, ...]  #: the headings, lead-ins and lines above them, outermost first


class Document:
    """The text of a document, in which words are looked up."""

    def __init__(self, text: str) -> None:
        head = front_matter(text)[2] - 1
        text = "\n" * head + text.split("\n", head)[-1]
        code = code_lines(blocks_of(text.split("\n")))
        self._lines = without_comments(text, code)
        self._tags = list(self._tags_in(code))
        self._blocks = blocks_of(self._lines)

    def quoted(self, quote: str, line: int) -> Quoted | str:
        """Return what stands above the words that begin on a line (from 1 on), or why they do not."""
        words, at = _words(quote.split("\n")), line - 1
        if not words:
            return "it quotes no words"
        if not self._begins(words, at):
            there = [n + 1 for n in range(len(self._lines)) if self._begins(words, n)]
            return f"the words are not on that line{f', but on line {there[0]}' if there else ''}"
        if _TICKED.match(self._lines[at]):
            return "it is ticked there"
        if len(self._lines[at]) - len(self._lines[at].lstrip()) >= NESTING_COLUMNS:
            return "it is nested too deep to tell what stands above it"
        found: dict[int, str] = {}
        block = self._block(at, found)
        found.update({begin: tag for begin, end, tag in self._tags if begin < at < end})
        before = _words(self._lines[block.start : at])
        here, place = self._place(words, at, before)
        end, last = place + len(words), at
        while len(self._text(before, at, last + 1)) < end:
            last += 1
        block_end = self._block(last, {}).end
        if block.type == "heading" and block_end == block.end:
            return "it is a heading: quote what stands below it"
        whole = self._text(before, at, block_end)
        if not _starts(here, place, code=quote.lstrip()[:1] == "`"):
            if place > len(before) + 1:
                return f"it begins within a sentence: {_sentence(whole, place)}"
            found[block.start] = _joined(self._lines[block.start : at])
        if not _stops(words, whole[end:]):
            return f"it ends within a sentence: {_sentence(whole, place)}"
        above = [_bare(found[number]) for number in sorted(found)]
        lines = [line.strip() for line in quote.strip().split("\n")]
        text = _joined(lines) if block_end == block.end else "\n".join(lines)
        return Quoted(text, tuple([one for one in above if one]))

    def _begins(self, words: str, at: int) -> bool:
        """Tell whether words begin on a line, and go on below it."""
        line = _words(self._lines[at : at + 1]) if at >= 0 else ""
        return bool(line) and 0 <= self._place(words, at, "")[1] < len(line)

    def _place(self, words: str, at: int, before: str) -> tuple[str, int]:
        """Return the text from `before` a line on, and where words stand in it, -1 for nowhere."""
        here = self._text(before, at, at + 2 + 2 * len(words.split(" ")) + len(words) // 20)
        return here, here.find(words, len(before) + 1 if before else 0)

    def _text(self, before: str, start: int, end: int) -> str:
        return f"{before} {_words(self._lines[start:end])}".strip()

    def _block(self, at: int, found: dict[int, str]) -> Block:
        """Return the innermost block of a line, of code and HTML only that line."""
        block = self._find(self._blocks, at, found)
        return block._replace(start=at, end=at + 1) if block.type in _BLOCKS else block

    def _find(
        self, blocks: Sequence[Block], at: int, found: dict[int, str], *, in_item: bool = False
    ) -> Block:
        """Return the innermost block of a line; `found` gets what stands above it, by lines."""
        place = next((n for n, one in enumerate(blocks) if one.start <= at < one.end), -1)
        if place < 0:
            return Block("blank", 0, at, at + 1, "", [])
        heads: list[Block] = []
        for before, one in pairwise([Block("", 0, 0, 0, "", []), *blocks[: place + 1]]):
            if one.type == "heading":
                heads = [head for head in heads if 0 < head.level < one.level]
            elif one.type == "paragraph" and _BOLD.match(one.text):
                heads = [head for head in heads if head.level or head is before]
            elif one.type == "hr" and one.text[0] != _CLOSED[0]:
                heads = [head for head in heads if head.level]
            bold = one.type == "paragraph" and _BOLD.match(one.text) and not self._behind(one, at)
            if bold or one.type == "heading":
                heads.append(one)
        one = blocks[place]
        heads = [head for head in heads if head is not one]
        found.update({head.start: head.text for head in heads})
        if in_item and place and blocks[0].type == "paragraph":
            found[blocks[0].start] = blocks[0].text
        found.update({lead.start: lead.text for lead in _lead_in(blocks[:place], one)})
        if one.type in _BLOCKS:
            first = one.start + (one.type == "fence")
            if above := " ".join(self._lines[first:at]).strip():
                found[first] = above
            return one
        if one.type == "table":
            head = one.inner[0]
            if at >= head.end:
                found[head.start] = " | ".join([row.text for row in head.inner])
            return Block("row", 0, at, at + 1, self._lines[at], [])
        if one.type in ("paragraph", "heading"):
            return one
        return self._find(one.inner, at, found, in_item=one.type == "list_item")

    def _behind(self, block: Block, at: int) -> bool:
        """Tell whether a block stands in a tag that is closed before a line."""
        return any(begin < block.start < end < at for begin, end, _ in self._tags)

    def _tags_in(self, code: Container[int]) -> Iterator[tuple[int, int, str]]:
        """Take out each tag that stands alone on a line; yield where it opens and closes, and its line."""
        open_: list[tuple[int, str, str]] = []
        for number, line in enumerate(self._lines):
            tag = _TAG.match(line) if number not in code else None
            if tag is None:
                continue
            # one that closes is a line between what stands in it and what comes behind
            self._lines[number] = line[: len(line) - len(line.lstrip())] + _CLOSED * bool(tag[1])
            if not tag[1]:
                open_.append((number, tag[2], line))
            elif tag[2] in [name for _, name, _ in open_]:
                while (last := open_.pop())[1] != tag[2]:
                    pass
                yield last[0], number, last[2]


def with_above(text: str, quoted: Quoted) -> str:
    """Return a text, "" for the quoted words, behind what stands above these.

    What a text begins with already is not said twice.
    """
    own, above = _plain(text), quoted.above
    cut = len(above)
    if text:
        parts = [_plain(" ".join(above[n:])) for n in range(cut)]
        cut = next((n for n in range(cut) if f"{own} ".startswith(f"{parts[n]} ")), cut)
    path, text = BELOW.join(above[:cut]), text or quoted.text
    return led(path, text, BELOW) if path else text


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`:\uff1a\u203a>#|]+", " ", text).casefold().split())


def _lead_in(before: Sequence[Block], block: Block) -> Sequence[Block]:
    """Return the blocks that lead in to another one beside them."""
    if block.type == "list_item":
        return [one for one in before if one.text.endswith(_COLONS) and len(one.inner) == 1][-1:]
    found: list[Block] = []
    for one in reversed(before if block.type != "heading" else ()):
        if one.type == "paragraph":
            if one.text.endswith(_COLONS):
                return [one, *found]
            if block.type != "paragraph":
                found = found or [one]
        elif found or one.type in ("heading", "hr") or block.type in ("paragraph", "table"):
            break
        elif one.type == "html_block" and one.text.strip():
            return [one]
    return found


def _words(lines: Sequence[str]) -> str:
    """Return the words of lines, with a blank between them and without the marks of markdown."""
    bare = _joined(lines).replace("|", " ")
    return " ".join(re.sub(r"[*`\\]+|(?<!\w)_+|_+(?!\w)", "", bare).split())


def _joined(lines: Sequence[str]) -> str:
    """Return lines on one, without the marks that they begin with."""
    return " ".join([_MARKS.sub("", line, count=1) for line in lines])


def _starts(text: str, place: int, *, code: bool = False) -> bool:
    """Tell whether a sentence starts at a place, where `code` may stand in lower case."""
    before = text[:place].rstrip().rstrip(_CLOSING)
    if not before or before[-1] in _WIDE_ENDS:
        return True
    return before[-1] in _ENDS and text[place - 1] == " " and (code or not text[place].islower())


def _stops(words: str, rest: str) -> bool:
    """Tell whether a sentence stops with words, of which `rest` stands behind them."""
    bare = words.rstrip(_CLOSING)
    if not rest.strip() or bare[-1:] in _WIDE_ENDS:
        return True
    if bare[-1:] in _ENDS:
        return rest[0] == " "
    return rest.lstrip(_CLOSING)[:1] in (*_ENDS, *_WIDE_ENDS)


def _sentence(text: str, place: int) -> str:
    """Show the sentence that stands at a place."""
    start = max([0, *[at for at in range(1, place) if _starts(text, at)]])
    said = text[start:].strip()
    return f'"{said[:_SHOWN]}…"' if len(said) > _SHOWN else f'"{said}"'


def _bare(text: str) -> str:
    """Write a heading or a lead-in without its marks."""
    text = " ".join(text.split()).strip("#|<> ")
    while len(text) > 4 and text[:2] in ("**", "__") and (end := text.find(text[:2], 2)) > 0:
        if text[end + 2 :].strip(_COLON):
            break
        text = text[2:end] + text[end + 2 :]
    return text.rstrip(f"{_COLON} ")
