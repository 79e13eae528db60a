"""Ask the cache about a stretch of the ledger: which logs lie in it, and what they are about.

Each goes by the index of stems, so a ledger of any size costs what the stretch holds.
"""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.model.logset import LogRef
from ledger.model.order import is_date, is_sealed, is_stamp, is_stem, key_of, stem_in
from ledger.model.session import Entry
from memory.cache.schema import ORDINARY, PINNED, entry_in, unpack_history
from projection.fold.fold import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.cache.file import Cache
    from projection.fold.fact import Fact

#: Sorts behind every character of a stem.
_END = "\U0010ffff"
#: How many logs a message names.
_NAMED = 3
_DAY_CHARS = 10
#: Where the seal of a stem begins, and how much of it people read at least.
_MARK_FROM, _MARK_CHARS = 21, 4


def keys_within(cache: Cache, start: str, end: str) -> list[str]:
    """Return the keys of the logs between two stamps, in ledger order.

    Args:
        cache: the cache.
        start: a stamp, or the start of one.
        end: likewise; all that begins with it is within.
    """
    rows = cache.rows(
        "SELECT stem FROM logs WHERE stem >= ? AND stem < ? ORDER BY stem", (start, end + _END)
    )
    return [row[0] for row in rows]


def logs_of(cache: Cache, keys: Sequence[str]) -> list[tuple[LogRef, Entry]]:
    """Return logs by their keys, in ledger order; those that are not there are left out."""
    rows = cache.rows_among("SELECT stem, path, blob, entry FROM logs WHERE stem IN (?)", keys)
    return [(LogRef(*row[:3]), entry_in(row[3])) for row in sorted(rows)]


def of_kinds(cache: Cache, facts: Sequence[str], kinds: Sequence[str]) -> frozenset[str]:
    """Return those of some facts that are of one of some kinds, false ones too."""
    rows = cache.rows_among("SELECT id, kind FROM facts WHERE id IN (?)", facts)
    return frozenset([fact for fact, kind in rows if kind in kinds])


def ordinary_of_kind(cache: Cache, kind: str) -> frozenset[str]:
    """Return the ids of a kind by an index: none that is false, promoted, put away or an open thread."""
    rows = cache.rows("SELECT id FROM facts WHERE kind = ? AND state = ?", (kind, ORDINARY))
    return frozenset([row[0] for row in rows])


def facts_of_kind(cache: Cache, kind: str, *, unsettled: bool = False) -> list[Fact]:
    """Return all facts of a kind, archived and false ones too.

    Args:
        cache: of the commit.
        kind: the kind.
        unsettled: those alone that are open, or that a person made `core`.
    """
    question = "SELECT id, history FROM facts WHERE kind = ?"
    if unsettled:
        question += f" AND state = {PINNED:d}"
    rows = cache.rows(question, (kind,))
    found = [resolve(fact, unpack_history(packed), cache.cut) for fact, packed in rows]
    return [fact for fact in found if fact is not None and fact.kind == kind]


def log_named(cache: Cache, start: str) -> LogRef:
    """Return the log of a stem, or of the start of one: whatever takes a stem looks it up here.

    Args:
        cache: of the commit.
        start: it; `STEM:LINE` is read as well.

    Raises:
        NotFound: there is no such log, or several begin so.
    """
    stem = start.partition(":")[0]
    found = _starting(cache, stem, _NAMED + 1) if is_stem(stem_in(stem)) else []
    whole = [ref for ref in found if ref.stem == stem_in(stem)]
    if whole or len(found) == 1:
        return (whole or found)[0]
    if not found:
        raise NotFound(f"there is no session log {start}", hint="`diurna log` lists them")
    names = ", ".join([ref.stem for ref in found[:_NAMED]])
    more = " and others" if len(found) > _NAMED else ""
    raise NotFound(f"{start} begins several session logs", hint=f"say more of one: {names}{more}")


def short_stem(cache: Cache, key: str) -> str:
    """Return a stem as people read it: the stamp, and of the seal what tells it from all others.

    That are at least four characters; a name written by hand is not shortened. `log_named` takes it.
    """
    stem = stem_in(key)
    if not is_sealed(stem):
        return stem
    others = [
        one for one in keys_within(cache, stem[:_MARK_FROM], stem[:_MARK_FROM]) if one != stem
    ]
    short = stem[: _MARK_FROM + _MARK_CHARS]
    while any(stem_in(one) != stem and one.startswith(short) for one in others):
        short = stem[: len(short) + 1]
    return short


def last_key(cache: Cache, point: str) -> str:
    """Return a key that sorts behind all logs up to a point of time, and before the rest.

    Args:
        cache: of the commit.
        point: a date (as it ended), a stamp, a stem, or the start of one.

    Raises:
        NotFound: several logs begin so.
    """
    if is_date(point) or is_stamp(point):
        return point + "~"
    try:
        return log_named(cache, point).key + "~"
    except NotFound:
        clock = point[11:].replace("-", "")
        if _starting(cache, point, 1):
            raise
        # no log is named so: as a time it is a point all the same
        return (point if clock.isdigit() else key_of(point)) + "~"


def _starting(cache: Cache, start: str, limit: int) -> list[LogRef]:
    """Return the logs whose stem begins so, the oldest first, at most so many.

    Of a log with a twin (FORMAT.md, L4) only the first counts.
    """
    begins = (
        [start]
        if len(start) <= _DAY_CHARS
        else [f"{start[:10]}{mark}{start[11:]}" for mark in "+-"]
    )
    rows = [
        row
        for begin in begins
        for row in cache.rows(
            "SELECT stem, path, blob FROM logs WHERE stem >= ? AND stem < ? "
            "AND instr(stem, '~') = 0 ORDER BY stem LIMIT ?",
            (begin, begin + _END, limit),
        )
    ]
    return [LogRef(*row) for row in rows[:limit]]
