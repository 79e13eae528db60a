"""Read `continuity.md` or an archive page back into values, whoever wrote it last.

Total: it never raises; what it can not place is a finding with its line. For text that `render` or
`archive` wrote, `unparse(parse(text))` is that text (FORMAT.md, section 7: render after parse is a
fixed point). For text that people edited, the values say what stands there now, and `unparse` writes
it in canonical form.

Structure stands in column 0 only: `# `, `## `, bullets and the machine line. A block is a bullet and
all indented or empty lines after it; its footer is its last line, so no text can forge one
(fault:G13, fault:G14, fault:G17). Linear in the length of the text; split on line feeds only. What
one bullet says is read by `projection.document.footer_reader`.
"""

from __future__ import annotations

from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id
from ledger.model.layout import ARCHIVE_INDEX, CONTINUITY_FILE, VIEW_FILES
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import is_number
from projection.document import footer_reader, page_renderer
from projection.fold.fact_history import Version
from projection.policy.model import CONTRADICTIONS

if TYPE_CHECKING:
    from ledger.codec.outline_by_lines import Fences

_MACHINE = "<!-- diurna: format "
_MACHINE_LIMIT_CHARS = 2048
_BULLET, _HEADING = "\n\n- ", "\n\n## "  #: as rendered
_FENCES = ("```", "~~~")
#: Says that two files were put together.
TWO_MACHINES = "a second machine line; the last one counts"
#: Says that somebody wrote below a footer: the one finding that loses nothing.
AFTER_FOOTER = "text stands after the footer; it is read as text"
#: Says that somebody took a bullet away and left its footer.
NO_BULLET = "a footer without its bullet"
#: Says of an entry under Contradictions that nothing reads it, and what to do.
IS_COMPUTED = (
    "this section is computed; an edit here has no effect",
    "decide it where the fact stands: leave the text that holds, or write another",
)
#: How the lines below such an entry begin (`page_renderer.conflict`).
_SIDES = ("- version `", "- successor `", "- circle `", "- superseded by `", "- invalidated in ",
          "- moved to ")  # fmt: skip
CONFLICT_MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


class MachineLine(Record):
    """What the last line of `continuity.md` says of the ledger it was made from."""

    format: int
    logs: int
    newest: str
    digest: str


class Block(Record):
    """A bullet of the file; `id` is "" where no footer names one.

    `mark` is its checkbox: "" none, " " open, "x" closed. `versions` are the texts of a contradicted
    fact, and `text` is then all of them, as in `Fact.text`. `line` is 1-based.
    """

    section: str
    id: str
    mark: str
    text: str
    footer: footer_reader.Pairs = ()
    versions: tuple[Version, ...] = ()
    line: int = 0

    def get(self, key: str) -> str:
        """Return the footer value of `key`, "" for none."""
        return next((value for name, value in self.footer if name == key), "")


class Parsed(Record):
    """A projection file as values; `project` is "" for an archive page.

    `orphans` are footers without a bullet, as blocks without a text.
    """

    title: str
    project: str
    note: str
    state: footer_reader.Pairs
    conflicts: tuple[tuple[str, int], ...]  #: entries under Contradictions, each with its line
    blocks: tuple[Block, ...]
    machine: MachineLine | None
    orphans: tuple[Block, ...] = ()


def machine_line(text: str) -> MachineLine | None:
    """Read the machine line, looking at nothing but the last line of the text."""
    tail = text[-_MACHINE_LIMIT_CHARS:].rstrip(" \t\r\n")
    return _machine(tail[tail.rfind("\n") + 1 :])


