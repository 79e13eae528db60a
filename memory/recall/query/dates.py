"""Read the dates that a question names, and tell how near a session is to them."""

from __future__ import annotations

from ledger.model.record import Record
from memory.recall.query.stopwords import MONTHS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The year, the month and the day, each worth so much of a whole date.
YEAR, MONTH, DAY = 0.2, 0.4, 0.4
#: What is told of a day is told a day or two later, or within the week, or the day before.
SOON, WEEK = 0.5, 0.25


class Named(Record):
    """What a question names of a date; "" and 0 where it names nothing."""

    year: str = ""
    month: int = 0
    day: int = 0


def named_date(words: Sequence[str]) -> Named:
    """Find the year, the month and the day that words in lower case name.

    `7 May 2023`, `May 7th`, `2023-05-07`, `07.05.2023` (the day first, unless there is no such month).
    """
    for one, two, three in zip(words, words[1:], words[2:], strict=False):
        if one.isdecimal() and two.isdecimal() and three.isdecimal():
            if _is_year(one) and int(two) <= 12:
                return Named(one, int(two), int(three) if int(three) <= 31 else 0)
            if _is_year(three) and len(one) <= 2 and len(two) <= 2:
                day, month = (int(one), int(two)) if int(two) <= 12 else (int(two), int(one))
                if 0 < month <= 12 and day <= 31:
                    return Named(three, month, day)
    year, month, day = "", 0, 0
    for number, word in enumerate(words):
        if _is_year(word):
            year = word
        elif word in MONTHS and (word != "may" or _is_month(words, number)):
            month = MONTHS[word]
        else:
            bare = word.rstrip("sthndr") if word[:1].isdecimal() else ""
            if bare.isdecimal() and len(bare) <= 2 and 1 <= int(bare) <= 31:
                day = int(bare)
    return Named(year, month, day if month else 0)


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word.isascii() and word[:2] in ("19", "20")


def _is_month(words: Sequence[str], number: int) -> bool:
    """Tell whether "may" at a place is the month: a number or "in" stands beside it."""
    beside = [*words[max(0, number - 1) : number], *words[number + 1 : number + 2]]
    return any(word in ("in", "of", "on", "last") or word[:1].isdecimal() for word in beside)


def closeness(named: Named, day: str) -> float:
    """Return how near a day, `YYYY-MM-DD`, is to a date that was named, 0 to 1."""
    if not (named.year or named.month):
        return 0.0
    if named.year and named.month and named.day:
        behind = _days(day) - _days(f"{named.year}-{named.month:02d}-{named.day:02d}")
        if behind == 0:
            return 1.0
        if 0 < behind <= 2:
            return SOON
        return WEEK if -2 < behind <= 8 else 0.0
    month = day[5:7] == f"{named.month:02d}"
    return (
        YEAR * (day[:4] == named.year)
        + MONTH * month
        + DAY * (month and day[8:10] == f"{named.day:02d}")
    )


def _days(day: str) -> int:
    """Return the number of a day, of which only differences mean anything; 0 for what is no day."""
    try:
        year, month, number = int(day[:4]), int(day[5:7]), int(day[8:10])
    except ValueError:
        return 0
    if month <= 2:
        year, month = year - 1, month + 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (306 * (month + 1)) // 10 + number
