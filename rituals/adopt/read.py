"""What the facts of an agent-memory ledger say: texts, kinds and footers, read right.

Reading never raises and never drops in silence: what can not be read is a finding with its file and
line. What a footer owns, where the layout leaves it open:

- A fact is a top-level list item and everything in it. If the item holds several footers, each
  belongs to the innermost list item around it, and the outer text leaves the inner facts out. Two
  footers on one item split it where the first one stands.
- Items without footers that touch the footer's item from above (no blank line, no checkbox) are one
  list that the footer closes; its text is the section's title, a colon, and the list.
- Below paragraphs or a quote: all of them, back to the heading, list or footer above. Directly below
  a heading: the title and what follows it.
- In `vision.md`, above the first section: that text and the first section's. A file of
  `open-threads/` with one footer is one fact, whole; one without a footer is named by its file.
- A footer in a closed fence, a code span or a comment is none. One over several lines, one that is
  never closed, and one with nothing but the id are reported and read.

Longer than other modules: the line scanner and what it finds are one grammar, used only here.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ledger.event import Meta
from ledger.findings import Finding
from ledger.ids import is_fact_id
from ledger.order import is_date, is_stem
from ledger.session import META_KEYS
from ledger.values import Record
from projection.policy import BUILT_IN_KINDS, DEFAULT_KIND, THREAD_KIND
from rituals.adopt.compat import footer_fields, windows
from rituals.adopt.layout import ARCHIVE_INDEX, CONTINUITY, VISION, AgentMemory, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ImportedFact", "facts", "windows"]

LIVE, ARCHIVED = "live", "archived"
VISION_KIND = "invariant"  #: a vision never decays
_SECTION_KINDS = tuple((kind.section.lower(), kind.name) for kind in BUILT_IN_KINDS)
_TICKS = re.compile(r"`++")
_FOOTER = re.compile(r"<!--[ \t]*+id[ \t]*+:")
_FOOTER_LINES = 12  #: a footer over more lines than this counts as never closed
_RULES = ({"-"}, {"*"}, {"_"}, {"="})
_FENCE_MIN_CHARS = 3
_CONTENT_COLUMNS = 2  #: an item holds what is indented by this much, however wide its marker is
_DIGITS_LIMIT = 9
_FINDINGS_LIMIT = 1_000  #: of one file
_FIRST, _REST = 1, 2  #: a line that starts, or goes on with, a fence or a comment


class ImportedFact(Record):
    """One fact as a file of the layout states it.

    `mark` is the checkbox (`""` none, `" "` open, `"x"` closed), `origin` a stem or "" (unknown),
    `created` a date or "", `tier` and `uses` what the footer says, `superseded_by` an id or "",
    `state` is `live` or `archived`, `line` the 1-based line on which the text starts. `meta` holds
    what else the footer says and Diurna has a key for (`supersedes`, `serves`, `tags`, …).
    """

    id: str
    text: str
    kind: str
    mark: str
    created: str
    origin: str
    tier: str
    superseded_by: str
    file: str
    line: int
    state: str
    uses: int
    meta: Meta = ()


def facts(memory: AgentMemory) -> tuple[tuple[ImportedFact, ...], tuple[Finding, ...]]:
    """Read every fact of the ledger: live ones, the vision, thread files, then the archive.

    Two facts of one id are both there; when their texts differ that is a `contradiction`.
    """
    findings: list[Finding] = []
    found: list[ImportedFact] = []
    pages = [(CONTINUITY, memory.continuity, LIVE), (VISION, memory.vision, LIVE)]
    pages += [(file, data, LIVE) for file, data in memory.threads]
    pages += [(file, data, ARCHIVED) for file, data in memory.archive if file != ARCHIVE_INDEX]
    threads = {file for file, _ in memory.threads}
    for file, data, state in pages:
        page = _Page(file, data, state, findings)
        found += page.thread() if file in threads else page.facts()
    first: dict[str, ImportedFact] = {}
    for fact in found:
        other = first.setdefault(fact.id, fact)
        if fact.text != other.text:
            said = f"`{fact.id}` also stands in {other.file}:{other.line} with another text"
            hint = "both texts are kept; settle it with `Updated:` in a session log"
            findings.append(Finding("contradiction", said, fact.file, fact.line, hint))
    return tuple(found), tuple(findings)


class _Item:
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
        return indent >= self.indent + _CONTENT_COLUMNS


class _Comment(Record):
    """A footer comment, from (line, column) to (end line, end column)."""

    line: int
    column: int
    end_line: int
    end_column: int
    inside: str
    problem: str = ""


class _Footer(Record):
    """A footer and where it stands: in a list item, or below paragraphs from line `run` on.

    `run` is -1 when nothing stands between the footer and the one above it, -2 when nothing stands
    between it and its heading.
    """

    comment: _Comment
    item: _Item | None
    run: int
    heading: int


class _Heading(Record):
    line: int
    level: int
    title: str
    kind: str


class _Page:
    """One file, scanned into headings, list items and footers; then asked for its facts."""

    def __init__(self, file: str, data: bytes, state: str, findings: list[Finding]) -> None:
        self.file, self.state, self.findings = file, state, findings
        self._noted = 0
        self.lines = self._split(data)
        self.hidden, unclosed = _hidden(self.lines)
        for code, line, said in unclosed:
            self._note(code, f"{said} is never closed; what follows it is read", line)
        self.tops: list[_Item] = []
        self.headings: list[_Heading] = []
        self.footers: list[_Footer] = []
        self._kinds = [""] * 7  # of the open heading of each level
        self._scan()
        lines = [heading.line for heading in self.headings] + [item.start for item in self.tops]
        lines += [footer.comment.line for footer in self.footers]
        self._stops = sorted(lines) + [len(self.lines)]  # where paragraphs end

    def _note(self, code: str, message: str, line: int, hint: str = "") -> None:
        self._noted += 1
        if self._noted == _FINDINGS_LIMIT:
            message, hint = "more findings in this file are not listed", "settle the first ones"
        if self._noted <= _FINDINGS_LIMIT:
            self.findings.append(Finding(code, message, self.file, line + 1, hint))

    def _split(self, data: bytes) -> list[str]:
        text = text_of(data)
        if "\ufffd" in text and b"\xef\xbf\xbd" not in data:
            self._note("not-utf8", "not UTF-8; unreadable bytes are shown as U+FFFD", -1)
        if "\0" in text:
            self._note("nul-byte", "a NUL byte is shown as U+FFFD", -1)
        lines = text.replace("\r\n", "\n").replace("\r", " ").replace("\0", "\ufffd").split("\n")
        for number, line in enumerate(lines):
            body = line.lstrip(" \t")
            if "\t" in line[: len(line) - len(body)]:
                lines[number] = line[: len(line) - len(body)].expandtabs(4) + body
            elif line.startswith("<<<<<<< "):
                self._note("conflict-marker", "a merge that was never settled; all is read", number)
        return lines

    # what stands where

    def _scan(self) -> None:
        stack: list[_Item] = []
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
            comments: list[_Comment] = []
            if self.hidden[number]:
                if self.hidden[number] == _FIRST and _marker(body[:16]):
                    self._place(stack, number, indent, blank, False)
                elif self.hidden[number] == _FIRST and not inside:
                    stack.clear()
            elif not inside and indent < 4 and self._boundary(number, body):
                stack.clear()
                run, nothing, blank = -1, -2 if body.startswith("#") else -1, False
                continue
            else:
                comments = list(_comments(self.lines, number))
                self._place(stack, number, indent, blank, bool(comments))
            if not stack and run < 0:
                run = number
            last, heading = number, len(self.headings) - 1
            for comment in comments:
                if stack:
                    self.footers.append(_Footer(comment, stack[-1], -1, heading))
                else:
                    bare = run == number and not line[: comment.column].strip("> ")
                    above = nothing if bare or run < 0 else run
                    self.footers.append(_Footer(comment, None, above, heading))
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
            outer = [kind for kind in self._kinds[:level] if kind]
            kind = _kind_of(title) or (outer[-1] if outer else "")
            self._kinds[level:] = [kind] + [""] * (6 - level)
            self.headings.append(_Heading(number, level, title, kind))
            return True
        drawn = body.replace(" ", "").rstrip()
        return len(drawn) >= 3 and set(drawn) in _RULES

    def _place(
        self, stack: list[_Item], number: int, indent: int, blank: bool, footer: bool
    ) -> None:
        """Close the list items that the line ends, and open the one that it starts."""
        line = self.lines[number]
        width = _marker(line[indent : indent + 16])
        if width:
            while stack and not stack[-1].holds(indent):
                stack.pop()
            item = _Item(number, indent, width, len(self.headings) - 1)
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

    # what the footers own

    def facts(self) -> list[ImportedFact]:
        """Read the facts of the page in the order of their footers."""
        found: list[tuple[int, ImportedFact | None]] = []
        owned = self._owners()
        starts = {item.start: item for item in owned}
        at: dict[int, list[_Comment]] = {}
        for footer in self.footers:
            at.setdefault(footer.comment.line, []).append(footer.comment)
        grouped = self._groups(starts)
        for item, footers in owned.items():
            parts = self._parts(item, at, starts)
            start = item.start
            if item.start in grouped:
                first = self.tops[grouped[item.start]]
                parts[0] = self._group(first, item, parts[0])
                start = first.start
            for footer, part in zip(footers, parts, strict=True):
                line = footer.comment.line
                found.append((line, self._fact(footer, part, item.mark, start)))
                start = footer.comment.end_line
        for footer in self.footers:
            if footer.item is None:
                start, rows = self._above(footer)
                found.append((footer.comment.line, self._fact(footer, rows, "", start)))
        found.sort(key=_by_line)
        return [fact for _, fact in found if fact]

    def _owners(self) -> dict[_Item, list[_Footer]]:
        """Give every footer in a list its item."""
        by_top: dict[_Item, list[_Footer]] = {}
        for footer in self.footers:
            if footer.item:
                by_top.setdefault(footer.item.top, []).append(footer)
        owned: dict[_Item, list[_Footer]] = {}
        for top, footers in by_top.items():
            if len(footers) == 1 and footers[0].comment.end_line == top.end:
                owned[top] = footers
                continue
            for footer in footers:
                owned.setdefault(footer.item or top, []).append(footer)
        return owned

    def _groups(self, starts: dict[int, _Item]) -> dict[int, int]:
        """Find the lists that one footer closes: start of the last item -> place of the first."""
        holders = {footer.item.top.start for footer in self.footers if footer.item}
        grouped: dict[int, int] = {}
        first = 0
        for place, item in enumerate(self.tops):
            if not item.tight or item.mark:
                first = place
            if item.start in holders or item.mark:
                if first < place and item.start in starts and not item.mark:
                    grouped[item.start] = first
                first = place + 1
        return grouped

    def _parts(
        self, item: _Item, at: dict[int, list[_Comment]], starts: dict[int, _Item]
    ) -> list[list[str]]:
        """Cut an item after each of its footers, without the items in it that have their own."""
        parts: list[list[str]] = [[]]
        margin = " " * item.width
        number = item.start
        while number <= item.end:
            if number != item.start and number in starts:
                number = starts[number].end + 1
                continue
            line = self.lines[number]
            before, begin = "", min(item.indent, _indent(line))
            if number == item.start:
                before, begin = margin, item.text_at
            comments = at.get(number, ())
            for comment in comments:
                piece = line[begin : comment.column]
                if piece.strip():
                    parts[-1].append(before + piece.rstrip())
                parts.append([])
                number, begin = comment.end_line, comment.end_column
                before, line = margin, self.lines[number]
            rest = line[begin:].lstrip(" ") if comments else line[begin:]
            if not comments or rest.strip():
                parts[-1].append(before + rest)
            number += 1
        if len(parts) > 1:
            tail = parts.pop()
            parts[-1] += tail
        return [[row[min(item.width, _indent(row)) :] for row in part] for part in parts]

    def _group(self, first: _Item, item: _Item, rows: list[str]) -> list[str]:
        """Join the items above to the one with the footer, under the section's title."""
        title = self.headings[item.heading].title if item.heading >= 0 else self.file
        above = [
            line[min(first.indent, _indent(line)) :]
            for line in self.lines[first.start : item.start]
        ]
        rows = rows or [""]
        return [f"{title}:", *above, f"- {rows[0]}", *(f"  {row}" for row in rows[1:])]

    def _above(self, footer: _Footer) -> tuple[int, list[str]]:
        """Read the paragraphs that a footer outside of lists closes."""
        comment = footer.comment
        heading = self.headings[footer.heading] if footer.heading >= 0 else None
        if footer.run >= 0:
            start = footer.run
            rows = self.lines[start : comment.line] + [self.lines[comment.line][: comment.column]]
            if all(row.lstrip().startswith(">") for row in rows if row.strip()):
                rows = [row.lstrip()[1:].removeprefix(" ") for row in rows]
        elif footer.run == -2 and heading:
            start = heading.line
            stop = self._stops[bisect_right(self._stops, comment.end_line)]
            rows = [heading.title, "", *_trimmed(self.lines[comment.end_line + 1 : stop])]
        else:
            start, rows = comment.line, []
        if self.file == VISION and len(self.footers) == 1:
            sections = [heading.line for heading in self.headings if heading.level == 2]
            if sections and comment.line < sections[0]:
                end = sections[1] if len(sections) > 1 else len(self.lines)
                rows = [*_trimmed(rows), "", *_trimmed(self.lines[sections[0] + 1 : end])]
        return start, rows

    def thread(self) -> list[ImportedFact]:
        """Read a file of `open-threads/`: one fact, unless it has several footers."""
        if len(self.footers) > 1:
            return self.facts()
        name = self.file.rpartition("/")[2].removesuffix(".md")
        rows = list(self.lines)
        if self.footers:
            footer = self.footers[0]
            comment = footer.comment
            left = self.lines[comment.line][: comment.column].rstrip()
            left += self.lines[comment.end_line][comment.end_column :]
            begin, end = comment.line, comment.end_line + 1
            if not left.strip("> "):
                left = ""
                while end < len(rows) and not rows[end].strip():
                    end += 1
            rows[begin:end] = [left] if left or (begin and rows[begin - 1].strip()) else []
        else:
            said = f"a thread file without a footer; read as `{name}`"
            footer = _Footer(_Comment(0, 0, 0, 0, f"id: {name}", said), None, -1, -1)
        start = next((number for number, row in enumerate(rows) if row.strip()), len(rows))
        rows = rows[start:] or [""]
        first = self.tops[0] if self.tops else None
        if first and first.start == start:
            rows = [row[min(first.width, _indent(row)) :] for row in rows]
            rows[0] = self.lines[start][first.text_at :]
            mark = first.mark or " "
        else:
            rows[0] = rows[0].lstrip("# ")
            mark = "x" if "[x]" in rows[0].lower() else " "
        fact = self._fact(footer, rows, mark, min(start, len(self.lines) - 1))
        return [fact] if fact else []

    def _fact(self, footer: _Footer, rows: list[str], mark: str, start: int) -> ImportedFact | None:
        """Make a fact of a footer and the lines of its text, or report why there is none."""
        comment = footer.comment
        fields = {k.replace("_", "-"): v for k, v in footer_fields(comment.inside).items()}
        id = _bare_id(fields.pop("id", ""))
        problem = comment.problem
        if not problem and "|" not in comment.inside:
            problem = "a footer with nothing but the id; read"
        if problem:
            hint = "write it on one line: `<!-- id: … | created: … -->`"
            self._note("bad-footer", problem, comment.line, hint)
        if not is_fact_id(id):
            hint = "an id is `[a-z0-9]+([.-][a-z0-9]+)*`, at most 80 characters; correct it first"
            self._note("bad-id", f"{id[:80]!r} is no fact id; not imported", comment.line, hint)
            return None
        text = _storable(rows, mark)
        if not text:
            said = f"the footer of `{id}` has no text above it; not imported"
            self._note("bad-footer", said, comment.line)
            return None
        created, origin = fields.pop("created", ""), fields.pop("origin", "")
        if created and not is_date(created):
            self._note("bad-date", f"{created[:80]!r} is no date; read as unknown", comment.line)
            created = ""
        stem = _bare_id(origin).replace("\\", "/").rpartition("/")[2].removesuffix(".md")
        if stem and not is_stem(stem):
            said = f"the origin {origin[:80]!r} is no session log; read as unknown"
            self._note("bad-footer", said, comment.line)
            stem = ""
        successor = _bare_id(fields.pop("superseded-by", ""))
        if successor and not is_fact_id(successor):
            self._note("bad-id", f"the successor {successor[:80]!r} is no fact id", comment.line)
            successor = ""
        kind = self.headings[footer.heading].kind if footer.heading >= 0 else ""
        if is_fact_id(fields.get("kind", "")):
            kind = fields["kind"]
        elif self.file == VISION:
            kind = VISION_KIND
        elif mark:
            kind = THREAD_KIND
        if kind == THREAD_KIND:
            mark = mark or " "
        uses = fields.get("uses", "")
        counted = uses.isascii() and uses.isdigit() and len(uses) <= _DIGITS_LIMIT
        return ImportedFact(
            id,
            text,
            kind or DEFAULT_KIND,
            mark,
            created,
            stem,
            fields.get("tier", "").lower(),
            successor,
            self.file,
            start + 1,
            self.state,
            int(uses) if counted else 0,
            tuple((key, fields[key]) for key in META_KEYS if key != "kind" and fields.get(key, "")),
        )


