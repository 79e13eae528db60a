"""Say when a window of the policy is passed: by work sessions and by the days that had one (T8)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from projection.fold.projection_state import DecayClock
from projection.policy.model import Windows

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
