"""Measure how fast a ledger grows, in whole numbers; the only clock is that of the stems."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.order import milliseconds_of
from ledger.model.record import Record

#: The days before the newest work session over which the pace is measured.
SPAN_DAYS = 28
_LEAST_DAYS = 7
_DAY_MS = 86_400_000
_UNKNOWN = "unknown"


class Pace(Record):
    """How many work sessions there were lately."""

    days: int  #: how long the span looked at is
    sessions: int  #: in that span
    agents: tuple[tuple[str, int], ...]  #: (agent, sessions), most first

    @property
    def weekly_tenths(self) -> int:
        """Work sessions a week, in tenths."""
        return self.sessions * 70 // self.days if self.days else 0


def pace(work: Sequence[tuple[str, str]]) -> Pace:
    """Measure the pace of a ledger by (stem, agent) of its work logs, in ledger order."""
    if not work:
        return Pace(0, 0, ())
    newest = milliseconds_of(work[-1][0])
    first = milliseconds_of(work[0][0])
    days = min(SPAN_DAYS, max(_LEAST_DAYS, (newest - first) // _DAY_MS + 1))
    counts: dict[str, int] = {}
    for stem, agent in work:
        if milliseconds_of(stem) > newest - days * _DAY_MS:
            name = agent or _UNKNOWN
            counts[name] = counts.get(name, 0) + 1
    agents = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return Pace(days, sum(counts.values()), tuple(agents))
