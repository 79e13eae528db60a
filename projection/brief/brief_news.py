"""List what logs say happened to facts: each fact once, corrections before the rest."""

from __future__ import annotations

from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.record import Record
from projection.brief import brief_values as values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.model.event import Event
    from ledger.model.session import Entry

_WHAT: dict[type[Event], str] = {
    FactSuperseded: values.SUPERSEDED, FactInvalidated: values.INVALIDATED, FactUpdated: values.UPDATED,
    FactReinstated: values.REINSTATED, FactCreated: values.BORN, ThreadClosed: values.CLOSED,
    ThreadReopened: values.REOPENED,
}  # fmt: skip


class Happened(Record):
    """One thing that a log says of a fact; `successor` is what replaces it, "" if nothing does."""

    fact: str
    what: str
    stem: str
    by: str
    successor: str = ""


def happened(entries: Iterable[Entry]) -> tuple[list[Happened], list[Happened]]:
    """Return the corrections and the other news in some logs, each newest first.

    Of a fact the newest correction counts, else the newest of the rest; what replaces another fact is no
    news of its own. The logs come newest first.
    """
    corrections: dict[str, Happened] = {}
    others: dict[str, Happened] = {}
    replacing: set[str] = set()
    for entry in entries:
        for event in entry.acts:
            what = _WHAT.get(type(event), "")
            if isinstance(event, FactMoved):
                # where a task stands is said beside it, while it is open
                what = event.state if event.state in values.CLOSINGS else ""
            if not what or (isinstance(event, FactCreated | FactUpdated) and event.text is None):
                continue
            successor = event.new if isinstance(event, FactSuperseded) else ""
            replacing.add(successor)
            into = corrections if what in values.CORRECTIONS else others
            into.setdefault(event.id, Happened(event.id, what, entry.stem, entry.agent, successor))
    passed = replacing.union(corrections)
    return list(corrections.values()), [one for id, one in others.items() if id not in passed]
