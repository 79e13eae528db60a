"""Write a reason beside an event, where it can stand there."""

from __future__ import annotations

from ledger.codec.validate import problems
from ledger.model.event import Event
from ledger.model.session import SessionLog


def because(event: Event, reason: str) -> Event:
    """Put a reason beside an event, where it can be written there; the log's prose has it anyway."""
    said = event._replace(remark=" ".join(reason.split()))
    log = SessionLog((("agent", "a"), ("type", "edit")), "T", "", (said,))
    return event if problems(log) else said
