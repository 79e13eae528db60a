"""Read points of time as people write them: `2026-11-21T14:30+01:00`, `yesterday`, `3d`, `2 hours ago`.

Days and times without a zone are local ones, as git takes them. What names a day or a month is all of
it: since its first moment, until its last. Whoever asks says what time it is now.
"""

from __future__ import annotations

import re

from ledger.environment import local_day, local_ms
from ledger.errors import NotFound, WrongUsage
from ledger.model.log_names import (
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
    "yesterday 14:30, 3 days ago, 3d or 48h"
)
_LENGTHS = "write 30m, 48h, 7d or 2w, or in words: 3 days"
_DAY_MS = 86_400_000
#: The last that a stamp can say.
_LAST_MS = 253_402_300_800_000 - 1
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
#: A number and a unit, which is its first letter.
_LENGTH = re.compile(
    r"(\d{1,6}) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)( ago)?",
    re.ASCII,
)
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d|\d{8}|today|yesterday)"
    r"(?:t| at | )(?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r" ?(?P<zone>z|utc|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_MONTH = re.compile(r"\d{4}-\d\d", re.ASCII)

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
    day = _date(said, now_ms)
    found = _days(day) if day else _moment(said, now_ms) or _ago(said, now_ms)
    if found is None and _MONTH.fullmatch(said) and is_date(f"{said}-01"):
        year, month = int(said[:4]), int(said[5:])
        found = local_ms(year, month, 1), min(local_ms(year, month + 1, 1) - 1, _LAST_MS)
    return found


def duration_ms(said: str) -> int:
    """Read how long something is: `30m`, `48h`, `7d`, `2w`, `3 days`; return milliseconds.

    Raises:
        WrongUsage: it is nothing like that.
    """
    found = _LENGTH.fullmatch(" ".join(said.lower().split()))
    if found is None or found[3]:
        raise WrongUsage(f"{said!r} is no length of time", hint=_LENGTHS)
    return int(found[1]) * _SECONDS[found[2][0]] * 1000


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


def _days(day: str, count: int = 1) -> Span:
    """Return the span of some local days from one on."""
    year, month, first = (int(part) for part in day.split("-"))
    return local_ms(year, month, first), min(local_ms(year, month, first + count) - 1, _LAST_MS)


def _date(said: str, now_ms: int) -> str:
    """Return the day that is named, `YYYY-MM-DD`, "" for none."""
    if said in ("today", "yesterday"):
        return _name(_today(now_ms) - (said == "yesterday"))
    if re.fullmatch(r"\d{8}", said, re.ASCII):
        said = f"{said[:4]}-{said[4:6]}-{said[6:]}"
    return said if is_date(said) else ""


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
    found = _LENGTH.fullmatch(said)
    if found is None or (len(found[1]) > 3 and " " not in said):
        return None  # `123456d` is the start of a commit id
    number, unit = int(found[1]), found[2][0]
    if unit in "dw":
        return _days(_name(_today(now_ms) - number * (7 if unit == "w" else 1)))
    at = max(now_ms - number * _SECONDS[unit] * 1000, 0)
    return at, at
