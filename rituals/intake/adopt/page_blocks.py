"""Read the structure of a page: headings, list items, and the footers in them or below paragraphs."""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.record import Record
from rituals.intake.adopt.adopted_files import text_of
from rituals.intake.code_spans import (
    CONTENT_COLUMNS,
    FIRST,
    Comment,
    footer_comments,
    hidden_lines,
    marker_width,
)

_RULES = ({"-"}, {"*"}, {"_"}, {"="})
_FINDINGS_LIMIT = 1_000  #: of one file


class Item:
    """A list item on the lines `start` to `end`; its text starts at the column `text_at`."""

    __slots__ = ("end", "heading", "indent", "mark", "start", "text_at", "tight", "top", "width")

    def __init__(self, start: int, indent: int, width: int, heading: int) -> None:
        self.start = self.end = start
        self.indent, self.width, self.text_at = indent, width, indent + width
        self.heading = heading
        self.mark = ""
        self.tight = False  # touches the top-level item before it
        self.top = self

    def holds(self, indent: int) -> bool:
        """Tell whether a line of this indent is part of the item."""
        return indent >= self.indent + CONTENT_COLUMNS


class Footer(Record):
    """A footer and where it stands: in a list item, or below paragraphs from line `run` on.

    `run` is -1 when nothing stands between the footer and the one above it, -2 when nothing stands
    between it and its heading.
    """

    comment: Comment
    item: Item | None
    run: int
    heading: int


class Heading(Record):
    """A heading; `line` is 0-based."""

    line: int
    level: int
    title: str


class Page:
    """One file, scanned into headings, list items and footers."""

    def __init__(self, file: str, data: bytes, findings: list[Finding]) -> None:
        self.file, self.findings = file, findings
        self._noted = 0
        self.lines = self._split(data)
        self.hidden, unclosed = hidden_lines(self.lines)
        for code, line, said in unclosed:
            self.note(code, f"{said} is never closed; what follows it is read", line)
        self.tops: list[Item] = []
        self.headings: list[Heading] = []
        self.footers: list[Footer] = []
        self._scan()
        lines = [heading.line for heading in self.headings] + [item.start for item in self.tops]
        lines += [footer.comment.line for footer in self.footers]
        self.stops = sorted(lines) + [len(self.lines)]  # where paragraphs end

    def note(self, code: str, message: str, line: int, hint: str = "") -> None:
        """Report something on a 0-based line."""
        self._noted += 1
        if self._noted == _FINDINGS_LIMIT:
            message, hint = "more findings in this file are not listed", "settle the first ones"
        if self._noted <= _FINDINGS_LIMIT:
            self.findings.append(Finding(code, message, self.file, line + 1, hint))

    def _split(self, data: bytes) -> list[str]:
        text = text_of(data)
        if "\ufffd" in text and b"\xef\xbf\xbd" not in data:
            self.note("not-utf8", "not UTF-8; unreadable bytes are shown as U+FFFD", -1)
        if "\0" in text:
            self.note("nul-byte", "a NUL byte is shown as U+FFFD", -1)
        lines = text.replace("\r\n", "\n").replace("\r", " ").replace("\0", "\ufffd").split("\n")
        for number, line in enumerate(lines):
            body = line.lstrip(" \t")
            if "\t" in line[: len(line) - len(body)]:
                lines[number] = line[: len(line) - len(body)].expandtabs(4) + body
            elif line.startswith("<<<<<<< "):
                self.note("conflict-marker", "a merge that was never settled; all is read", number)
        return lines

    # what stands where

    def _scan(self) -> None:
        stack: list[Item] = []
        run, nothing, blank, resume = -1, -1, True, 0
        for number, line in enumerate(self.lines):
            if number < resume:
                continue
            body = line.lstrip(" ")
            if not body.strip():
                blank = True
                continue
            indent = len(line) - len(body)
            inside = bool(stack) and stack[0].holds(indent)
            comments: list[Comment] = []
            if self.hidden[number]:
                if self.hidden[number] == FIRST and marker_width(body[:16]):
                    self._place(stack, number, indent, blank, False)
                elif self.hidden[number] == FIRST and not inside:
                    stack.clear()
            elif not inside and indent < 4 and self._boundary(number, body):
                stack.clear()
                run, nothing, blank = -1, -2 if body.startswith("#") else -1, False
                continue
            else:
                comments = list(footer_comments(self.lines, number))
                self._place(stack, number, indent, blank, bool(comments))
            if not stack and run < 0:
                run = number
            last, heading = number, len(self.headings) - 1
            for comment in comments:
                if stack:
                    self.footers.append(Footer(comment, stack[-1], -1, heading))
                else:
                    bare = run == number and not line[: comment.column].strip("> ")
                    above = nothing if bare or run < 0 else run
                    self.footers.append(Footer(comment, None, above, heading))
                run, nothing, last, resume = -1, -1, comment.end_line, comment.end_line + 1
            if stack:
                run = -1
            nothing = -1
            for item in stack:
                item.end = last
            blank = False

    def _boundary(self, number: int, body: str) -> bool:
        """Take a heading or a rule; tell whether the line is one."""
        level = len(body) - len(body.lstrip("#"))
        if 0 < level <= 6 and body[level : level + 1] in ("", " "):
            title = body[level:].strip().rstrip("#").rstrip()
            self.headings.append(Heading(number, level, title))
            return True
        drawn = body.replace(" ", "").rstrip()
        return len(drawn) >= 3 and set(drawn) in _RULES

    def _place(
        self, stack: list[Item], number: int, indent: int, blank: bool, footer: bool
    ) -> None:
        """Close the list items that the line ends, and open the one that it starts."""
        line = self.lines[number]
        width = marker_width(line[indent : indent + 16])
        if width:
            while stack and not stack[-1].holds(indent):
                stack.pop()
            item = Item(number, indent, width, len(self.headings) - 1)
            box = line[item.text_at : item.text_at + 4].lower()
            if box[:3] in ("[ ]", "[x]") and box[3:] in ("", " "):
                item.mark = box[1]
                item.text_at += 4
            if stack:
                item.top = stack[0]
            else:
                item.tight = bool(self.tops) and self.tops[-1].end == number - 1
                self.tops.append(item)
            stack.append(item)
        elif stack and stack[0].holds(indent):
            while (blank or footer) and not stack[-1].holds(indent):
                stack.pop()
        elif stack and footer and line.startswith("<!--", indent):
            del stack[1:]
        elif blank or line[indent] in "><|":
            stack.clear()


def unquoted(rows: list[str]) -> list[str]:
    """Return the lines of a quotation without its marks; any others as they are."""
    if all(row.lstrip().startswith(">") for row in rows if row.strip()):
        return [row.lstrip()[1:].removeprefix(" ") for row in rows]
    return rows


def trimmed(rows: list[str]) -> list[str]:
    """Return lines without blank ones around them."""
    filled = [number for number, row in enumerate(rows) if row.strip()]
    return rows[filled[0] : filled[-1] + 1] if filled else []
