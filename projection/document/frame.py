"""Check what stands around the facts of `continuity.md`: title, note, state block, headings, last line.

All of that is computed. What was taken away comes back; what was written there can not be said by an
event, so it is a finding (FORMAT.md, A3).
"""

from __future__ import annotations

from ledger.model.findings import Finding
from projection.document.page_parser import Parsed
from projection.policy.model import CONTRADICTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from projection.fold.projection_state import Standing

    Known = Callable[[str], Standing | None]
    #: A finding: what is wrong, the line, and what to do.
    Said = tuple[str, int, str]

COMPUTED = "it is computed; put it back as it was"
_DECIDE = "decide it where the fact stands: leave the text that holds, or write another"


def surroundings(
    before: Parsed,
    after: Parsed,
    lines: Sequence[str],
    titles: tuple[str, ...],
    known: Known,
    touched: set[str],
    file: str,
) -> list[Finding]:
    """Say what was written where no event can say it.

    `before` is the file as it was rendered, `after` and `lines` are as it stands; `titles` are of the
    sections there can be; `known` gives the facts as they stand in the ledger now; `touched` are ids
    that the edit says something of.
    """
    said = [*_head(before, after, lines)]
    for number, line in enumerate(lines, 1):
        title = line[3:].strip()
        if line[:3] == "## " and title and title not in (*titles, CONTRADICTIONS):
            hint = f"sections: {', '.join(titles)}; diurna.toml can name more kinds"
            said.append((f"there is no section {title[:60]!r}", number, hint))
    said += _contradictions(before, after, lines, known, touched)
    if after.machine and after.machine != before.machine:
        hint = "put it back as it was: it says what the file was made from"
        said.append(("the last line was changed", _line_of("<!-- diurna: ", lines), hint))
    return [Finding("hand-edited", message, file, line, hint) for message, line, hint in said]


def _head(before: Parsed, after: Parsed, lines: Sequence[str]) -> Iterator[Said]:
    if after.title and after.title != before.title:
        hint = "the project's name stands in diurna.toml"
        yield "the title was changed", _line_of(f"# {after.title}", lines), hint
    note = " ".join(before.note.split())
    for line in after.note.split("\n"):
        if " ".join(line.split()) not in note:
            hint = "write it as a bullet of a section"
            yield "the note was changed", _line_of(f"> {line}", lines), hint
    for label, value in after.state:
        if (label, value) not in before.state:
            yield f"`{label}` was changed", _line_of(f"- {label}: {value}", lines), COMPUTED


def _contradictions(
    before: Parsed, after: Parsed, lines: Sequence[str], known: Known, touched: set[str]
) -> Iterator[Said]:
    """Refuse a choice that was made in the list of contradictions and nowhere else."""
    listed = {entry.id: entry._replace(line=0) for entry in before.conflicts}
    for entry in after.conflicts:
        if listed.pop(entry.id, None) != entry._replace(line=0):
            yield f"the contradiction of {entry.id} was changed", entry.line, _DECIDE
    for entry in listed.values():
        standing = known(entry.id)
        ends = {entry.id, *entry.rivals, *[new for _, new in entry.denied]}
        if standing is not None and standing.fact.contradicted and not touched & ends:
            line = _line_of(f"## {CONTRADICTIONS}", lines)
            yield f"the contradiction of {entry.id} was taken away", line, _DECIDE


def _line_of(start: str, lines: Sequence[str]) -> int:
    """Return the line that starts so, blanks apart; 1 if there is none."""
    wanted = start.replace(" ", "")
    for number, line in enumerate(lines, 1):
        if line.replace(" ", "").startswith(wanted):
            return number
    return 1
