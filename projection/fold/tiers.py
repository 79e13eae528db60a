"""Decide the tier of each fact by counting work logs, never by scores.

Section 5 of the format. Everything is a comparison of stems with cuts (`DecayClock`), so a tier costs no
count; only the archive page of a faded fact needs the list of work logs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from ledger.model.layout import quarter_of
from projection.fold.fact_history import Fact
from projection.fold.live_view import (
    ARCHIVED_TIERS,
    BY_HAND,
    CLOSED,
    FADED,
    INVALIDATED,
    SUPERSEDED,
    TIERS,
    DecayClock,
    LiveView,
    Standing,
    Summary,
)
from projection.policy.model import Policy, Windows

_DATE_CHARS = 10  # of a stem


def newest_dates(work: Sequence[str], count: int, number: int) -> list[str]:
    """Return the last work days among the first so many work logs, ascending, at most so many."""
    found: list[str] = []
    while count and len(found) != number:
        found.insert(0, work[count - 1][:_DATE_CHARS])
        count = bisect_left(work, found[0], 0, count)
    return found


def clock_at(work: Sequence[str], count: int, dates: Sequence[str], windows: Windows) -> DecayClock:
    """Read the clock off the newest work logs and the newest work days.

    `work` are stems of work logs, in ledger order, and `count` is how many of them have happened;
    `dates` are the newest days of those, ascending; more than the windows ask for change nothing.
    """

    def cut(window: int, days: int) -> str:
        stem = work[count - 1 - window] if count > window else ""
        if not days:
            return stem
        return min(stem, dates[-1 - days] if len(dates) > days else "")

    return DecayClock(count, *[cut(*windows.of(name)) for name in DecayClock._fields[1:]])


class Decay:
    """The work of a ledger, as the windows of a policy divide it.

    Args:
        work: the stems of all work logs, in ledger order.
        windows: of the policy.
    """

    def __init__(self, work: Sequence[str], windows: Windows) -> None:
        self.work = work
        self._windows = windows
        self._days: tuple[list[str], list[int]] | None = None

    def clock(self, session: int = -1) -> DecayClock:
        """Return where the ledger stood after so many work logs, -1 for all."""
        count = len(self.work) if session < 0 else session
        dates = newest_dates(self.work, count, self._windows.longest_days)
        return clock_at(self.work, count, dates, self._windows)

    def passed(self, stem: str, window: str, position: int = -1) -> int:
        """Return the number of the work log with which a window has passed since a stem.

        It is greater than the number of work logs where that is still to come. `stem` is of a log, or a
        date; `window` is `working`, `active` or `archive`; `position` is how many work logs there are
        up to the stem, where that is known.
        """
        count, days = self._windows.of(window)
        session = (bisect_right(self.work, stem) if position < 0 else position) + count + 1
        if not days:
            return session
        dates, firsts = self._work_days()
        at = bisect_right(dates, stem[:_DATE_CHARS]) + days
        return max(session, firsts[at] if at < len(firsts) else len(self.work) + 1)

    def days_behind(self, stem: str) -> int:
        """Count the work days later than that of a stem."""
        dates, _ = self._work_days()
        return len(dates) - bisect_right(dates, stem[:_DATE_CHARS])

    def _work_days(self) -> tuple[list[str], list[int]]:
        """Return all work days, and the number of the first work log of each."""
        if self._days is None:
            dates: list[str] = []
            firsts: list[int] = []
            for number, stem in enumerate(self.work, 1):
                if not dates or stem[:_DATE_CHARS] != dates[-1]:
                    dates.append(stem[:_DATE_CHARS])
                    firsts.append(number)
            self._days = dates, firsts
        return self._days


#: What a thread that is open is lifted to when rules 5 to 8 would give less.
_PINNED = ("working", "active")


def never_decaying(policy: Policy) -> frozenset[str]:
    """Return the names of the kinds that never fade."""
    return frozenset(kind.name for kind in policy.kinds if not kind.decays)


def tier(fact: Fact, clock: DecayClock, lasting: frozenset[str]) -> str:
    """Return the tier of a fact; first match wins (format, section 5).

    `lasting` are the kinds that never decay (`never_decaying`).
    """
    if fact.superseded_by or fact.invalidated_at:
        return "superseded"
    if fact.archived_at:
        return "archived"
    if fact.promoted or fact.kind in lasting:
        return "core"
    young = fact.young
    if young and young >= clock.working:
        found = "working"
    elif fact.anchor >= clock.active:
        found = "active"
    elif fact.anchor >= clock.archive:
        found = "archive-candidate"
    else:
        found = "archived"
    if fact.open and found not in _PINNED:
        return "active"
    return found


def stand(
    fact: Fact, clock: DecayClock, lasting: frozenset[str], decay: Decay | None = None
) -> Standing:
    """Place a fact: its tier, and for an archived one why and on which page.

    `lasting` are the kinds that never decay; `decay` is of all work logs, and None leaves the page of a
    faded fact open ("").
    """
    found = tier(fact, clock, lasting)
    if fact.superseded_by:
        return Standing(fact, found, SUPERSEDED, quarter_of(fact.superseded_at))
    if fact.invalidated_at:
        return Standing(fact, found, INVALIDATED, quarter_of(fact.invalidated_at))
    if fact.archived_at:
        return Standing(fact, found, BY_HAND, quarter_of(fact.archived_at))
    swept = fact.closed and fact.closed_at < clock.archive
    if not swept and found != "archived":
        return Standing(fact, found)
    if decay is None:
        return Standing(fact, found, CLOSED if fact.closed else FADED)
    crossings = []
    if swept:
        crossings.append(decay.passed(fact.closed_at, "archive"))
    if found == "archived":
        crossings.append(decay.passed(fact.anchor, "archive"))
    quarter = quarter_of(decay.work[min(crossings) - 1])
    return Standing(fact, found, CLOSED if fact.closed else FADED, quarter)


def live_view(
    summary: Summary,
    policy: Policy,
    clock: DecayClock,
    facts: Iterable[Fact],
    contradicted: Iterable[Fact],
    counts: tuple[int, int],
) -> LiveView:
    """Return what `continuity.md` shows.

    `facts` are all that may be live, any other is archived or false, and `contradicted` those of which
    that is to be told, both in any order; `counts` is how many facts there are in all, and how many of
    them are false.
    """
    lasting = never_decaying(policy)
    tiers = dict.fromkeys(TIERS, 0)
    live: list[Standing] = []
    for fact in facts:
        standing = stand(fact, clock, lasting)
        tiers[standing.tier] += 1
        if not standing.reason:
            live.append(standing)
    total, false = counts
    rest = total - sum([count for name, count in tiers.items() if name not in ARCHIVED_TIERS])
    tiers["archived"], tiers["superseded"] = rest - false, false
    live.sort(key=lambda standing: standing.fact.id)
    shown = sorted(contradicted, key=lambda fact: fact.id)
    return LiveView(summary, policy, tuple(live), tuple(shown), tuple(tiers.values()))