def _by_line(pair: tuple[int, ImportedFact | None]) -> int:
    return pair[0]


def _bare_id(text: str) -> str:
    return text.strip("`*[] ")


def _trimmed(rows: list[str]) -> list[str]:
    filled = [number for number, row in enumerate(rows) if row.strip()]
    return rows[filled[0] : filled[-1] + 1] if filled else []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _kind_of(title: str) -> str:
    """Name the kind whose section has this title, also with words after it; "" when none does."""
    words = title.lower().replace(" and ", " & ")
    for section, kind in _SECTION_KINDS:
        if words.startswith(section) and not words[len(section) : len(section) + 1].isalnum():
            return kind
    return ""


def _marker(body: str) -> int:
    """Measure a list marker and the space after it; 0 when the line starts no list item."""
    width = 1
    if body[:1] not in ("-", "*", "+"):
        width = len(body) - len(body.lstrip("0123456789"))
        if not 0 < width <= _DIGITS_LIMIT or body[width : width + 1] not in (".", ")"):
            return 0
        width += 1
    rest = body[width:]
    if not rest.strip():
        return width + 1
    space = _indent(rest)
    return 0 if not space else width + (space if space <= 4 else 1)


# fences, comments and code spans


class _Fence(Record):
    """A line that may open a fence."""

    char: str
    length: int
    indent: int
    quoted: bool


