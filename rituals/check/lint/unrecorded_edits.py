"""Find what the work tree says and no log does: a fact that somebody edited in `continuity.md`."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.event import VERB_OF
from ledger.model.findings import Finding
from memory.api import Memory
from memory.edits.detect import Edit, edited_findings

_HINT = "`diurna check --absorb` makes a log of it; `diurna check --absorb --dry-run` shows which"


def undeclared(memory: Memory, edits: tuple[Edit, ...]) -> Iterator[Finding]:
    """Name what people edited and no log says, in the work tree (by `find_edits`) and in commits."""
    found = [said for edit in edits for said in edit_findings(edit)]
    found += committed_findings(memory)
    declared = {one.file for one in found}
    yield from found
    for one in edited_findings(memory.edited()):
        if one.file not in declared:
            yield one


def edit_findings(edit: Edit) -> Iterator[Finding]:
    """Name each change of a fact that `check --absorb` would record, and what it would not understand."""
    lines = edit.data.decode("utf-8", "replace").split("\n")
    for event in edit.events:
        footer = f"id: {event.id} "  # which a fact may not have (any more)
        line = next((number for number, line in enumerate(lines, 1) if footer in line), 0)
        said = f"the edit says `{VERB_OF[type(event)]}: {event.id}`, and no log does"
        yield Finding("undeclared-edit", said, edit.file, line, _HINT)
    yield from edit.findings


def committed_findings(memory: Memory) -> Iterator[Finding]:
    """Name what people committed and no log says, and what no log can say."""
    unabsorbed = [one for one in memory.unabsorbed() if one.stem]
    for edit in unabsorbed:
        touch = edit.touch
        where = f"the edit of commit {touch.commit[:12]} by {touch.author}"
        for event in edit.events:
            said = f"{where} says `{VERB_OF[type(event)]}: {event.id}`, and no log does"
            yield Finding("undeclared-edit", said, touch.file, hint=_HINT)
    yield from (one for one in memory.left_alone() if one.line or not unabsorbed)
