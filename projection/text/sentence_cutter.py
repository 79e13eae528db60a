"""Cut a session log into sentences, each with its line and the heading it stands under.

Any text is read, in one pass without regular expressions: code, comments, tables, front matter and the
lines that only say who wrote when are left out. The references and the facts are read as the format has
them (FORMAT.md, S5 to S9); nothing is decided by them here, so an odd heading may be guessed at.
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.codec.event_bullets import read_references
from ledger.codec.fact_blocks import Block, read_facts
from ledger.codec.log import section_kind
from ledger.codec.outline_by_lines import code_ranges, title_of
from ledger.model.event import Event
from ledger.model.record import Record
from ledger.model.session import FACTS_HEADING
from projection.text.clipping import SHORTENED, negates
from projection.text.passage_cues import ACTIONS, BOILERPLATE, HEADINGS, ONLY_FIRST, PLAIN

#: A label has at most so many words and characters.
_LABEL_WORDS, _LABEL_CHARS = 6, 90
#: What a label announces stands among its first words: a longer one is half a sentence.
_LABEL_HEAD_WORDS = 3
_FEW_WORDS = 2
#: From so many letters on a sentence without blanks says something; where scripts without them begin.
_FEW_LETTERS, _NO_BLANKS = 8, "\u2e80"
#: What ends a sentence.
_STOPS = frozenset((".", "!", "?", "。", "！", "？"))  # noqa: RUF001 - those of Chinese and Japanese


class Sentence(Record):
    """One sentence of a log."""

    line: int  #: on which it begins, 1-based
    text: str  #: as it stands, on one line and without the marks of bold type
    about: str = PLAIN  #: what it stands under, one of `cues`
    item: bool = False  #: whether it begins an item of a list
    first: bool = False  #: whether it begins an item or a paragraph
    mark: str = ""  #: the checkbox of its item: `""` none, `" "` open, `"x"` closed
    part: int = 0  #: the number of the paragraph or item it is of


class Reading(Record):
    """What a log says: its title and the line of it, sentences, facts, and what it did to facts."""

    title: str
    title_line: int
    sentences: tuple[Sentence, ...]
    facts: tuple[Block, ...]
    events: tuple[tuple[int, Event], ...]


def read_sentences(lines: Sequence[str]) -> Reading:
    """Read a log, given as its lines."""
    return _Reader(list(lines)).read()


class _Reader:
    """Goes through the lines once."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._title, self._title_line = "", 0
        self._sentences: list[Sentence] = []
        self._facts: list[Block] = []
        self._events: list[tuple[int, Event]] = []
        self._part: list[tuple[int, str]] = []  # the paragraph or item that is open
        self._parts = 0
        self._item, self._mark = False, ""
        self._sections: dict[int, str] = {}  # depth of a heading -> what it announces
        self._section = self._label = PLAIN
        self._indent = self._label_indent = 0
        self._code = dict(code_ranges(lines))
        self._endless = False  # whether no comment ends below

    def read(self) -> Reading:
        lines, index = self._lines, self._front_matter()
        while index < len(lines):
            text = lines[index].strip()
            index = self._line(index, text) if text else self._blank(index)
        self._close()
        return Reading(
            self._title, self._title_line,
            tuple(self._sentences), tuple(self._facts), tuple(self._events),
        )  # fmt: skip

    def _front_matter(self) -> int:
        if self._lines and self._lines[0].rstrip() == "---":
            for index in range(1, len(self._lines)):
                if self._lines[index].rstrip() == "---":
                    return index + 1
        return 0

    def _blank(self, index: int) -> int:
        self._close()
        return index + 1

    def _line(self, index: int, text: str) -> int:
        """Read one line; return the index of the next."""
        lines, char = self._lines, text[0]
        if char == "#":
            depth = len(text) - len(text.lstrip("#"))
            if depth <= 6 and text[depth : depth + 1] in ("", " ", "\t"):
                return self._heading(index, text, depth)
        elif index in self._code:
            self._close()
            return self._code[index]
        elif char == "<" and text[:4] == "<!--":
            if "-->" in text:
                return self._blank(index)
            end = self._behind_comment(index)
            if end:
                return end
        elif char == "|":
            self._close()
            return index + 1
        if char == ">":
            text = text.lstrip("> \t")
        if text.strip("-=*_ ") == "":
            return self._blank(index)
        if self._item and lines[index][0] not in " \t" and _announces(text):
            self._close()
        marker = _marker(text)
        if marker and not (self._part and text[0] == "+"):  # a line may begin with a plus
            self._close()
            self._item, self._indent = True, len(lines[index]) - len(lines[index].lstrip())
            text = text[marker:].lstrip()
            if text[:1] == "[" and text[2:4] in ("] ", "]") and text[1] in " xX":
                self._mark = " " if text[1] == " " else "x"
                text = text[3:].lstrip()
        if text:
            self._part.append((index + 1, text))
        return index + 1

    def _behind_comment(self, index: int) -> int:
        """Close what is open, and return the index behind the comment; 0 when it never ends."""
        if self._endless:
            return 0
        for end in range(index + 1, len(self._lines)):
            if "-->" in self._lines[end]:
                self._close()
                return end + 1
        self._endless = True
        return 0

    def _heading(self, index: int, text: str, depth: int) -> int:
        self._close()
        self._label = PLAIN
        title = text[depth:].strip().rstrip("#").strip()
        if depth == 1 and not self._title_line:
            self._title, self._title_line = plain_type(title), index + 1
            return index + 1
        kind = section_kind(title_of(text))[0] if depth == 2 else ""
        if not kind:
            self._sections = {at: said for at, said in self._sections.items() if at < depth}
            above = self._sections[max(self._sections)] if self._sections else PLAIN
            self._section = self._sections[depth] = about(title) or above
            return index + 1
        end = index + 1
        while end < len(self._lines) and self._lines[end][:3] not in ("## ", "##\t"):
            end += 1
        part = self._lines[index + 1 : end]
        if kind == FACTS_HEADING:
            self._facts += read_facts(part, index + 2)[0]
        else:
            events = read_references(part, index + 2, strict=False)[0]
            places: dict[str, int] = {}
            for line, text in enumerate(part, index + 2):
                for term in text.split():
                    places.setdefault(term.strip("`[](),;"), line)
            self._events += [(places.get(event.id, index + 1), event) for event in events]
        return end

    def _close(self) -> None:
        """End the paragraph or item that is open, and read its sentences."""
        part, item, mark = self._part, self._item, self._mark
        self._part, self._item, self._mark = [], False, ""
        if not part:
            return
        if not item or self._indent <= self._label_indent:
            self._label = PLAIN
        label, rest = label_of(part[0][1])
        if label and BOILERPLATE.issuperset(label.lower().split()):
            del part[0]
            if not part:
                return
            label = ""
        known = about(label, _LABEL_HEAD_WORDS) if label else PLAIN
        if label and not rest and len(part) == 1 and (known or not item):
            self._label, self._label_indent = known, self._indent if item else -1
            return  # it is about the list below it
        self._parts += 1
        under = known or self._label or self._section
        first = True
        for line, text in cut_sentences(part):
            said = Sentence(line, text, under, item and first, first, mark, self._parts)
            self._sentences.append(said)
            first = False