def _fence(line: str) -> tuple[_Fence, bool, bool] | None:
    """Read a fence line: the fence, whether it may open one, whether it may close one."""
    if "```" not in line and "~~~" not in line:
        return None
    body = line.lstrip(" ")
    quoted = body.startswith(">")
    if quoted:
        body = body.lstrip("> ")
    indent = _indent(line)
    width = _marker(body[:16])
    if width:
        body, indent = body[width:].lstrip(" "), indent + width
    char = body[:1]
    length = len(body) - len(body.lstrip(char)) if char in ("`", "~") else 0
    if length < _FENCE_MIN_CHARS:
        return None
    info = body[length:]
    return (
        _Fence(char, length, indent, quoted),
        char == "~" or "`" not in info,
        not width and not info.strip(),
    )


def _fences(lines: list[str]) -> tuple[dict[int, int], dict[int, tuple[_Fence, int]]]:
    """Pair every line that may open a fence with the one that closes it.

    A fence in a list item or a quote ends where that ends. Linear: from the last line to the first,
    with a stack of the closers that are not hidden by a longer one before them.

    Returns:
        opener -> closer, and of those without one: opener -> (fence, line where its place ends).
    """
    closed: dict[int, int] = {}
    unclosed: dict[int, tuple[_Fence, int]] = {}
    stacks: dict[tuple[str, bool], tuple[list[int], list[int]]] = {}
    outdent = unquoted = len(lines)
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if seen := _fence(line):
            fence, opens, closes = seen
            lengths, places = stacks.setdefault((fence.char, fence.quoted), ([], []))
            limit = unquoted if fence.quoted else len(lines)
            if not fence.quoted and fence.indent >= _CONTENT_COLUMNS:
                limit = outdent
            if opens:
                at = bisect_right(lengths, -fence.length) - 1
                if at >= 0 and places[at] < limit:
                    closed[number] = places[at]
                else:
                    unclosed[number] = (fence, limit)
            if closes:
                while lengths and -lengths[-1] <= fence.length:
                    lengths.pop()
                    places.pop()
                lengths.append(-fence.length)
                places.append(number)
        if line.strip() and _indent(line) < _CONTENT_COLUMNS:
            outdent = number
        if not line.lstrip(" ").startswith(">"):
            unquoted = number
    return closed, unclosed


