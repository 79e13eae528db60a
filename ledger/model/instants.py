"""Read points of time as people write them: `2026-11-21T14:30+01:00`, `yesterday`, `3 days ago`.

Days and times without a zone are local ones, as git takes them. What names a day, a week, a month or a
year is all of it: since its first moment, until its last. Whoever asks says what time it is now.
"""

from __future__ import annotations

import re

from ledger.environment import local_day, local_ms
from ledger.errors import NotFound, WrongUsage
from ledger.model.order import (
    floor_of,
    has_time,
    is_date,
    is_sealed,
    is_stem,
    milliseconds_of,
    stamp_of,
)

#: The forms, for a refusal.
FORMS = (
    "a time is written 2026-11-21, 2026-11, 2026-11-21T14:30 (local, else with Z or +02:00), now, today, "
    "yesterday 14:30, monday, last week, 3 days ago or 48h"
)
_LENGTHS = "write 30m, 48h, 7d or 2w, or in words: 3 days"
_DAY_MS = 86_400_000
#: The last that a stamp can say.
_LAST_MS = 253_402_300_800_000 - 1
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
#: What a unit may be called; the plural and a month or a year beside them.
_UNITS = {
    "s": "s", "sec": "s", "second": "s", "m": "m", "min": "m", "minute": "m", "h": "h", "hr": "h",
    "hour": "h", "d": "d", "day": "d", "w": "w", "week": "w", "month": "month", "year": "year",
}  # fmt: skip
_NUMBERS = dict.fromkeys(("a", "an", "one"), 1) | {
    word: number
    for number, word in enumerate("two three four five six seven eight nine ten".split(), 2)
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LENGTH = re.compile(r"(\d{1,6}|[a-z]+(?= )) ?([a-z]+)", re.ASCII)
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d|\d{8}|(?:last )?[a-z]+)"
    r"(?:t| at | )(?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r" ?(?P<zone>z|utc|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_MONTH = re.compile(r"(\d{4})-(\d\d)", re.ASCII)

Span = tuple[int, int]  #: the first and the last millisecond since 1970


def since(said: str, now_ms: int) -> str:
    """Return where the logs from a point of time on begin, as a stem or the start of one.

    `said` is a time, a stem or the start of one; "" for the beginning.

    Raises:
        NotFound: it is neither.
    """
    return floor_of(_bound(said, now_ms)[0]) if _is_time(said) else said


def until(said: str, now_ms: int) -> str:
    """Return where the logs up to a point of time end (see `since`).

    Raises:
        NotFound: it is neither a time nor a stem.
    """
    return _ending(_bound(said, now_ms)) if _is_time(said) else said


def lies(stem: str, clock: str, since: str, until: str) -> bool:
    """Tell whether a log lies between such bounds: by its clock, or by place beside a named log."""
    first, last = (stem if is_sealed(one) else clock for one in (since, until))
    if not has_time(clock):  # a day without a zone is a local one
        since, until = (
            local_day(milliseconds_of(one)) if is_stem(one) and not is_sealed(one) else one
            for one in (since, until)
        )
    return since <= first and (not until or last <= until + "~")


def as_of(said: str, now_ms: int) -> str:
    """Return a stem in place of a time; whatever else was said, a commit for instance, stays."""
    found = span_of(said, now_ms) if _is_time(said) else None
    return said if found is None else _ending(found)


def span_of(said: str, now_ms: int) -> Span | None:
    """Read a time as a person or an agent wrote it; None where it is none."""
    said = " ".join(said.lower().split())
    if said == "now":
        return now_ms, now_ms
    found = _day(said, now_ms) or _moment(said, now_ms) or _ago(said, now_ms)
    month = None if found else _MONTH.fullmatch(said)
    if month:
        found = _months(int(month[1]), int(month[2]), 1)
    return found or _stretch(said, now_ms)


def duration_ms(said: str) -> int:
    """Read how long something is: `30m`, `48h`, `7d`, `2w`, `3 days`; return milliseconds.

    Raises:
        WrongUsage: it is nothing like that.
    """
    number, unit = _length(" ".join(said.lower().split())) or (0, "")
    if unit not in _SECONDS:
        raise WrongUsage(f"{said!r} is no length of time", hint=_LENGTHS)
    return number * _SECONDS[unit] * 1000


def _is_time(said: str) -> bool:
    """Tell whether something is meant as a time: it is said, and is a date or no stem."""
    return is_date(said) or bool(said and not is_stem(said))


def _bound(said: str, now_ms: int) -> Span:
    found = span_of(said, now_ms)
    if found is None:
        hint = f"{FORMS}; or name a session log"
        raise NotFound(f"{said} is neither a time nor a session log", hint=hint)
    return found


def _ending(span: Span) -> str:
    """Return a stem that sorts behind the logs of a span: of whole days the date, else the stamp."""
    stamp = stamp_of(span[1])
    return stamp[:10] if (span[1] + 1) % _DAY_MS == 0 else stamp


def _day(said: str, now_ms: int) -> Span | None:
    """Read what names one day."""
    day = _date(said, now_ms)
    return _days(day) if day else None


def _days(day: str, count: int = 1) -> Span:
    """Return the span of some local days from one on."""
    year, month, first = (int(part) for part in day.split("-"))
    return local_ms(year, month, first), min(local_ms(year, month, first + count) - 1, _LAST_MS)


def _date(said: str, now_ms: int) -> str:
    """Return the day that is named, `YYYY-MM-DD`, "" for none."""
    today = _today(now_ms)
    last, blank, name = said.partition(" ")
    weekday = name if blank and last == "last" else said
    if is_date(said):
        return said
    if re.fullmatch(r"\d{8}", said, re.ASCII):
        return day if is_date(day := f"{said[:4]}-{said[4:6]}-{said[6:]}") else ""
    if said in ("today", "yesterday"):
        return _name(today - (said == "yesterday"))
    found = [n for n, day in enumerate(_WEEKDAYS) if weekday in (day, day[:3])]
    back = ((today + 3) % 7 - found[0]) % 7 if found else 0  # 1970 began on a Thursday
    return _name(today - (back or 7 * (weekday != said))) if found else ""


def _today(now_ms: int) -> int:
    """Return how many days the local day is behind the first of 1970."""
    return milliseconds_of(local_day(now_ms)) // _DAY_MS


def _name(day: int) -> str:
    return stamp_of(max(day, 0) * _DAY_MS)[:10]


def _moment(said: str, now_ms: int) -> Span | None:
    """Read a day with a time of day: a minute of it, a second, or less."""
    found = _MOMENT.fullmatch(said)
    day = found and _date(found["day"], now_ms)
    if not (found and day):
        return None
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    zone, ahead = (found["zone"] or "").replace(":", ""), 0
    if zone[:1] in ("+", "-"):
        ahead = int(f"{zone[0]}1") * (int(zone[1:3]) * 60 + int(zone[3:] or 0))
    if hour > 23 or minute > 59 or second > 59 or abs(ahead) > 14 * 60:
        return None
    if zone:
        first = milliseconds_of(day) + ((hour * 60 + minute - ahead) * 60 + second) * 1000
    else:
        first = local_ms(int(day[:4]), int(day[5:7]), int(day[8:]), hour, minute, second)
    first += int((found["part"] or "")[:3].ljust(3, "0"))
    return first, first + (59_999 if found["second"] is None else 0 if found["part"] else 999)


def _ago(said: str, now_ms: int) -> Span | None:
    """Read `2 hours ago`, a moment, and `3 days ago`, a day."""
    found = _length(said.removesuffix(" ago"))
    if found is None or (said[-4:] != " ago" and not said[0].isdigit()):
        return None
    number, unit = found
    if number > 999 and " " not in said:
        return None  # `123456d` is the start of a commit id
    if unit in ("month", "year"):
        year, month, day = (int(part) for part in local_day(now_ms).split("-"))
        months = year * 12 + month - 1 - number * (12 if unit == "year" else 1)
        year, month = divmod(max(months, 1970 * 12), 12)
        while not is_date(name := f"{year:04d}-{month + 1:02d}-{day:02d}"):
            day -= 1  # the 31st of a shorter month
        return _days(name)
    if unit in "dw":
        return _days(_name(_today(now_ms) - number * (7 if unit == "w" else 1)))
    at = max(now_ms - number * _SECONDS[unit] * 1000, 0)
    return at, at


def _length(said: str) -> tuple[int, str] | None:
    """Read a number and a unit."""
    found = _LENGTH.fullmatch(said)
    if found is None:
        return None
    number = int(found[1]) if found[1].isdecimal() else _NUMBERS.get(found[1])
    plural = found[2][-1] == "s" and len(found[2]) > 2
    unit = _UNITS.get(found[2][:-1] if plural else found[2])
    return None if number is None or unit is None else (number, unit)


def _months(year: int, month: int, count: int) -> Span | None:
    """Return a span of whole months; None where there is no such month."""
    if not is_date(f"{year:04d}-{month:02d}-01"):
        return None
    return local_ms(year, month, 1), min(local_ms(year, month + count, 1) - 1, _LAST_MS)


def _stretch(said: str, now_ms: int) -> Span | None:
    """Read `this week`, from Monday on, `last week`, and the same of months and years."""
    which, _, unit = said.partition(" ")
    if which not in ("this", "last"):
        return None
    back = which == "last"
    year, month, _ = (int(part) for part in local_day(now_ms).split("-"))
    match unit:
        case "week":
            today = _today(now_ms)
            return _days(_name(today - (today + 3) % 7 - 7 * back), 7)
        case "month":
            return _months(*(year - 1, 12) if back and month == 1 else (year, month - back), 1)
        case "year":
            return _months(year - back, 1, 12)
        case _:
            return None
