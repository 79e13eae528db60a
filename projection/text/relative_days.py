"""Find days that a text tells from the day on which it was written, and dates that no calendar has.

What stands in code and in quotes is about the words; `yesterday's data` and `the last week of a month` are
no day of the writer's. In English and German, as people type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from ledger.codec.outline_by_lines import prose_lines
from ledger.model.order import stamp_of

_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_UNITS = {"day": 1, "week": 7}
_QUOTED = re.compile(
    r"`[^`]*`|\"[^\"\n]*\"|“[^”]*”|‘[^’]*’|„[^“”]*[“”]|«[^»]*»|'[^'\n]{1,60}'(?!\w)"
)
#: What stands before them where they are told of any day: "a day ago", "of yesterday", "than 3 days ago".
_ANY_DAY = "".join(
    rf"(?<!{one} )" for one in "more than,less than,older than,of,like,as,from,until,say".split(",")
)
_DAYS = "monday|tuesday|wednesday|thursday|friday"
_TOLD = re.compile(
    rf"{_ANY_DAY}\b(?:(?P<word>yesterday|tomorrow)"
    r"|(?P<count>\d{1,3}|two|three|a few) (?P<unit>day|week|month)s? ago"
    rf"|(?<!the )(?:last|next) (?:week|month|night|{_DAYS})|this morning|tonight"
    r"|gestern|vorgestern|letzte woche|nächste woche)\b(?!['’]s\b)(?! of\b)",
    re.IGNORECASE,
)
_NUMBERS = {"two": 2, "three": 3}
_ISO = re.compile(r"(?<![\w./-])(20\d\d)-(\d\d)-(\d\d)(?![\w/-]|\.\d)")
_NAMED = re.compile(
    rf"\b(?:(?P<day>29|3[01])(?:st|nd|rd|th|\.)? (?P<month>{'|'.join(_MONTHS)})"
    rf"|(?P<other>{'|'.join(_MONTHS)}) (?P<later>29|3[01])(?:st|nd|rd|th)?)(?:,? (?P<year>20\d\d))?\b"
)
_LEAP_YEAR = 2028


def told_from_today(text: str, now_ms: int) -> Iterator[tuple[str, str]]:
    """Yield how a text tells days from today, and which day each is, "" where that is not one day."""
    today = date.fromisoformat(stamp_of(now_ms)[:10])
    for match in _TOLD.finditer(_plain(text)):
        word, unit = (match["word"] or "").lower(), (match["unit"] or "").lower()
        days = {"yesterday": -1, "tomorrow": 1}.get(word)
        if unit in _UNITS:
            count = _NUMBERS.get(match["count"].lower()) or (
                int(match["count"]) if match["count"].isdigit() else None
            )
            days = -count * _UNITS[unit] if count else None
        yield match[0], "" if days is None else (today + timedelta(days)).isoformat()


def no_days(text: str) -> Iterator[str]:
    """Yield the dates of a text that no calendar has."""
    plain = _plain(text)
    for match in _ISO.finditer(plain):
        if not _is_day(int(match[1]), int(match[2]), int(match[3])):
            yield match[0]
    for match in _NAMED.finditer(plain):
        month = _MONTHS.index(match["month"] or match["other"]) + 1
        year = int(match["year"] or _LEAP_YEAR)
        if not _is_day(year, month, int(match["day"] or match["later"])):
            yield match[0]


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _plain(text: str) -> str:
    return _QUOTED.sub(" ` ", "\n".join(prose_lines(text)))