def _hidden(lines: list[str]) -> tuple[bytearray, list[tuple[str, int, str]]]:
    """Mark the lines in closed fences and comments; list the openers that are never closed."""
    closed, unclosed = _fences(lines)
    opens = [number for number, line in enumerate(lines) if "<!--" in line]
    closes = [number for number, line in enumerate(lines) if "-->" in line]
    hidden = bytearray(len(lines))
    open_ended: list[tuple[str, int, str]] = []
    for number in sorted({*opens, *closed, *unclosed}):
        if hidden[number]:
            continue
        end = closed.get(number, -1)
        if number in unclosed:
            open_ended.append(("unclosed-fence", number, "a code fence"))
        elif end < 0:
            body = lines[number].lstrip("> ")
            if not body.startswith("<!--") or "-->" in body or _FOOTER.match(body):
                continue
            end = next(iter(closes[(n := bisect_right(closes, number)) : n + 1]), -1)
            other = next(iter(opens[(n := bisect_right(opens, number)) : n + 1]), len(lines))
            if end < 0 or other < end or (other == end and _opens_first(lines[end])):
                open_ended.append(("unclosed-comment", number, "a comment"))
                continue
        if end >= 0:
            hidden[number] = _FIRST
            hidden[number + 1 : end + 1] = bytes([_REST]) * (end - number)
    return hidden, open_ended


