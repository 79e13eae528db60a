"""Show what happened when: a calendar of the sessions, and a part of them, newest first.

An address says the newest session that its page tells of, so that it shows the same for good.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from urllib.parse import urlencode

from ledger.errors import NotFound
from ledger.model.order import is_date, is_stem, key_of, stem_in
from ledger.model.record import Record
from memory.query.session_timeline import Session
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pictures.heatmap_picture import WEEKS, Day, Week, weeks_of
from rituals.serve.web.tip_view.tip_view import TipView

PATH = "/timeline"
#: How many sessions stand on a page, and how many ids of what one did.
SESSIONS, IDS = 40, 6
#: A year, a month, or a stem that somebody cut off.
_BEGINNING = re.compile(r"\d{4}(-\d{2}(-\d{2}(-\d+)?)?)?")
#: Sorts behind all that goes on in the same way.
_BEHIND = "~"
#: Stands behind a day that is the name of a log, where that log alone is meant.
_ALONE = "+"
_DAY_CHARS, _STAMP_CHARS = 10, 20


class Deed(Record):
    """What a session did to some facts."""

    verb: str  #: of it, in lower case
    #: the ids that are shown, each as it is linked: several where it reads `old → new`
    facts: tuple[tuple[str, ...], ...]
    more: int  #: how many are not shown


class Told(Record):
    """A session of the page: with its time of day, "" where its name has none, and what it did."""

    session: Session
    clock: str
    deeds: tuple[Deed, ...]


class OneDay(Record):
    """A day of the page."""

    day: date  #: its date
    sessions: tuple[Told, ...]  #: those of the page, newest first
    all: int  #: how many it has in all


def timeline(tip: TipView, asked: Asked) -> Page:
    """Return the page of the sessions up to a day or a session, or of the newest.

    Raises:
        NotFound: `at` is no time and no session.
    """
    keys = [entry.stem for entry in tip.entries]
    said = asked.get("at", "")
    end = _end(keys, said) if said else len(keys)
    begin = max(end - SESSIONS, 0)
    counts: dict[str, int] = {}
    for key in keys:
        counts[key[:_DAY_CHARS]] = counts.get(key[:_DAY_CHARS], 0) + 1
    shown = keys[begin:end]
    days = tuple(_days(tip.sessions(shown), counts))
    values = {
        "weeks": _weeks(keys, counts, begin, end),
        "days": days,
        "first": len(keys) - end + 1,
        "last": len(keys) - begin,
        "all": len(keys),
        "older": _at(keys, begin) if begin else "",
        "newer": _at(keys, min(end + SESSIONS, len(keys))) if end < len(keys) else None,
    }
    return Page("timeline", "Timeline", values)


def addresses(tip: TipView) -> Iterator[str]:
    """List the addresses of all pages, the newest first."""
    keys = [entry.stem for entry in tip.entries]
    for end in range(len(keys), 0, -SESSIONS):
        at = _at(keys, end)
        yield f"{PATH}?{urlencode({'at': at})}" if at else PATH
    if not keys:
        yield PATH


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
    newest, latest = [
        date.fromisoformat(keys[one - 1][:_DAY_CHARS]).toordinal() for one in (len(keys), end)
    ]
    year = WEEKS * 7
    sunday = newest + -newest % 7
    last = min(newest, sunday - (sunday - latest) // year * year)
    first = date.fromordinal(max(last - year, 1)).isoformat()
    until = date.fromordinal(last).isoformat()
    days = {}
    for day, count in counts.items():
        if first <= day <= until:
            behind = bisect_right(keys, day + _BEHIND)
            page = behind + (len(keys) - behind) % SESSIONS
            days[day] = Day(count, _at(keys, page), begin < behind <= end)
    return weeks_of(days, last)


def _days(sessions: Sequence[Session], counts: dict[str, int]) -> Iterator[OneDay]:
    by_day: dict[str, list[Told]] = {}
    for session in reversed(sessions):
        digits = session.stem[11:15]
        clock = f"{digits[:2]}:{digits[2:]}" if len(digits) == 4 and digits.isdigit() else ""
        told = Told(session, clock, tuple(_deeds(session.did)))
        by_day.setdefault(session.stem[:_DAY_CHARS], []).append(told)
    for day, there in by_day.items():
        yield OneDay(date.fromisoformat(day), tuple(there), counts[day])


def _deeds(did: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[Deed]:
    left = IDS
    for verb, ids in did:
        shown = ids[:left]
        left -= len(shown)
        facts = tuple([tuple(one.split(" → ")) for one in shown])
        yield Deed(verb.lower(), facts, len(ids) - len(shown))