def says_little(text: str) -> bool:
    """Tell whether a sentence has fewer than five words; a script without blanks has letters instead."""
    return len(text.split(None, 4)) < 5 and (len(text) < _FEW_LETTERS or max(text) < _NO_BLANKS)


def about(heading: str, head: int = 0) -> str:
    """Tell what a heading or label announces.

    `head` is by how many words it has to be clear, 0 for all of them.
    """
    found = PLAIN
    if head and negates(heading):
        return PLAIN  # "Not decided:" announces no decisions
    words = heading.lower().split()
    for place, word in enumerate(words):
        if head and place >= head and found == PLAIN:
            break
        bare = word.strip("*_:;,.()[]—-`'\"")
        known = HEADINGS.get(bare)
        if known is None or (bare in ONLY_FIRST and (place or len(words) > _FEW_WORDS)):
            continue
        if found != ACTIONS:
            found = known
        if known != ACTIONS:
            return known  # what is to be done, and then said to be done
    return found


def label_of(text: str) -> tuple[str, str]:
    """Cut off the label that a paragraph begins with: `Next:`, `**Verification:**`, `**Done.**`.

    Returns:
        The label and the rest; the label is "" where there is none.
    """
    head = text[: _LABEL_CHARS + 4]
    if head[:2] == "**":
        end = head.find("**", 2)
        if end < 0:
            return "", text
        label, rest = head[2:end], text[end + 2 :].lstrip()
        if label[-1:] not in (":", ".") and rest[:1] != ":":
            return "", text
        rest = rest.lstrip(":").lstrip()
    else:
        colon = head.find(":")
        if colon < 1 or head[colon + 1 : colon + 2] not in ("", " "):
            return "", text
        label, rest = head[:colon], text[colon + 1 :].lstrip()
    label = label.rstrip(":. ")
    if not label or len(label.partition(" (")[0].split()) > _LABEL_WORDS or "`" in label:
        return "", text
    return label, rest