def _opens_first(line: str) -> bool:
    return line.find("<!--") < line.find("-->")


def _spans(line: str) -> tuple[list[int], list[int]]:
    """Find the code spans of one line: their starts and their ends."""
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(line)]
    places: dict[int, list[int]] = {}
    for place, (start, end) in enumerate(runs):
        places.setdefault(end - start, []).append(place)
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    while place < len(runs):
        start, end = runs[place]
        same = places[end - start]
        after = bisect_right(same, place)
        if after < len(same):
            place = same[after]
            starts.append(start)
            ends.append(runs[place][1])
        place += 1
    return starts, ends


def _openings(line: str) -> Iterator[tuple[int, int]]:
    """Yield every comment of a line outside code: where it starts, and where it ends or -1."""
    at = line.find("<!--")
    if at < 0:
        return
    starts, ends = _spans(line) if "`" in line else ([], [])
    while at >= 0:
        span = bisect_right(starts, at) - 1
        if span >= 0 and at < ends[span]:
            at = line.find("<!--", ends[span])
            continue
        end = line.find("-->", at + 4)
        yield at, end + 3 if end >= 0 else -1
        at = line.find("<!--", end + 3) if end >= 0 else -1


def _comments(lines: list[str], number: int) -> Iterator[_Comment]:
    """Yield the footers that start on a line."""
    line = lines[number]
    for at, end in _openings(line):
        if not _FOOTER.match(line, at):
            continue
        if end >= 0:
            yield _Comment(number, at, number, end, line[at + 4 : end - 3])
            continue
        inside = [line[at + 4 :]]
        for below in range(number + 1, min(number + _FOOTER_LINES, len(lines))):
            body = lines[below].lstrip("> ")
            close = lines[below].find("-->")
            if not body or body.startswith(("#", "- ")) or "<!--" in lines[below]:
                break
            inside.append(body if close < 0 else body[: body.find("-->")])
            if close >= 0:
                said = "a footer over several lines; read"
                yield _Comment(number, at, below, close + 3, "|".join(inside), said)
                return
        said = "a footer that is never closed; read to the end of its line"
        yield _Comment(number, at, number, len(line), line[at + 4 :], said)


