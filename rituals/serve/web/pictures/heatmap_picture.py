"""Draw a calendar in which the colour of a day says how many sessions it had: a column is a week."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from math import ceil

from ledger.model.record import Record

#: How far apart days stand, and how high the names of the months are.
_STEP, _TOP = 13, 16
#: How wide the name of a month is.
_NAME = 30
_SQUARE = "h11v11h-11z"
#: The most weeks that are drawn: the last year.
WEEKS = 53
_LEVELS = 4


class Day(Record):
    """A day with sessions."""

    sessions: int  #: how many there were
    at: str  #: of the timeline, where they are told; "" for its newest page
    here: bool  #: the picture stands on that page


class Week(Record):
    """A week: its Monday, and a day for each date from then on, None where there was no session."""

    monday: date  #: its first date
    days: tuple[Day | None, ...]  #: seven of them; () behind the last day

    @property
    def newest(self) -> tuple[date, Day] | None:
        """The last day with sessions, None where there is none."""
        for row in reversed(range(len(self.days))):
            if (day := self.days[row]) is not None:
                return self.monday + timedelta(days=row), day
        return None

    @property
    def sessions(self) -> int:
        """How many there were."""
        return sum([day.sessions for day in self.days if day is not None])


def weeks_of(days: Mapping[str, Day], last: int) -> tuple[Week, ...]:
    """Arrange days by weeks: those of the last year, or since the first one where that is less.

    Days are by date, `2026-11-21`; `last` is the last one that is shown, as `date.toordinal` gives it.
    """
    end = _monday(last)
    known = {date.fromisoformat(said).toordinal(): day for said, day in days.items()}
    first = max(end - 7 * (WEEKS - 1), 1)
    begin = _monday(min([one for one in known if first <= one <= last], default=last))
    return tuple(
        Week(
            date.fromordinal(monday),
            tuple([known.get(one) for one in range(monday, min(monday + 7, last + 1))]),
        )
        for monday in range(begin, end + 1, 7)
    )


def _monday(day: int) -> int:
    return day - (day - 1) % 7  # the first of all dates is a Monday


def heatmap(
    weeks: tuple[Week, ...], url: Callable[..., str], kept: Mapping[str, str] | None = None
) -> str:
    """Draw weeks as columns, Monday on top; a day with sessions leads to them.

    The weeks stand in the table beside the picture too, so that the keyboard does not have to pass by each
    day. `url` writes an address, as templates do; `kept` is what else stands in one.
    """
    busy = sorted([day.sessions for week in weeks for day in week.days if day is not None])
    cells, empty = [], []
    for column, week in enumerate(weeks):
        x = column * _STEP
        for row, day in enumerate(week.days):
            y = _TOP + row * _STEP
            if day is None:
                empty.append(f"M{x} {y}{_SQUARE}")
                continue
            when = week.monday + timedelta(days=row)
            place = f"#d{when}"
            link = place if day.here else url(f"/timeline{place}", at=day.at, **(kept or {}))
            cells.append(
                f'<a href="{link}" tabindex="-1">'
                f"<title>{day.sessions} on {when:%a} {when.day} {when:%b %Y}</title>"
                f'<rect class="h{level(day.sessions, busy)}" x="{x}" y="{y}"/></a>'
            )
    names = _months(weeks)
    width = max(len(weeks) * _STEP, names[-1][0] + _NAME if names else 0)
    height = _TOP + 7 * _STEP
    said = "".join([f'<text x="{x}" y="10">{name}</text>' for x, name in names])
    return (
        f'<svg class="heat" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="group" aria-label="Sessions per day">{said}'
        f'<path class="h0" d="{"".join(empty)}"/>{"".join(cells)}</svg>'
    )


def level(sessions: int, ordered: Sequence[int]) -> int:
    """Say how dark a day is, 1 to 4: the busiest quarter of the days is the darkest.

    `ordered` has the sessions of all days that have some, fewest first.
    """
    return ceil(_LEVELS * bisect_right(ordered, sessions) / len(ordered))


def _months(weeks: tuple[Week, ...]) -> list[tuple[int, str]]:
    """Return where the name of a month stands: over its first Monday, and over the first week of all.

    January is named by its year.
    """
    found = [
        (column * _STEP, f"{week.monday:%Y}" if week.monday.month == 1 else f"{week.monday:%b}")
        for column, week in enumerate(weeks)
        if not column or week.monday.day <= 7
    ]
    crowded = len(found) > 1 and found[1][0] < _NAME
    return found[1:] if crowded else found
