"""Show what happened when: a part of the sessions, newest first.

An address says the newest session that its page tells of, so that it shows the same for good.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from ledger.errors import NotFound
from ledger.model.order import is_date, is_stem, key_of, stem_in
from ledger.model.session import CONTINUED, Entry
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.fact_list import OF_LOGS, FilterBar, filter_bar
from rituals.serve.web.pages.session_page import other_deeds, sentences
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
_DAY_CHARS = 10


def timeline(tip: TipView, asked: Asked) -> Page:
    """Return the page of the sessions up to a day or a session, or of the newest, that fit the filter.

    Imports that bring the texts of a session stand below it, and count for nothing.

    Raises:
        NotFound: `at` is no time and no session.
    """
    bar, tip = filter_bar(tip, asked, PATH, OF_LOGS)
    rows = rows_of(tip, bar)
    keys = [entry.stem for entry in rows]
    by_day: dict[str, list[Entry]] = {}
    for entry in rows:
        by_day.setdefault(entry.clock[:_DAY_CHARS], []).append(entry)
    said = asked.get("at", "")
    end = _end(keys, said) if said and (keys or not bar.said) else len(keys)
    begin = max(end - SESSIONS, 0)
    values = {
        "bar": bar,
        "days": tuple(_days(tip, rows[begin:end], by_day, bar.asks("kind"))),
        "first": len(keys) - end + 1,
        "last": len(keys) - begin,
        "all": len(keys),
        "said": counted(rows),
        "folded": 0 if bar.said else len(tip.folded.session),
        "older": _at(keys, begin) if begin else "",
        "newer": _at(keys, min(end + SESSIONS, len(keys))) if end < len(keys) else None,
    }
    return Page("timeline", "Timeline", values)


def rows_of(tip: TipView, bar: FilterBar) -> list[Entry]:
    """Return the logs that stand in rows of their own, in ledger order, and fit a filter.

    Of a kind that is asked for they made, changed or ended a fact: naming one is not enough.
    """
    keeps, told_by, kind = bar.keeps_log(tip), tip.folded.session, bar.asks("kind")
    of_kind = {id for id, one in tip.standings.items() if one.fact.kind == kind}
    return [
        entry
        for entry in tip.entries
        if entry.stem not in told_by
        and keeps(entry.stem)
        and (not kind or any(event.id in of_kind for event in entry.acts))
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
    """Name the last of so many sessions; "" for the newest of all."""
    key = keys[end - 1] if end < len(keys) else ""
    return key + _ALONE if is_date(key) else key


def _days(
    tip: TipView,
    rows: Sequence[Entry],
    by_day: Mapping[str, Sequence[Entry]],
    kind: str,
) -> Iterator[dict[str, Any]]:
    """Yield the days of a page, newest first; where a kind is asked for, with the facts of it alone."""
    keys = [entry.stem for entry in rows]
    tip.sessions(keys)  # read at once, and kept
    persons = tip.persons(keys)
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in reversed(rows):
        read = tip.sessions([entry.stem])
        if not read:
            continue
        session = read[0]
        digits = entry.clock[11:15]
        clock = f"{digits[:2]}:{digits[2:]}" if len(digits) == 4 and digits.isdigit() else ""
        brought = tip.folded.imports.get(entry.stem, ())
        said = sentences(tip, entry, brought)
        shown = [one for one in said if kind in ("", one["kind"])]
        told = {
            "session": session, "clock": clock, "person": persons.get(entry.stem, ""),
            "said": shown[:SAID], "more": len(shown[SAID:]),
            "deeds": [] if kind else other_deeds(entry, said, IDS),
            "imports": [one.stem for one in brought],
        }  # fmt: skip
        found.setdefault(entry.clock[:_DAY_CHARS], []).append(told)
    for day, there in found.items():
        logs = by_day[day]
        said_of = {"all": len(logs), "said": counted(logs)}
        yield {"day": date.fromisoformat(day), "sessions": there, **said_of}