def _storable(rows: list[str], mark: str) -> str:
    """Join the lines of a text so that it can stand in a session log and forge nothing there.

    A fence that is never closed gets its end, a raw footer or an unclosed comment is escaped.
    """
    closed, unclosed = _fences(rows)
    ends: dict[int, str] = {}
    made: list[str] = []
    code_until = -1
    for number, row in enumerate(rows):
        row = row.rstrip() if row.isspace() else row
        if number > code_until:
            if number in closed:
                code_until = closed[number]
            elif number in unclosed:
                fence, limit = unclosed[number]
                code_until = max(n for n in range(number, limit) if rows[n].strip())
                outer = _indent(row)
                ends[code_until] = (
                    " " * outer
                    + "> " * fence.quoted
                    + " " * (fence.indent - outer)
                    + fence.char * fence.length
                )
            elif "<!--" in row:
                row = _escaped(row)
        made.append(row)
        if number in ends:
            made.append(ends[number])
    first = next((number for number, row in enumerate(made) if row), len(made))
    text = "\n".join(made[first:]).strip(" \n")
    if not mark and text[:4].lower() in ("[ ] ", "[x] "):
        text = "\\" + text
    return text


def _escaped(row: str) -> str:
    """Escape what would start a footer or a comment without an end."""
    done, parts = 0, []
    for at, end in _openings(row):
        if end < 0 or _FOOTER.match(row, at):
            parts.append(row[done:at] + "&lt;!--")
            done = at + 4
    return "".join(parts) + row[done:]