def plain_type(text: str) -> str:
    """Return a text on one line and without the marks of bold type outside of code."""
    text = " ".join(text.split())
    if "**" not in text:
        return text
    pieces = text.split("`")
    pieces[::2] = [piece.replace("**", "") for piece in pieces[::2]]
    return "`".join(pieces).strip()


def cut_sentences(part: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Cut lines (number, text) that belong together into sentences; none ends inside code or brackets."""
    found: list[tuple[int, str]] = []
    terms: list[str] = []
    begin = ticks = depth = 0
    full = False  # a full stop stands behind the last term

    def close() -> None:
        text = plain_type(" ".join(terms))
        if text.strip("-–—*_.:;, "):
            found.append((begin, text))
        terms.clear()

    for line, text in part:
        if "。" in text:
            text = text.replace("。", "。 ")
        for term in text.split():
            begun = term.lstrip("*_\"'“‘(")[:1]
            goes_on = begun.islower() or begun in ("—", "–", "→", "·", "+", "=", "&", "/")
            if full and (term[:2] == "**" or not goes_on):
                close()
                ticks = depth = 0
            full = False
            if not terms:
                begin = line
            terms.append(term)
            if "`" in term:
                ticks += term.count("`")
            if "(" in term or ")" in term:
                depth = max(depth + term.count("(") - term.count(")"), 0)
            bare = term.rstrip("*_`\"')”’]")
            if bare[-1:] in _STOPS and ticks % 2 == 0 and not depth:
                word = bare.lower()[:-1] if bare[-1] == "." else ""
                numbered = len(bare) == 2 and bare[0].isdigit()
                full = any(map(str.isalnum, bare)) and word not in SHORTENED and not numbered
    if terms:
        close()
    return found


def _announces(text: str) -> bool:
    """Tell whether a line begins with a word of a label, as a wrapped line of an item hardly does."""
    return text[0] in "*_ABCDEFGHIJKLMNOPQRSTUVWXYZ" and (
        text.split(None, 1)[0].strip("*_:").lower() in HEADINGS
    )


def _marker(text: str) -> int:
    """Return how many characters the bullet or number of a list item takes, 0 when there is none."""
    if text[:2] in ("- ", "* ", "+ "):
        return 2
    if "0" <= text[0] <= "9":
        end = 1
        while end < 4 and text[end : end + 1].isdigit():
            end += 1
        if text[end : end + 2] in (". ", ") "):
            return end + 2
    return 0
