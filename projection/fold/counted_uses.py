"""Read what an import tells of the uses of a fact, where another tool counted them (FORMAT.md, F4)."""

from __future__ import annotations

from ledger.model.order import is_date, is_stem, key_of
from ledger.model.record import Record


class Counted(Record):
    """What was counted before, as the log `at` says.

    `uses` are so many more than logs tell, or fewer; `last` is the date of the last one, and `since` the
    place from which disuse counts, until a log behind `at` uses the fact; `fresh` says whether it counts
    as a new one until then.
    """

    uses: int = 0
    last: str = ""
    since: str = ""
    fresh: bool = False
    at: str = ""


UNCOUNTED = Counted()


def counted_in(value: str, at: str = "") -> Counted:
    """Read the footer `counted` of a log; what is no such says nothing."""
    uses, last, since, *more = (*value.split(" "), "", "")[:5]
    digits = uses.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and is_date(last)):
        return UNCOUNTED
    if more not in ([""], ["", ""], ["working", ""]) or not (since == "-" or is_stem(since)):
        return UNCOUNTED
    # "~" sorts after every stem of that day
    place = last + "~" if since == "-" else key_of(since)
    return Counted(int(uses), last, place, more[0] != "", at)
