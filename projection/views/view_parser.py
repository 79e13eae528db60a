"""Read the file of a view back: its facts as blocks, and what is computed around them as lines.

Total: whoever wrote it last, this never raises. A fact is a bullet with a footer below it, or a paragraph
with one; both are read as blocks of `continuity.md` are.
"""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.record import Record
from projection.document import page_parser as parser
from projection.document.footer_reader import BLANK, read_footer, read_item, read_versions
from projection.document.page_renderer import LEAD
from projection.views.decision_view import LABEL

NOTE = (
    "Diurna computes this page from the session logs. Tick a box, reword a fact, add a bullet: before it "
    "is written again, that becomes a log of its own, and what is not understood is named and stays."
)


class Loose(Record):
    """A bullet or a paragraph that names no fact, with its lines as they stand."""

    block: parser.Block
    lines: tuple[str, ...]


class ViewText(Record):
    """The file of a view as values."""

    title: str  #: without the `# `
    note: str  #: the quoted line below it
    blocks: tuple[parser.Block, ...]  #: its facts
    #: bullets and paragraphs that name no fact: computed, or written by a person
    loose: tuple[Loose, ...]
    frame: tuple[tuple[int, str], ...]  #: (line, text) of all else: headings, and what is neither
    machine: parser.MachineLine | None  #: its last line
    noticed: tuple[Finding, ...]  #: what is wrong with it


def parse_view(path: str, text: str, file: str = "") -> ViewText:
    """Read the file of a view.

    `text` has LF or CRLF, with or without a byte order mark; `file` is its name in findings, "" for its
    path.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].endswith("\r"):
        lines = [line.removesuffix("\r") for line in lines]
    reader = _Reader(file or path)
    reader.read(lines)
    return ViewText(
        reader.title, " ".join(reader.note), tuple(reader.blocks), tuple(reader.loose),
        tuple(reader.frame), reader.machine, tuple(reader.noticed),
    )  # fmt: skip


class _Reader:
    """Reads lines into blocks; one per file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.title = ""
        self.note: list[str] = []
        self.blocks: list[parser.Block] = []
        self.loose: list[Loose] = []
        self.frame: list[tuple[int, str]] = []
        self.machine: parser.MachineLine | None = None
        self.noticed: list[Finding] = []
        self._section = ""
        self._known: dict[str, int] = {}

    def read(self, lines: list[str]) -> None:
        """Sort lines into headings, facts and what is computed."""
        at = 0
        while at < len(lines):
            end = self._end(lines, at)
            self._take(lines[at:end], at + 1)
            at = end

    def _end(self, lines: list[str], at: int) -> int:
        """Return where it ends what begins on a line: a bullet with what is below it, or a paragraph."""
        end = at + 1
        if lines[at][:2] == "- ":
            below = (" ", "\t")
            while end < len(lines) and (lines[end][:1] in below or not lines[end].strip(BLANK)):
                end += 1
            return end
        if _is_text(lines[at]):
            while end < len(lines) and _is_text(lines[end]):
                end += 1
            foot = lines[end] if end < len(lines) else ""
            if foot[:4] == "<!--" and read_footer(foot) is not None:
                end += 1
        return end

    def _take(self, lines: list[str], number: int) -> None:
        line = lines[0].rstrip(BLANK)
        if not line:
            return
        if line[:2] == "- " or _is_text(line):
            self._block(lines, number, bullet=line[:2] == "- ")
        elif line[:7] in parser.CONFLICT_MARKERS:
            hint = "keep the lines that hold, and take those with the markers away"
            self._note("conflict-in-projection", "a merge conflict marker", number, hint)
        elif line[:2] == "# " and not self.title:
            self.title = line[2:].strip(BLANK)
        elif line[:1] == ">" and not self._section:
            self.note.append(line[1:].strip(BLANK))
        elif (found := parser.machine_line(line)) is not None:
            self.machine = found
        else:
            if line[:3] == "## ":
                self._section = line[3:].strip(BLANK)
            self.frame.append((number, line))

    def _block(self, lines: list[str], number: int, *, bullet: bool) -> None:
        """Turn a bullet or a paragraph into a value."""
        if bullet:
            mark, text, pairs, at = read_item(lines)
        else:
            pairs, mark, at = read_footer(lines[-1]) if len(lines) > 1 else None, "", 0
            text = "\n".join(lines[:-1] if pairs is not None else lines).strip(BLANK)
        id = next((value for key, value in pairs or () if key == "id"), "")
        if not is_fact_id(id):
            block = parser.Block(self._section, "", mark, text, pairs or (), (), number)
            self.loose.append(Loose(block, tuple([one.rstrip(BLANK) for one in lines])))
            return
        if at < 0:
            self._note("bad-footer", parser.AFTER_FOOTER, number - at, "")
        if id in self._known:
            message = f"`{id}` stands on line {self._known[id]} already"
            self._note("duplicate-block", message, number, "keep one of them")
            return
        self._known[id] = number
        versions = read_versions(text) if text.startswith(LEAD) else ()
        if versions:
            text = "\n\n".join([version.text for version in versions])
        elif text.startswith(LABEL) and self._section[:4] == "DEC-":
            text = text[len(LABEL) :]
        self.blocks.append(
            parser.Block(self._section, id, mark, text, pairs or (), versions, number)
        )

    def _note(self, code: str, message: str, line: int, hint: str) -> None:
        self.noticed.append(Finding(code, message, self._file, line, hint))


def _is_text(line: str) -> bool:
    """Tell whether a line can be part of a paragraph: it begins as nothing else does."""
    return (
        line[:1] not in ("", " ", "\t", "\r", "#", ">", "<", "-")
        and line[:7] not in parser.CONFLICT_MARKERS
    )
