"""Measure how fast a ledger grows, and find policies that do not fit its pace.

What counts sessions alone means days only at one pace. Whole numbers; the only clock is that of the stems.
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.order import milliseconds_of
from ledger.model.record import Record
from projection.policy.model import PACED, Policy

#: The days before the newest work session over which the pace is measured.
SPAN_DAYS = 28
_LEAST_DAYS = 7
#: The fewest sessions in that span that make a pace.
_LEAST_SESSIONS = 20
_DAY_MS = 86_400_000
#: Key of `[review]`, what it should last at least and at most in days, what to propose for either.
_FITTING = (("every", 1, 91, 7, 28), ("verify_invariants_every", 7, 365, 30, 182))
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

    def days_of(self, sessions: int) -> int:
        """Return how many days so many work sessions take."""
        return sessions * self.days // self.sessions if self.sessions else 0


class Proposal(Record):
    """A value of the policy that does not fit the pace, and one that would."""

    key: str  #: of `diurna.toml`, with its table
    value: int  #: what it is
    days: int  #: how long that, or the window of sessions beside it, lasts at this pace
    better: int  #: what it could be


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


def proposals(found: Pace, policy: Policy) -> tuple[Proposal, ...]:
    """Return what in a policy lasts far too short or far too long at a pace.

    Windows of sessions that pass within days are to ask for work days as well (T8): those fit any pace.
    """
    if found.sessions < _LEAST_SESSIONS:
        return ()
    windows, review = policy.windows, policy.review
    made: list[Proposal] = []
    lasts = found.days_of(windows.archive)
    if windows.archive and lasts < _LEAST_DAYS and not windows.archive_days:
        for name in ("working", "active", "archive"):
            days = found.days_of(windows.of(name)[0])
            made.append(Proposal(f"windows.{name}_days", 0, days, PACED.of(name)[1]))
    for key, least, most, longer, shorter in _FITTING:
        value = getattr(review, key)
        lasts = found.days_of(value)
        if not value or least <= lasts <= most:
            continue
        better = found.sessions * (longer if lasts < least else shorter) // found.days
        # to fives from ten on: nobody tunes a window to the session
        better = max(5, better) if better < 10 else better // 5 * 5
        made.append(Proposal(f"review.{key}", value, lasts, better))
    return tuple(made)
