"""Read when a ledger was reviewed, and when a person confirmed what never decays.

The layout keeps the last of both as lines below its project state: `last_review` and
`last_invariant_check`, with a date, the session log that it was done through, and what was found; and a
session log that reviewed has a section `## Memory Review`. Each becomes a log right behind that session
log, so that what is due counts from there. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ledger.model.order import has_time, is_date, is_stem, milliseconds_of
from ledger.model.record import Record
from projection.policy.model import BUILT_IN_KINDS
from rituals.intake.adopt.adopted_files import CONTINUITY, SESSIONS, text_of
from rituals.intake.adopt.read_facts import ImportedFact

REVIEW, CHECK = "last_review", "last_invariant_check"
_LINE = re.compile(
    r"^[-*+][ ]+\**(last_review|last_invariant_check)(?::\**|\**:)[ \t]*([^\n]+)", re.M
)
_STEM = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{6}\b")
_SECTION = b"\n## Memory Review"
#: The heading, and the lines below it in which the window of the review is told.
_REVIEWED = re.compile(r"^## (Memory Review\b[^\n]*)(?:\n[^#\n][^\n]*|\n){0,6}", re.M)
_THROUGH = re.compile(r"\bthrough\s+`?([0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{6})\b")
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+")
_DAY_MS = 86_400_000
_LASTING = frozenset(kind.name for kind in BUILT_IN_KINDS if not kind.decays)
_NOTE_CHARS = 2_000


class Held(Record):
    """A review or a check of invariants that a page tells of."""

    what: str  #: `REVIEW` or `CHECK`
    at_ms: int  #: right behind the log that it was done through, or the end of its day
    through: str  #: the stem of that log, "" where nothing says
    note: str  #: what says so, as it stands
    place: str  #: the file where it stands


def held_in(page: str) -> list[Held]:
    """Read the lines of a page that tell of a review or a check."""
    found = []
    for match in _LINE.finditer(page):
        what, note = match[1], match[2].strip()[:_NOTE_CHARS]
        stem = _STEM.search(note)
        if stem and is_stem(stem[0]):
            found.append(Held(what, milliseconds_of(stem[0]) + 1, stem[0], note, CONTINUITY))
        elif is_date(note[:10]):
            end = milliseconds_of(note[:10]) + _DAY_MS - 1
            found.append(Held(what, end, "", note, CONTINUITY))
    return found


def held_by(logs: Iterable[tuple[str, bytes]]) -> list[Held]:
    """Read the reviews that session logs tell of: through the log that one names, else through itself."""
    found = []
    for stem, data in logs:
        if _SECTION not in data or not (is_stem(stem) and has_time(stem)):
            continue
        match = _REVIEWED.search(text_of(data))
        if match:
            named = _THROUGH.search(match[0])
            through = named[1] if named and is_stem(named[1]) and named[1] <= stem else stem
            note = match[1].strip()[:_NOTE_CHARS]
            place = f"{SESSIONS}/{stem}.md"
            found.append(Held(REVIEW, milliseconds_of(through) + 1, through, note, place))
    return found


def confirmed(held: Held, facts: Iterable[ImportedFact]) -> list[str]:
    """Return what a check confirmed: the facts that its line names, else all that never decay by then."""
    known = {fact.id: fact for fact in facts}
    named = [id for id in dict.fromkeys(_ID.findall(held.note)) if id in known]
    if named:
        return named
    return sorted(
        id
        for id, fact in known.items()
        if (fact.tier == "core" or fact.kind in _LASTING) and fact.created <= held.note[:10]
    )