def parse(text: str, *, file: str = CONTINUITY_FILE) -> tuple[Parsed, tuple[Finding, ...]]:
    """Read a projection file.

    `text` has LF or CRLF, with or without a byte order mark; `file` is its path in the home, for
    findings.
    """
    reader = _Reader(file)
    reader.read(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    title = reader.title or ""
    project = title[len(page_renderer.TITLE) :] if title.startswith(page_renderer.TITLE) else ""
    parsed = Parsed(
        title, project, "\n".join(reader.note), tuple(reader.state), tuple(reader.conflicts),
        tuple(reader.blocks), reader.machine, tuple(reader.orphans),
    )  # fmt: skip
    return parsed, tuple(reader.findings)


def unparse(parsed: Parsed) -> str:
    """Write what was read in canonical form; the inverse of `parse` on rendered text."""
    parts = [f"# {parsed.title}" if parsed.title else "#"]
    if parsed.note:
        parts.append("\n".join([f"> {line}" if line else ">" for line in parsed.note.split("\n")]))
    if parsed.state:
        parts.append("\n".join([f"- {label}: {value}" for label, value in parsed.state]))
    parts.extend(_write(block) for block in parsed.blocks if not block.section)
    if parsed.conflicts:
        parts.append(f"## {CONTRADICTIONS}")
        parts.extend(page_renderer.item(said) for said, _ in parsed.conflicts)
    section = ""
    for block in parsed.blocks:
        if not block.section:
            continue
        if block.section != section:
            section = block.section
            parts.append(f"## {section}")
        parts.append(_write(block))
    if parsed.machine:
        parts.append(page_renderer.machine(*parsed.machine))
    return "\n\n".join(parts) + "\n"


def _write(block: Block) -> str:
    if block.versions:
        body = page_renderer.contradicted(block.versions, block.mark)
    else:
        body = page_renderer.item(block.text, block.mark)
    return f"{body}\n  {page_renderer.footer(block.footer)}" if block.footer else body


class _Reader:
    """Reads lines into blocks; one per file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.title: str | None = None
        self.note: list[str] = []
        self.state: list[tuple[str, str]] = []
        self.conflicts: list[tuple[str, int]] = []
        self.blocks: list[Block] = []
        self.machine: MachineLine | None = None
        self.orphans: list[Block] = []
        self.findings: list[Finding] = []
        self._section = ""
        self._seen: dict[str, int] = {}  # fact id -> line
        self._item: list[str] = []  # the lines of the open block
        self._start = 0
        self._stray = False  # inside lines that are no part of a block

    def read(self, lines: list[str]) -> None:
        """Sort lines into title, note, headings, blocks, machine line and what is none of these."""
        skip_to = 0
        fences: Fences | None = None
        for number, line in enumerate(lines, 1):
            if number < skip_to:
                continue
            first = line[:1]
            if first in ("", " ", "\t", "\r"):
                if self._item:
                    self._item.append(line)
                elif not line.strip(footer_reader.BLANK):
                    self._stray = False
                elif not self._stray and not self._is_orphan(line, number):
                    self._stop(number)
            elif f"{line.rstrip(footer_reader.BLANK)} "[:2] in ("- ", "* ", "+ "):
                self._close()
                self._stray = False
                self._item, self._start = [line], number
            elif line.startswith("## ") and line[3:].strip(footer_reader.BLANK):
                self._close()
                self._stray = False
                self._section = line[3:].strip(footer_reader.BLANK)
            elif line.startswith(_MACHINE) and (machine := _machine(line)):
                self._close()
                if self.machine:
                    hint = "keep the one that stood there"
                    self._note("hand-edited", TWO_MACHINES, number, hint)
                self.machine = machine
            elif line[:7] in CONFLICT_MARKERS:
                self._note(
                    "conflict-in-projection",
                    "a merge conflict marker",
                    number,
                    "keep the bullets that hold, and take the lines with the markers away",
                )
            elif first not in "#>`~" and self._item and self._item[-1].strip(footer_reader.BLANK):
                self._item.append(line)  # markdown reads it as part of the item, so do people
            elif first == "<" and self._item and _names_id(line):
                self._item.append(line)  # an editor parted it from its bullet
            elif line[:3] in _FENCES:
                self._close()
                self._stop(number)
                from ledger.codec.outline_by_lines import Fences

                fences = fences or Fences(lines)
                skip_to = fences.end(number - 1) + 1
            else:
                self._close()
                begun = self._section or self.blocks or self.state or self._stray
                is_title = f"{line.rstrip(footer_reader.BLANK)} "[:2] == "# "
                if not begun and first == ">":
                    self.note.append(line[1:].strip(footer_reader.BLANK))
                elif is_title and not begun and self.title is None:
                    self.title = line[1:].strip(footer_reader.BLANK)
                elif not self._stray and not self._is_orphan(line, number):
                    self._stop(number)
        self._close()

    def _is_orphan(self, line: str, number: int) -> bool:
        """Note a footer that stands where no bullet is open."""
        id = _names_id(line)
        if id:
            footer = footer_reader.read_footer(line) or ()
            self.orphans.append(Block(self._section, id, "", "", footer, (), number))
            hint = "write its bullet above it again, or take it away"
            self._note("bad-footer", NO_BULLET, number, hint)
        return bool(id)

    def _stop(self, number: int) -> None:
        """Report lines that are no part of a block, once for neighbours."""
        self._stray = True
        self._note(
            "hand-edited",
            "this text is no part of a fact",
            number,
            "write it as a bullet (`- ...`) of a section, or indent it under the bullet it belongs to",
        )

    def _note(self, code: str, message: str, line: int, hint: str = "") -> None:
        self.findings.append(Finding(code, message, self.file, line, hint))

    def _close(self) -> None:
        """Turn the open block into a value."""
        lines, self._item = self._item, []
        if not lines:
            return
        mark, text, pairs, at = footer_reader.read_item(lines)
        start = self._start
        if pairs is None:
            if not self._section and not mark and self._read_state(text):
                return
            if self._section == CONTRADICTIONS:
                said = footer_reader.unwrapped(text)
                if _is_conflict(said):
                    self.conflicts.append((said, start))
                    return
                self._note("hand-edited", IS_COMPUTED[0], start, IS_COMPUTED[1])
            self.blocks.append(Block(self._section, "", mark, text, (), (), start))
            return
        if at < 0:
            self._note("bad-footer", AFTER_FOOTER, start - at)
        footer_line = start + abs(at)
        if any(not key for key, _ in pairs):
            hint = "part `key: value` from the next by `|`"
            self._note("bad-footer", "a part of the footer is not `key: value`", footer_line, hint)
        id = next((value for key, value in pairs if key == "id"), "")
        if id and not is_fact_id(id):
            hint = "ids are lower-case words joined by hyphens or dots"
            self._note("bad-id", f"`{id[:80]}` is not a fact id", footer_line, hint)
            id = ""
        if id:
            if id in self._seen:
                message = f"`{id}` stands on line {self._seen[id]} already"
                hint = "keep one of them; a new fact gets an id of its own, or none"
                self._note("duplicate-block", message, start, hint)
            self._seen.setdefault(id, start)
        versions: tuple[Version, ...] = ()
        if text.startswith(page_renderer.LEAD) and any(key == "heads" for key, _ in pairs):
            versions = footer_reader.read_versions(text)
            if versions:
                text = "\n\n".join(version.text for version in versions)
            else:
                hint = "leave one text in place of them all"
                self._note(
                    "bad-footer", "the versions of this fact can not be told apart", start, hint
                )
        self.blocks.append(Block(self._section, id, mark, text, pairs, versions, start))

    def _read_state(self, text: str) -> bool:
        label, colon, value = " ".join(text.split("\n")).partition(": ")
        if not colon or label not in page_renderer.STATE_LABELS or self.blocks:
            return False
        self.state.append((label, value))
        return True


def _is_conflict(said: str) -> bool:
    """Tell whether an entry under Contradictions has the form in which one is rendered."""
    head, *sides = said.split("\n")
    return (
        head[:1] == "`"
        and "`: " in head
        and bool(sides)
        and all(side.startswith(_SIDES) for side in sides)
    )


def _names_id(line: str) -> str:
    """Return the id that a footer names, "" for what is none."""
    id = dict(footer_reader.read_footer(line) or ()).get("id", "")
    return id if is_fact_id(id) else ""


def _machine(line: str) -> MachineLine | None:
    if not (line.startswith(_MACHINE) and line.rstrip(footer_reader.BLANK).endswith(" -->")):
        return None
    first, *rest = line.rstrip(footer_reader.BLANK)[len(_MACHINE) : -4].split(" | ")
    fields = {key: value for key, _, value in (part.partition(": ") for part in rest)}
    logs, newest, digest = [fields.get(key, "") for key in ("logs", "newest", "digest")]
    if not (is_number(first) and is_number(logs) and newest):
        return None
    return MachineLine(int(first), int(logs), newest * (newest != page_renderer.NONE), digest)


def has_rendered_form(path: str, text: str, known: str = "") -> bool:
    """Tell whether a file is one that rendering may have written: nothing else stands in it.

    `known` is one that is known for that.
    """
    if path == ARCHIVE_INDEX:  # it grows for ever
        new = {*text.split("\n")}.difference(known.split("\n"))
        return all(map(indexed, [one for one in new if one and one[:2] != "# "]))
    if path in VIEW_FILES:
        named = text.removeprefix("\ufeff").startswith(f"# {VIEW_FILES[path].capitalize()} — ")
        marked = "\n<<<<<<< " in text or "\n>>>>>>> " in text
        return named and not marked and machine_line(text) is not None
    less = _unlike(text, known)
    parsed, noticed = parse(less, file=path)
    ids = [block.id for block in parsed.blocks]
    whole = parsed.machine is not None or path != CONTINUITY_FILE
    fits = not noticed and whole and all(ids) and unparse(parsed) == less
    if less == text or (fits and all(text.count(f" id: {id} ") == 1 for id in ids)):
        return fits
    return has_rendered_form(path, text)


def _unlike(text: str, known: str) -> str:
    """Leave out the bullets that a rendered page has in the same section, and a section of no others.

    What is left has rendered form only where the whole has, if none of its ids is in what went.
    """
    there: dict[str, set[str]] = {}
    for part in known.rpartition(_BULLET)[0].split(_HEADING):
        name, *items = part.split(_BULLET)
        there[name] = {item for item in items if "\n  <!-- id: " in item}
    head, bullet, last = text.rpartition(_BULLET)
    pieces = head.replace(_HEADING, _BULLET).split(_BULLET)
    if len({*pieces}) < len(pieces):
        return text
    parts, less = head.split(_HEADING), list[str]()
    for at, part in enumerate(parts, 1):
        name, *items = part.split(_BULLET)
        kept = [item for item in items if item not in there.get(name, ())]
        if kept or not items or at in (1, len(parts)):
            less.append(_BULLET.join([name, *kept]))
    return f"{_HEADING.join(less)}{bullet}{last}"


def indexed(line: str) -> str:
    """Return the id that a line of the archive's index is about, "" where it is no such line."""
    id, _, rest = line[2:].partition(" — ")
    return id if line[:2] == "- " and rest.count(" — ") == 2 and is_fact_id(id) else ""
