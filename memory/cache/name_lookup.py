"""Find what a name stands for (an id or a stem, or the start of one), and what lies between two stems.

Whatever takes an id asks `fact_named`, whatever takes a stem `log_named`. A whole name always wins; where
several begin so, they are told and none is taken. What is recorded is always the whole name. All goes by
the index of stems, so a ledger of any size costs what a stretch of it holds.
"""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.model.log_names import LogRef, is_date, is_stamp, is_stem, key_of, stem_in
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.cache.queries import LOGS
from memory.cache.schema import PENDING, PINNED, agent_name, entry_in
from memory.cache.stamp import CacheDamaged
from projection.policy.model import CLOSABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import TypeVar

    from ledger.home import Home

    Answer = TypeVar("Answer")

#: Sorts behind every character of a stem.
END = "\U0010ffff"
#: How many candidates a message names.
_NAMED = 3
_DAY_CHARS = 10


def fact_named(cache: Cache, start: str, beside: Collection[str] = ()) -> str:
    """Return the id of a fact, whole, for the id or the start of it; one that nobody knows as it is.

    `beside` are ids that are known and not in the cache.

    Raises:
        NotFound: several facts begin so.
    """
    if not start or start in beside or is_named(cache, start):
        return start
    begun = cache.column(
        "SELECT id FROM facts WHERE id >= ? AND id < ? AND state != ? ORDER BY id LIMIT ?",
        (start, start + END, PENDING, _NAMED + 1),
    )
    found = sorted({*begun, *[id for id in beside if id.startswith(start)]})
    if len(found) > 1:
        raise _several(start, "facts", found)
    return found[0] if found else start


def is_named(cache: Cache, id: str) -> bool:
    """Tell whether any log names an id."""
    return cache.row("SELECT 1 FROM facts WHERE id = ?", (id,)) is not None


def log_named(cache: Cache, start: str) -> LogRef:
    """Return the log of a stem, or of the start of one: whatever takes a stem looks it up here.

    `STEM:LINE` is read as well.

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
    raise _several(start, "session logs", [ref.stem for ref in found])


def last_key(cache: Cache, point: str) -> str:
    """Return a key that sorts behind all logs up to a point of time, and before the rest.

    `point` is a date (as it ended), a stamp, a stem, or the start of one.

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
    among = "WHERE stem >= ? AND stem < ? AND instr(stem, '~') = 0 ORDER BY stem LIMIT ?"
    refs = [ref for begin in begins for ref in cache.refs(among, (begin, begin + END, limit))]
    return refs[:limit]


def _several(start: str, what: str, found: list[str]) -> NotFound:
    more = " and others" if len(found) > _NAMED else ""
    hint = f"say more of one: {', '.join(found[:_NAMED])}{more}"
    return NotFound(f"{start} begins several {what}", hint=hint)


def keys_within(cache: Cache, start: str, end: str) -> list[str]:
    """Return the keys of the logs between two stamps, in ledger order.

    Each may be the start of a stamp; all that begins with `end` is within.
    """
    asked = "SELECT stem FROM logs WHERE stem >= ? AND stem < ? ORDER BY stem"
    return cache.column(asked, (start, end + END))


def logs_of(cache: Cache, keys: Sequence[str]) -> list[tuple[LogRef, Entry]]:
    """Return logs by their keys, in ledger order; those that are not there are left out."""
    rows = cache.rows_among(f"{LOGS} WHERE stem IN (?)", keys)
    return [(LogRef(*row[:3]), entry_in(*row[3:])) for row in sorted(rows)]


IDS, THREADS, KINDS, AGENTS, ENTITIES, STEMS = "id", "thread", "kind", "agent", "entity", "stem"
#: At most so many: nobody reads more, and a shell becomes slow.
_MOST = 200
_QUERIES = {
    IDS: f"id, kind FROM facts WHERE id >= ? AND id < ? AND state != {PENDING} ORDER BY id",
    THREADS: f"id, kind FROM facts WHERE id >= ? AND id < ? AND state = {PINNED} "
    f"AND kind IN ({', '.join(map(repr, sorted(CLOSABLE)))}) ORDER BY id",
    AGENTS: "name, '' FROM newest WHERE name >= ? AND name < ? ORDER BY name",
    ENTITIES: "DISTINCT about, '' FROM facts WHERE about >= ? AND about < ? AND about > ''",
    STEMS: "stem, '' FROM logs WHERE stem >= ? AND stem < ? ORDER BY stem DESC",
}


def names_like(home: Home, what: str, begin: str) -> list[tuple[str, str]]:
    """Return names of a sort that begin so, each with its kind or "", for completing what is typed."""

    def asked(cache: Cache) -> list[tuple[str, str]]:
        if what == KINDS:
            kinds = [kind.name for kind in cache.policy.kinds]
            return [(name, "") for name in kinds if name.startswith(begin)]
        start = agent_name(begin) if what == AGENTS else begin
        rows = cache.rows(f"SELECT {_QUERIES[what]} LIMIT {_MOST}", (start, start + END))
        if what == STEMS:
            return [(stem_in(key), "") for key, _ in rows if is_stem(stem_in(key))]
        return [(name.removeprefix(agent_name("")), kind) for name, kind in rows]

    return as_it_lies(home, asked) or []


def as_it_lies(home: Home, question: Callable[[Cache], Answer]) -> Answer | None:
    """Ask a cache as it was left: nothing is brought up to date; None where it can not be used."""
    try:
        cache = Cache.open(home.cache_file + ".sqlite")
        try:
            return question(cache)
        finally:
            cache.close()
    except CacheDamaged:
        return None
