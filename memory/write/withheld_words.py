"""Let nothing that was withheld come in again (FORMAT.md, F9).

Whoever means it is refused and told; of what a machine gathered the rest is recorded.
"""

from __future__ import annotations

from ledger.errors import DraftRefused
from ledger.model.event import FactRedacted, facts_in
from ledger.model.findings import Finding
from ledger.model.session import EDIT, SessionLog
from memory.redaction.withheld_lines import Telling, telling_of
from memory.write.draft import DEFAULT_TITLE, Case, text_of

_HINT = "a redaction is for good; say what may be known in other words"


def without_withheld(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Return a log without what says again what was withheld; where somebody means it, refuse it.

    Raises:
        DraftRefused: the findings name the places, not the words.
    """
    telling = telling_of(case.home, case.cache, words=case.how.held)
    if telling is not None and case.how.held:
        return _without(telling, log), ()
    if telling is not None and (found := repeated(telling, log)):
        raise DraftRefused(found)
    return log, ()


def repeated(telling: Telling, log: SessionLog) -> tuple[Finding, ...]:
    """Name the places in which a log says again what was withheld, not the words."""
    said = [("the title", log.title), ("the prose", log.prose)]
    said += [(f"the text of {event.id}", text_of(event)) for event in log.events]
    said += [(f"what is said of {event.id}", event.remark) for event in log.events]
    hint = _HINT
    if log.type == EDIT:
        from projection.views.view_files import WAY_OUT  # it reads pages, which few logs need

        hint = f"{_HINT}, {WAY_OUT}"
    found = [
        Finding("withheld-text", f"{where} says what was redacted here", hint=hint)
        for where, text in said
        if telling.repeats(text)
    ]
    return tuple(dict.fromkeys(found))


def _without(telling: Telling, log: SessionLog) -> SessionLog:
    gone = {event.id for event in log.events if telling.repeats(text_of(event))}
    events = [
        event._replace(remark="") if telling.repeats(event.remark) else event
        for event in log.events
        if gone.isdisjoint(facts_in(event)) or isinstance(event, FactRedacted)
    ]
    prose = "\n".join(line for line in log.prose.split("\n") if not telling.repeats(line))
    title = DEFAULT_TITLE if telling.repeats(log.title) else log.title
    return log._replace(title=title, prose=prose.strip("\n"), events=tuple(events))
