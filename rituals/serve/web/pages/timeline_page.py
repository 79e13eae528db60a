"""Show what happened when: a calendar of the sessions, and a part of them, newest first.

An address says the newest session that its page tells of, so that it shows the same for good.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from urllib.parse import urlencode

from ledger.errors import NotFound
from ledger.model.order import is_date, is_stem, key_of, stem_in
from ledger.model.record import Record
from ledger.model.session import CONTINUED, Entry
from memory.query.session_timeline import Session
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.fact_filter import OF_LOGS, FactFilter, filter_bar
from rituals.serve.web.pages.session_deeds import Deed, Sentence, other_deeds, sentences
from rituals.serve.web.pictures.heatmap_picture import WEEKS, Day, Week, weeks_of
from rituals.serve.web.tip_view.folded_imports import folded
from rituals.serve.web.tip_view.tip_view import TipView

PATH = "/timeline"
#: How many sessions stand on a page, and how many sentences and ids of what one did.
SESSIONS, SAID, IDS = 40, 5, 6
#: A year, a month, or a stem that somebody cut off.
_BEGINNING = re.compile(r"\d{4}(-\d{2}(-\d{2}(-\d+)?)?)?")
#: Sorts behind all that goes on in the same way.
_BEHIND = "~"
#: Stands behind a day that is the name of a log, where that log alone is meant.
_ALONE = "+"
_DAY_CHARS, _STAMP_CHARS = 10, 20
#: The days of a calendar.
_YEAR = WEEKS * 7
#: The name under which a tip keeps the course of all its logs.
_COURSE = "course"


class Told(Record):
    """A session of the page: who, at which time of day, "" where its name has none, and what it did."""

    session: Session
    clock: str
    person: str  #: who committed its log, "" where nobody can tell
    said: tuple[Sentence, ...]  #: what became of facts, in their words
    more: int  #: of how many more facts something became
    deeds: tuple[Deed, ...]
    imports: tuple[str, ...]  #: the keys of the logs that brought its texts later


class Course(Record):
    """What a timeline is made of."""

    rows: Sequence[Entry]  #: the logs that stand in rows of their own, in ledger order
    keys: Sequence[str]  #: their keys
    by_day: Mapping[str, Sequence[Entry]]  #: the same by date
    counts: dict[str, int]  #: the work sessions of each day that has some
    said: str  #: how many there are, in words


class OneDay(Record):
    """A day of the page."""

    day: date  #: its date
    sessions: tuple[Told, ...]  #: those of the page, newest first
    all: int  #: how many logs it has in all
    said: str  #: the same in words, by what they are


def timeline(tip: TipView, asked: Asked) -> Page:
    """Return the page of the sessions up to a day or a session, or of the newest, that fit the filter.

    Imports that bring the texts of a session stand below it, and count for nothing.

    Raises:
        NotFound: `at` is no time and no session.
    """
    bar = filter_bar(tip, asked, PATH, OF_LOGS)
    course = course_of(tip, bar.filter)
    rows, keys, by_day = course.rows, course.keys, course.by_day
    said = asked.get("at", "")
    end = _end(keys, said) if said and (keys or not bar.filter.said) else len(keys)
    begin = max(end - SESSIONS, 0)
    year = _newest_of_year(keys, end)
    values = {
        "bar": bar,
        #: where a site has the calendar of the year, None for here
        "calendar": None if year == end else _at(keys, year),
        "weeks": _weeks(keys, course.counts, begin, end),
        "days": tuple(_days(tip, rows[begin:end], by_day, bar.filter.kind)),
        "first": len(keys) - end + 1,
        "last": len(keys) - begin,
        "all": len(keys),
        "said": course.said,
        "folded": 0 if bar.filter.said else len(folded(tip).session),
        "older": _at(keys, begin) if begin else "",
        "newer": _at(keys, min(end + SESSIONS, len(keys))) if end < len(keys) else None,
    }
    return Page("timeline", "Timeline", values)


def course_of(tip: TipView, asked: FactFilter) -> Course:
    """Return what a timeline is made of; that of all logs is made once."""
    if not asked.said and tip.has(_COURSE):
        kept: Course = tip.__dict__[_COURSE]
        return kept
    rows = rows_of(tip, asked)
    by_day: dict[str, list[Entry]] = {}
    for entry in rows:
        by_day.setdefault(entry.stem[:_DAY_CHARS], []).append(entry)
    counts = {day: sum([entry.work for entry in there]) for day, there in by_day.items()}
    counts = {day: count for day, count in counts.items() if count}
    course = Course(rows, [entry.stem for entry in rows], by_day, counts, counted(rows))
    if not asked.said:
        tip.keep(_COURSE, course)
    return course


def rows_of(tip: TipView, asked: FactFilter) -> list[Entry]:
    """Return the logs that stand in rows of their own, in ledger order, and fit a filter.

    Of a kind that is asked for they made, changed or ended a fact: naming one is not enough.
    """
    keeps, told_by = asked.keeps_log(tip), folded(tip).session
    kinds = {id: one.fact.kind for id, one in tip.standings.items()} if asked.kind else {}
    return [
        entry
        for entry in tip.entries
        if entry.stem not in told_by
        and keeps(entry.stem)
        and (not asked.kind or any(kinds.get(event.id) == asked.kind for event in entry.acts))
    ]


#: What many logs of a type are called, where that is not the type itself.
_NOUNS = {CONTINUED: "further log"}


def counted(entries: Iterable[Entry]) -> str:
    """Say how many work sessions there are, and how many logs of each other type."""
    types = Counter(
        ["work session" if entry.work else _NOUNS.get(entry.type, entry.type) for entry in entries]
    )
    first = types.pop("work session", 0)
    rows = [("work session", first), *sorted(types.items())]
    return ", ".join([f"{n:,} {name}{'s' * (n != 1)}" for name, n in rows if n or not types])


def addresses(tip: TipView) -> Iterator[str]:
    """List the addresses of all pages, the newest first."""
    keys = course_of(tip, FactFilter()).keys
    for end in range(len(keys), 0, -SESSIONS):
        yield _page_of(keys, end)
    if not keys:
        yield PATH


def places_of(tip: TipView) -> dict[str, str]:
    """Return for the address of each session the page that tells of it, with its place there."""
    keys = course_of(tip, FactFilter()).keys
    found = {}
    for end in range(len(keys), 0, -SESSIONS):
        page = _page_of(keys, end)
        for key in keys[max(end - SESSIONS, 0) : end]:
            found[f"/session/{stem_in(key)}"] = f"{page}#s-{stem_in(key)}"
    for key, teller in folded(tip).session.items():
        found[f"/session/{stem_in(key)}"] = found.get(f"/session/{stem_in(teller)}", PATH)
    return found


def _page_of(keys: Sequence[str], end: int) -> str:
    at = _at(keys, end)
    return f"{PATH}?{urlencode({'at': at})}" if at else PATH


def _end(keys: Sequence[str], said: str) -> int:
    """Return how many sessions there are up to a time or a stem, that one included."""
    name = said.removesuffix(_ALONE)
    if not (_BEGINNING.fullmatch(name) or is_stem(stem_in(name))):
        raise NotFound(f"{said} is no day and no session", hint="a day is written as 2026-11-21")
    key = key_of(name) if is_stem(name) else name
    place = bisect_left(keys, key)
    if keys[place : place + 1] == [key] and not is_date(said):
        return place + 1
    end = bisect_right(keys, name + _BEHIND)
    if not end:
        raise NotFound(f"there is no session up to {said}", hint="`diurna log` lists them")
    return end


def _at(keys: Sequence[str], end: int) -> str:
    """Name the last of so many sessions, by its stamp if that says it; "" for the newest of all."""
    if end == len(keys):
        return ""
    key = keys[end - 1]
    if is_date(key):
        return key + _ALONE
    stamp = key[:_STAMP_CHARS]
    return stamp if _BEGINNING.fullmatch(stamp) and _end(keys, stamp) == end else key


def _weeks(keys: Sequence[str], counts: dict[str, int], begin: int, end: int) -> tuple[Week, ...]:
    """Return the calendar of the year in which a page lies; years are counted from the newest week."""
    if not keys:
        return ()
    last = _last_day(keys, end)
    first = date.fromordinal(max(last - _YEAR, 1)).isoformat()
    until = date.fromordinal(last).isoformat()
    days = {}
    for day, count in counts.items():
        if first <= day <= until:
            behind = bisect_right(keys, day + _BEHIND)
            page = behind + (len(keys) - behind) % SESSIONS
            days[day] = Day(count, _at(keys, page), begin < behind <= end)
    return weeks_of(days, last)


def _last_day(keys: Sequence[str], end: int) -> int:
    """Return the last day of the year in which a page lies, as `date.toordinal` gives it."""
    newest, latest = [
        date.fromisoformat(keys[one - 1][:_DAY_CHARS]).toordinal() for one in (len(keys), end)
    ]
    sunday = newest + -newest % 7
    return min(newest, sunday - (sunday - latest) // _YEAR * _YEAR)


def _newest_of_year(keys: Sequence[str], end: int) -> int:
    """Return the end of the newest page, counted as a site has them, that shows the same calendar."""
    if not keys:
        return end
    last = date.fromordinal(_last_day(keys, end)).isoformat()
    behind = bisect_right(keys, last + _BEHIND)
    return max(behind - (behind - len(keys)) % SESSIONS, end)


def _days(
    tip: TipView,
    rows: Sequence[Entry],
    by_day: Mapping[str, Sequence[Entry]],
    kind: str,
) -> Iterator[OneDay]:
    """Yield the days of a page, newest first; where a kind is asked for, with the facts of it alone."""
    keys = [entry.stem for entry in rows]
    tip.sessions(keys)  # read at once, and kept
    persons = tip.log_writers.persons(keys)
    found: dict[str, list[Told]] = {}
    for entry in reversed(rows):
        read = tip.sessions([entry.stem])
        if not read:
            continue
        session = read[0]
        digits = session.stem[11:15]
        clock = f"{digits[:2]}:{digits[2:]}" if len(digits) == 4 and digits.isdigit() else ""
        brought = folded(tip).imports.get(entry.stem, ())
        said = sentences(tip, entry, brought)
        shown = [one for one in said if kind in ("", one.kind)]
        told = Told(
            session, clock, persons.get(entry.stem, ""), tuple(shown[:SAID]), len(shown[SAID:]),
            () if kind else tuple(other_deeds(entry, said, IDS)),
            tuple([one.stem for one in brought]),
        )  # fmt: skip
        found.setdefault(entry.stem[:_DAY_CHARS], []).append(told)
    for day, there in found.items():
        yield OneDay(date.fromisoformat(day), tuple(there), len(by_day[day]), counted(by_day[day]))
