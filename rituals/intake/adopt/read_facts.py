"""Read the facts of an agent-memory ledger: texts, kinds and footers.

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
"""

from __future__ import annotations

from bisect import bisect_right

from ledger.model.event import Meta
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.order import is_date, is_stem
from ledger.model.record import Record
from ledger.model.session import META_KEYS
from projection.policy.model import BUILT_IN_KINDS, CLOSABLE, DEFAULT_KIND, DELIBERATE, THREAD_KIND
from rituals.intake.adopt.adopted_files import (
    ARCHIVE,
    ARCHIVE_INDEX,
    CONTINUITY,
    THREADS,
    VISION,
    AgentMemory,
)
from rituals.intake.adopt.compat import footer_fields, windows
from rituals.intake.adopt.page_blocks import Footer, Item, Page, trimmed, unquoted
from rituals.intake.code_spans import DIGITS_LIMIT, Comment, indent_of, storable

__all__ = ["ImportedFact", "facts", "windows"]

LIVE, ARCHIVED = "live", "archived"
VISION_KIND = "invariant"  #: a vision never decays
#: Footer keys that the replay computes.
_COUNTED = ("id", "uses", "last-used", "tier", "reason", "heads", "verified")
_ADOPTED = [kind for kind in BUILT_IN_KINDS if kind.name not in DELIBERATE]
_SECTION_KINDS = tuple((kind.section.lower(), kind.name) for kind in _ADOPTED)


