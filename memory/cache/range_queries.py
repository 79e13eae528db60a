"""Ask the cache about a stretch of the ledger: which logs lie in it, and what they are about.

Each goes by the index of stems, so a ledger of any size costs what the stretch holds.
"""

from __future__ import annotations

from ledger.model.logset import LogRef
from ledger.model.session import Entry
from memory.cache.schema import FALSE, ORDINARY, entry_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.cache.cache_file import Cache

#: Sorts behind every character of a stem.
END = "\U0010ffff"


def keys_within(cache: Cache, start: str, end: str) -> list[str]:
    """Return the keys of the logs between two stamps, in ledger order.

    Each may be the start of a stamp; all that begins with `end` is within.
    """
    asked = "SELECT stem FROM logs WHERE stem >= ? AND stem < ? ORDER BY stem"
    return cache.column(asked, (start, end + END))


def logs_of(cache: Cache, keys: Sequence[str]) -> list[tuple[LogRef, Entry]]:
    """Return logs by their keys, in ledger order; those that are not there are left out."""
    rows = cache.rows_among("SELECT stem, path, blob, entry FROM logs WHERE stem IN (?)", keys)
    return [(LogRef(*row[:3]), entry_in(row[3])) for row in sorted(rows)]


def of_kinds(cache: Cache, facts: Sequence[str], kinds: Sequence[str]) -> frozenset[str]:
    """Return those of some facts that are of one of some kinds, false ones too."""
    rows = cache.rows_among("SELECT id, kind FROM facts WHERE id IN (?)", facts)
    return frozenset([fact for fact, kind in rows if kind in kinds])


def false_among(cache: Cache, ids: Sequence[str]) -> frozenset[str]:
    """Return those of some facts that are superseded or invalidated."""
    rows = cache.rows_among(f"SELECT id FROM facts WHERE state = {FALSE} AND id IN (?)", ids)  # noqa: S608 - a number
    return frozenset([id for (id,) in rows])


def ordinary_of_kind(cache: Cache, kind: str) -> frozenset[str]:
    """Return the ids of a kind by an index: none that is false, promoted, put away or an open thread."""
    asked = "SELECT id FROM facts WHERE kind = ? AND state = ?"
    return frozenset(cache.column(asked, (kind, ORDINARY)))
