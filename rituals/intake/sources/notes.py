"""Read the markdown that other tools write: front matter, headings, and the passages below them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ledger.model.record import Record
from rituals.intake.code_spans import FIRST, hidden_lines, indent_of, marker_width
from rituals.intake.intake_items import Item

_BLOCK = frozenset(("|", ">", "|-", ">-", "|+", ">+"))
_RULE = re.compile(r"([-_*])(?: *\1)+")
_KEYS_LIMIT, _KEY_WORDS = 200, 8


class Passage(Record):
    """One bullet, or one paragraph with the code that belongs to it."""

    headings: tuple[str, ...]  #: that it stands below, outermost first
    text: str  #: without its marker and its checkbox
    line: int  #: where it starts, from 1 on
    bullet: bool = False  #: whether it is a list item
    mark: str = ""  #: its checkbox: "" for none, " " or "x"


def front_matter(text: str) -> tuple[dict[str, str], str, int]:
    """Read the front matter of a note.

    Nested keys are joined with a point (`metadata.type`), the items of a list with commas.

    Returns:
        Its keys, the text behind it, and the number of the line where that starts.
    """
    lines = text.split("\n")
    if not lines or lines[0].rstrip() != "---":
        return {}, text, 1
    end = next((n for n, line in enumerate(lines[1:400], 1) if line.rstrip() in ("---", "...")), 0)
    if not end:
        return {}, text, 1
    found: dict[str, str] = {}
    outer: list[tuple[int, str]] = []
    number = 1
    while number < end and len(found) < _KEYS_LIMIT:
        line = lines[number]
        number += 1
        body, indent = line.strip(), indent_of(line)
        if not body or body.startswith("#"):
            continue
        while outer and (outer[-1][0] > indent or (outer[-1][0] == indent and body[:2] != "- ")):
            outer.pop()
        if body.startswith("- "):
            if outer:
                before = found.get(outer[-1][1], "")
                found[outer[-1][1]] = (f"{before}, " if before else "") + _bare(body[2:])
            continue
        key, colon, value = body.partition(":")
        if not colon or (value and value[0] not in " \t"):
            continue
        name = ".".join([*(one for _, one in outer[-1:]), _bare(key)])
        value = value.strip()
        if value in _BLOCK:
            rows = []
            while number < end and (not lines[number].strip() or indent_of(lines[number]) > indent):
                rows.append(lines[number].strip())
                number += 1
            found[name] = ("\n" if value[0] == "|" else " ").join(rows).strip()
        elif value:
            found[name] = _listed(value)
        else:
            outer.append((indent, name))
    return found, "\n".join(lines[end + 1 :]), end + 2


def passages(
    text: str, first_line: int = 1, alone: Callable[[str], bool] = lambda line: False
) -> list[Passage]:
    """Read the bullets and paragraphs of a note, in their order.

    `first_line` is the number of its first line; `alone` tells of a line, without blanks around it,
    whether it is a passage for itself.
    """
    lines = text.split("\n")
    hidden, _ = hidden_lines(lines)
    page = _Page(first_line)
    comment = False
    for number, line in enumerate(lines):
        body = line.strip()
        code = bool(hidden[number])
        if hidden[number] == FIRST:
            comment = body.startswith("<!--")
        if code and comment:
            continue
        level = 0 if code else _heading(line)
        width = 0 if code or indent_of(line) > 1 else marker_width(line.lstrip(" "))
        if level:
            page.heading(level, body)
        elif width and not (len(body) > 2 and _RULE.fullmatch(body)):
            page.begin(number, line.lstrip(" ")[width:], "bullet")
        elif not code and alone(body):
            page.begin(number, body, "paragraph")
            page.finish()
        else:
            page.go_on(number, line, code)
    page.finish()
    return page.found


class _Page:
    """The passages of a note, as they are met line by line."""

    def __init__(self, first_line: int) -> None:
        self.found: list[Passage] = []
        self._first_line = first_line
        self._headings: list[tuple[int, str]] = []
        self._rows: list[str] = []
        self._start, self._kind = 0, ""

    def heading(self, level: int, body: str) -> None:
        """Go below a heading."""
        self.finish()
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, body.strip("# ").strip("*_ ")))

    def begin(self, number: int, row: str, kind: str) -> None:
        """Begin a passage."""
        self.finish()
        self._kind, self._start, self._rows = kind, number, [row]

    def go_on(self, number: int, line: str, code: bool) -> None:
        """Add a line to the passage that it belongs to; code goes with what is above it."""
        if not line.strip() and not code:
            self._rows.append("")
            return
        loose = bool(self._rows) and not self._rows[-1]
        inside = self._kind == "bullet" and indent_of(line) > 1
        if self._kind and loose and not inside and not code:
            self.finish()
        if not self._kind:
            self._kind, self._start, self._rows = "paragraph", number, []
        self._rows.append(line)

    def finish(self) -> None:
        """End the passage."""
        headings = tuple([title for _, title in self._headings])
        made = _passage(headings, self._rows, self._first_line + self._start, self._kind)
        if made is not None:
            self.found.append(made)
        self._rows, self._kind = [], ""


def begun(text: str) -> str:
    """Return how a passage begins, as part of a key: its first words, without marks."""
    words = "".join([char if char.isalnum() else " " for char in text[:400].lower()]).split()
    return "-".join(words[:_KEY_WORDS])


def distinct(items: Iterable[Item]) -> list[Item]:
    """Number the keys that several items share, in their order."""
    met: dict[str, int] = {}
    found = []
    for item in items:
        met[item.key] = met.get(item.key, 0) + 1
        again = met[item.key] > 1
        found.append(item._replace(key=f"{item.key} {met[item.key]}") if again else item)
    return found


def _passage(headings: tuple[str, ...], rows: list[str], line: int, kind: str) -> Passage | None:
    if not kind:
        return None
    rest = [row for row in rows[1:] if row.strip()]
    cut = min([indent_of(row) for row in rest], default=0) if kind == "bullet" else 0
    text = "\n".join([rows[0], *[row[cut:] for row in rows[1:]]]).strip("\n ").strip()
    mark = ""
    if kind == "bullet" and text[:4].lower() in ("[ ] ", "[x] "):
        mark, text = text[1].lower(), text[4:].strip()
    bare = text.strip("-*_=#|:[]`~<!> \n")
    if not bare or (text.startswith("<!--") and text.endswith("-->")):
        return None
    return Passage(headings, text, line, kind == "bullet", mark)


def _heading(line: str) -> int:
    body = line.lstrip(" ")
    level = len(body) - len(body.lstrip("#"))
    ahead = len(line) - len(body) <= 3 and 0 < level <= 6
    return level if ahead and body[level : level + 1] in (" ", "") else 0


def _listed(value: str) -> str:
    if value[:1] == "[" and value[-1:] == "]":
        return ", ".join([_bare(one) for one in value[1:-1].split(",") if one.strip()])
    return _bare(value)


def _bare(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].strip()