class ImportedFact(Record):
    """One fact as a file of the layout states it.

    `mark` is the checkbox (`""` none, `" "` open, `"x"` closed), `origin` a stem or "" (unknown),
    `created` a date or "", `tier` and `uses` what the footer says, `superseded_by` an id or "",
    `state` is `live` or `archived`, `line` the 1-based line on which the text starts. `meta` holds
    what else the footer says (`supersedes`, `serves`, `tags`, …) and no count replaces.
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
    pages = [(CONTINUITY, memory.continuity), (VISION, memory.vision), *memory.threads]
    found = [
        fact for file, data in (*pages, *memory.archive) for fact in facts_of(file, data, findings)
    ]
    first: dict[str, ImportedFact] = {}
    for fact in found:
        other = first.setdefault(fact.id, fact)
        if fact.text != other.text:
            said = f"`{fact.id}` also stands in {other.file}:{other.line} with another text"
            hint = "both texts are kept; settle it with `Updated:` in a session log"
            findings.append(Finding("contradiction", said, fact.file, fact.line, hint))
    return tuple(found), tuple(findings)


def facts_of(file: str, data: bytes, findings: list[Finding]) -> list[ImportedFact]:
    """Read the facts of one page; the index of the archive has none."""
    if file == ARCHIVE_INDEX:
        return []
    page = FactPage(file, data, findings)
    return page.thread() if file.startswith(f"{THREADS}/") else page.facts()


class _Held(Record):
    """The lines of one footer's text, and whether it has one and became a fact.

    `item` is the line of the list item that holds them, or -1.
    """

    first: int
    last: int
    item: int
    read: bool
    text: bool


class FactPage(Page):
    """One page of the ledger, asked for its facts.

    `kinds` has the kind that each heading gives to what stands below it ("": none), `claimed` tells of
    each line whether a fact holds its text.
    """

    def __init__(self, file: str, data: bytes, findings: list[Finding]) -> None:
        super().__init__(file, data, findings)
        self.state = ARCHIVED if file.startswith(f"{ARCHIVE}/") else LIVE
        self.claimed = bytearray(len(self.lines))
        self.kinds: list[str] = []
        open_kinds = [""] * 7  # of the open heading of each level
        for heading in self.headings:
            outer = [kind for kind in open_kinds[: heading.level] if kind]
            kind = _kind_of(heading.title) or (outer[-1] if outer else "")
            open_kinds[heading.level :] = [kind] + [""] * (6 - heading.level)
            self.kinds.append(kind)

    def kind_below(self, heading: int) -> str:
        """Name the kind of what stands below a heading, given by its place or -1; "" for none."""
        return self.kinds[heading] if heading >= 0 else ""

    def facts(self) -> list[ImportedFact]:
        """Read the facts of the page in the order of their footers."""
        found: list[tuple[int, ImportedFact | None]] = []
        owned = self._owners()
        starts = {item.start: item for item in owned}
        at: dict[int, list[Comment]] = {}
        for footer in self.footers:
            at.setdefault(footer.comment.line, []).append(footer.comment)
        grouped = self._groups(starts)
        held: list[_Held] = []
        for item, footers in owned.items():
            parts = self._parts(item, at, starts)
            start = item.start
            if item.start in grouped:
                first = self.tops[grouped[item.start]]
                parts[0] = self._group(first, item, parts[0])
                start = first.start
            for footer, part in zip(footers, parts, strict=True):
                line, last = footer.comment.line, footer.comment.end_line
                fact = self._fact(footer, part, item.mark, start)
                found.append((line, fact))
                end = item.end if footer is footers[-1] else last
                held.append(_Held(start, end, item.start, fact is not None, trimmed(part) != []))
                start = last
        for footer in self.footers:
            if footer.item is None:
                start, rows = self._above(footer)
                fact = self._fact(footer, rows, "", start)
                found.append((footer.comment.line, fact))
                end = footer.comment.end_line
                if footer.run == -2:
                    end = self.stops[bisect_right(self.stops, end)] - 1
                held.append(_Held(start, end, -1, fact is not None, trimmed(rows) != []))
        self._claim(held, starts)
        found.sort(key=lambda row: row[0])
        return [fact for _, fact in found if fact]

    def _claim(self, held: list[_Held], starts: dict[int, Item]) -> None:
        """Mark the lines whose text became a fact; those of a footer that could not be read are free."""
        for claims in (True, False):
            for part in held:
                if part.read != claims or not part.text:
                    continue
                number = part.first
                while number <= part.last:
                    if part.item >= 0 and number > part.item and number in starts:
                        number = starts[number].end + 1
                        continue
                    self.claimed[number] = claims
                    number += 1

    def _owners(self) -> dict[Item, list[Footer]]:
        """Give every footer in a list its item."""
        by_top: dict[Item, list[Footer]] = {}
        for footer in self.footers:
            if footer.item:
                by_top.setdefault(footer.item.top, []).append(footer)
        owned: dict[Item, list[Footer]] = {}
        for top, footers in by_top.items():
            if len(footers) == 1 and footers[0].comment.end_line == top.end:
                owned[top] = footers
                continue
            for footer in footers:
                owned.setdefault(footer.item or top, []).append(footer)
        return owned

    def _groups(self, starts: dict[int, Item]) -> dict[int, int]:
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
        self, item: Item, at: dict[int, list[Comment]], starts: dict[int, Item]
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
            before, begin = "", min(item.indent, indent_of(line))
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
        return [[row[min(item.width, indent_of(row)) :] for row in part] for part in parts]

    def _group(self, first: Item, item: Item, rows: list[str]) -> list[str]:
        """Join the items above to the one with the footer, under the section's title."""
        title = self.headings[item.heading].title if item.heading >= 0 else self.file
        above = [
            line[min(first.indent, indent_of(line)) :]
            for line in self.lines[first.start : item.start]
        ]
        rows = rows or [""]
        return [f"{title}:", *above, f"- {rows[0]}", *(f"  {row}" for row in rows[1:])]

    def _above(self, footer: Footer) -> tuple[int, list[str]]:
        """Read the paragraphs that a footer outside of lists closes."""
        comment = footer.comment
        heading = self.headings[footer.heading] if footer.heading >= 0 else None
        if footer.run >= 0:
            start = footer.run
            rows = self.lines[start : comment.line] + [self.lines[comment.line][: comment.column]]
            rows = unquoted(rows)
        elif footer.run == -2 and heading:
            start = heading.line
            stop = self.stops[bisect_right(self.stops, comment.end_line)]
            rows = [heading.title, "", *trimmed(self.lines[comment.end_line + 1 : stop])]
        else:
            start, rows = comment.line, []
        if self.file == VISION and len(self.footers) == 1:
            sections = [heading.line for heading in self.headings if heading.level == 2]
            if sections and comment.line < sections[0]:
                end = sections[1] if len(sections) > 1 else len(self.lines)
                rows = [*trimmed(rows), "", *trimmed(self.lines[sections[0] + 1 : end])]
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
            footer = Footer(Comment(0, 0, 0, 0, f"id: {name}", said), None, -1, -1)
        start = next((number for number, row in enumerate(rows) if row.strip()), len(rows))
        rows = rows[start:] or [""]
        first = self.tops[0] if self.tops else None
        if first and first.start == start:
            rows = [row[min(first.width, indent_of(row)) :] for row in rows]
            rows[0] = self.lines[start][first.text_at :]
            mark = first.mark or " "
        else:
            rows[0] = rows[0].lstrip("# ")
            mark = "x" if "[x]" in rows[0].lower() else " "
        fact = self._fact(footer, rows, mark, min(start, len(self.lines) - 1))
        return [fact] if fact else []

    def _fact(self, footer: Footer, rows: list[str], mark: str, start: int) -> ImportedFact | None:
        """Make a fact of a footer and the lines of its text, or report why there is none."""
        comment = footer.comment
        fields = {k.replace("_", "-"): v for k, v in footer_fields(comment.inside).items()}
        id = _bare_id(fields.pop("id", ""))
        problem = comment.problem
        if not problem and "|" not in comment.inside:
            problem = "a footer with nothing but the id; read"
        if problem:
            hint = "write it on one line: `<!-- id: … | created: … -->`"
            self.note("bad-footer", problem, comment.line, hint)
        if not is_fact_id(id):
            hint = "an id is `[a-z0-9]+([.-][a-z0-9]+)*`, at most 80 characters; correct it first"
            self.note("bad-id", f"{id[:80]!r} is no fact id; not imported", comment.line, hint)
            return None
        text = storable(rows, mark)
        if not text:
            said = f"the footer of `{id}` has no text above it; not imported"
            self.note("bad-footer", said, comment.line)
            return None
        created, origin = fields.pop("created", ""), fields.pop("origin", "")
        if created and not is_date(created):
            self.note("bad-date", f"{created[:80]!r} is no date; read as unknown", comment.line)
            created = ""
        stem = _bare_id(origin).replace("\\", "/").rpartition("/")[2].removesuffix(".md")
        if stem and not is_stem(stem):
            said = f"the origin {origin[:80]!r} is no session log; read as unknown"
            self.note("bad-footer", said, comment.line)
            stem = ""
        successor = _bare_id(fields.pop("superseded-by", ""))
        if successor and not is_fact_id(successor):
            self.note("bad-id", f"the successor {successor[:80]!r} is no fact id", comment.line)
            successor = ""
        kind = self.kind_below(footer.heading)
        if is_fact_id(fields.get("kind", "")):
            kind = fields["kind"]
        elif self.file == VISION:
            kind = VISION_KIND
        elif mark:
            kind = THREAD_KIND
        if kind in CLOSABLE:
            mark = mark or " "
        uses = fields.get("uses", "")
        counted = uses.isascii() and uses.isdigit() and len(uses) <= DIGITS_LIMIT
        return ImportedFact(
            id, text, kind or DEFAULT_KIND, mark, created, stem, fields.get("tier", "").lower(),
            successor, self.file, start + 1, self.state, int(uses) if counted else 0, _meta(fields),
        )  # fmt: skip


def _meta(fields: dict[str, str]) -> Meta:
    """Keep what a footer says besides what is counted anew: known keys first, then the others."""
    known = [key for key in META_KEYS if key in fields]
    others = [key for key in fields if key not in META_KEYS and key not in _COUNTED]
    found: list[tuple[str, str]] = []
    for key in (*known, *others):
        value = "".join([char if char.isprintable() else " " for char in fields[key]]).strip()
        name = key.lower()
        plain = name.isascii() and name.replace("-", "").isalnum() and "--" not in name
        if value and plain and key != "kind" and name not in dict(found):
            found.append((name, value))
    return tuple(found)


def _bare_id(text: str) -> str:
    return text.strip("`*[] ")


def _kind_of(title: str) -> str:
    """Name the kind whose section has this title, also with words after it; "" when none does."""
    words = title.lower().replace(" and ", " & ")
    for section, kind in _SECTION_KINDS:
        if words.startswith(section) and not words[len(section) : len(section) + 1].isalnum():
            return kind
    return ""
