"""Define a document as it is read: its sections, and the passages in them, each with its lines."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from ledger.model.record import Record

PARAGRAPH, ITEM, ROW = "paragraph", "item", "row"
#: Nobody writes longer lines, titles and passages of prose; what is longer is passed over.
_LINE_CHARS, _TITLE_CHARS, _PASSAGE_ROWS = 8_000, 300, 200
#: Nor so many headings; what stands below later ones counts to the last that is taken.
_SECTIONS = 2_000


class Section(Record):
    """A heading, and which section it stands in."""

    title: str  #: as it reads
    level: int  #: 1 for the document's own
    line: int  #: of the heading, 1-based; 0 for what stands above the first
    above: int = -1  #: index of the section that it is part of, -1 for none


class Passage(Record):
    """A paragraph, an item of a list, or a row of a table."""

    kind: str  #: `PARAGRAPH`, `ITEM` or `ROW`
    section: int  #: index of the section that it stands in
    #: (line, text), as they stand; of a row of a table, a cell each
    rows: tuple[tuple[int, str], ...]
    indent: int = 0  #: of the item, in columns
    mark: str = ""  #: the checkbox of an item: `""` none, `" "` open, `"x"` closed

    @property
    def line(self) -> int:
        """The line that it begins on."""
        return self.rows[0][0]


class Document(Record):
    """A document as it is read."""

    path: str  #: from the top of the repository
    #: (key in lower case, value, line) of front matter, fields and attributes
    fields: tuple[tuple[str, str, int], ...]
    sections: tuple[Section, ...]  #: the first is what stands above all headings
    passages: tuple[Passage, ...]  #: in their order
    plain: Callable[[str], str]  #: turns markup within a line into what it reads as

    @property
    def title(self) -> str:
        """What its first heading says, "" where it has none."""
        return next((one.title for one in self.sections[1:]), "")

    def headings(self, section: int) -> tuple[str, ...]:
        """Return the titles above a passage, the nearest first."""
        found = []
        while section > 0:
            found.append(self.sections[section].title)
            section = self.sections[section].above
        return tuple(found)


class Builder:
    """Gathers what a reader finds, line by line; `plain` turns markup into what it reads as."""

    def __init__(self, path: str, plain: Callable[[str], str]) -> None:
        self.path, self.plain = path, plain
        self.fields: list[tuple[str, str, int]] = []
        self.sections: list[Section] = [Section("", 0, 0)]
        self.passages: list[Passage] = []
        self._open: list[tuple[int, str]] = []
        self._kind, self._indent, self._mark = PARAGRAPH, 0, ""

    @property
    def is_open(self) -> bool:
        """Whether a passage goes on with the next line."""
        return bool(self._open)

    @property
    def in_item(self) -> bool:
        """Whether that is an item of a list."""
        return bool(self._open) and self._kind == ITEM

    @property
    def rows(self) -> list[tuple[int, str]]:
        """The lines of the passage that is open."""
        return self._open

    def field(self, key: str, value: str, line: int) -> None:
        """Note a field of the document."""
        self.fields.append((key.strip().lower(), value.strip(), line))

    def heading(self, line: int, level: int, title: str) -> None:
        """Begin a section."""
        self.close()
        if len(self.sections) > _SECTIONS:
            return
        above = len(self.sections) - 1
        while above > 0 and self.sections[above].level >= level:
            above = self.sections[above].above
        said = self.plain(title[:_TITLE_CHARS])
        self.sections.append(Section(said, level, line, above if above > 0 else -1))

    def item(self, line: int, text: str, indent: int) -> None:
        """Begin an item of a list."""
        self.close()
        self._kind, self._indent = ITEM, indent
        box = re.match(r"\[([ xX])\](?:\s+|$)", text)
        if box:
            self._mark, text = ("x" if box[1] in "xX" else " "), text[box.end() :]
        self._open = [(line, text)] if text and len(text) <= _LINE_CHARS else []

    def text(self, line: int, text: str) -> None:
        """Go on with the passage that is open, or begin a paragraph."""
        if len(text) > _LINE_CHARS or len(self._open) > _PASSAGE_ROWS:
            self.drop()
        else:
            self._open.append((line, text))

    def row(self, line: int, cells: list[str]) -> None:
        """Take a row of a table."""
        self.close()
        rows = tuple([(line, self.plain(cell.strip()[:_TITLE_CHARS])) for cell in cells])
        if rows:
            self.passages.append(Passage(ROW, len(self.sections) - 1, rows))

    def close(self) -> None:
        """End the passage that is open."""
        if self._open:
            self.passages.append(
                Passage(
                    self._kind, len(self.sections) - 1, tuple(self._open), self._indent, self._mark
                )
            )
        self._open, self._kind, self._indent, self._mark = [], PARAGRAPH, 0, ""

    def drop(self) -> None:
        """Forget the passage that is open."""
        self._open = []
        self.close()

    def built(self) -> Document:
        """Return the document."""
        self.close()
        return Document(
            self.path, tuple(self.fields), tuple(self.sections), tuple(self.passages), self.plain
        )


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change a text where it is no code."""
    if "`" not in text:
        return change(text)
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [change(piece) for piece in pieces[::2]]
    return "".join(pieces)


def squeezed(text: str) -> str:
    """Return a text on one line, with its entities resolved."""
    return " ".join(html.unescape(text).split())
