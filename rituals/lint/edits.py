"""What the work tree says and no log does: a fact that somebody edited in `continuity.md`."""

from __future__ import annotations

from ledger.event import VERB_OF
from ledger.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory.edits import Edit

_HINT = "`diurna absorb` makes a log of it; `diurna absorb --dry-run` shows which"


def edit_findings(edit: Edit | None) -> Iterator[Finding]:
    """Name each change of a fact that `diurna absorb` would record, and what it would not understand."""
    if edit is None:
        return
    lines = edit.data.decode("utf-8", "replace").split("\n")
    for event in edit.events:
        line = _line_of(event.id, lines)
        said = f"the edit says `{VERB_OF[type(event)]}: {event.id}`, and no log does"
        yield Finding("undeclared-edit", said, edit.file, line, _HINT)
    yield from edit.findings


def _line_of(fact: str, lines: list[str]) -> int:
    """Return the line of a fact's footer, 0 where it has none (any more)."""
    mark = f"id: {fact} "
    return next((number for number, line in enumerate(lines, 1) if mark in line), 0)
