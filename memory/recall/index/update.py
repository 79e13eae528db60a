"""Work out what brings the index to where the cache stands, and write it.

Each log has its place in the ledger's order. FTS5 is told what it loses word by word, so a log is taken
out with the very texts that it was put in with.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ledger.heavy_work import Uncollected
from ledger.home import Home
from ledger.model.layout import CACHE_VERSION
from ledger.model.logset import LogRef
from ledger.model.record import Record
from memory.cache.cache_file import Cache
from memory.cache.schema import entry_in
from memory.cache.sqlite import sqlite3
from memory.cache.stamp import StampBroken
from memory.recall.index.document import Indexed
from memory.recall.index.fts_file import BUILT, FACTS, NOWHERE, RECENT, TABLES, Index, Mark, Totals
from memory.recall.index.log_reader import Source, prepare
from memory.recall.index.rows import FACTS_FROM, PLACE_BITS, IndexDamaged
from memory.redaction.withheld_texts import hidden_by_log
from projection.fold.projection_state import log_digest, set_digest

#: From how many changed logs on a whole file is written anew.
REBUILD_FROM = 5000
#: The number of the first log, and how far the numbers stand apart: there is room for logs that come late.
#: A greater distance makes every place that FTS5 stores a byte longer.
FIRST, APART = 1 << 30, 1 << 11
#: Logs that come late stand no farther apart: others will come behind them.
_LATE_APART = 64
#: FTS5 sorts so many bytes in memory before it writes them, while an index is built; a hundred thousand
#: logs are five or six such parts, which are best left as they are.
_SORTED_BYTES = 32 << 20
_PARTS_LEFT = 16
#: The numbers of the logs before and behind a new one, 0 for none.
_NEIGHBOURS = """SELECT
  coalesce((SELECT number FROM logs WHERE stem < ?1 ORDER BY stem DESC LIMIT 1), 0),
  coalesce((SELECT number FROM logs WHERE stem > ?1 ORDER BY stem LIMIT 1), 0)"""


class Change(Record):
    """What brings an index from one mark to another."""

    before: Mark  #: where it has to stand
    after: Mark  #: where it stands then; what can not be read is added to `skipped`
    fresh: tuple[Source, ...]  #: logs to be added, in ledger order
    gone: tuple[Source, ...]  #: logs to be taken out


def everything(home: Home, cache: Cache) -> Change:
    """Return what fills an empty index with the logs of a cache."""
    return Change(NOWHERE, _mark(cache), _sources(home, cache, cache.packed_entries()), ())


def difference(home: Home, index: Index, cache: Cache) -> Change | None:
    """Return what brings an index to a cache, however they came apart; None where a new file is faster."""
    mark, newest = index.mark, cache.newest_number()
    if mark.generation == cache.generation and mark.number <= newest:
        rows = cache.packed_entries(mark.number)
        terms = [log_digest(key, blob) for key, _, blob, _ in rows]
        if set_digest([int(mark.digest, 16), *terms]) == cache.summary.digest:  # they were added
            if len(rows) > REBUILD_FROM:
                return None
            return Change(mark, _mark(cache, mark.skipped), _sources(home, cache, rows), ())
    known = index.logs()
    refs = {ref.key: ref.blob for ref in cache.log_refs()}
    gone = [
        Source(LogRef(key, "", blob), b"")
        for key, blob in sorted(known.items())
        if refs.get(key) != blob
    ]
    wanted = {key for key, blob in refs.items() if known.get(key) != blob}
    if len(wanted) + len(gone) > REBUILD_FROM or (gone and cache.redacted):
        return None  # what is withheld now may have been written into it, and can not be taken out
    rows = [row for row in cache.packed_entries() if row[0] in wanted] if wanted else []
    return Change(mark, _mark(cache), _sources(home, cache, rows), tuple(gone))


def _mark(cache: Cache, skipped: int = 0) -> Mark:
    return Mark(cache.summary.digest, cache.generation, cache.newest_number(), skipped)


def _sources(
    home: Home, cache: Cache, rows: Sequence[tuple[str, str, str, bytes]]
) -> tuple[Source, ...]:
    entries = {row[0]: entry_in(row[3]) for row in rows} if cache.redacted else {}
    hidden = hidden_by_log(home, cache, entries)
    return tuple(
        [
            Source(LogRef(key, path, blob), packed, hidden.get(key))
            for key, path, blob, packed in rows
        ]
    )


def write(home: Home, index: Index, change: Change) -> bool:
    """Write a change; False where it can not be done, and a new file is needed.

    An index that stands elsewhere by now is left as it is.

    Raises:
        IndexDamaged, sqlite3.Error: the file is damaged, or takes nothing.
    """
    old = [log for batch in prepare(home, change.gone) for log in batch]
    if len(old) != len(change.gone):
        return False  # git has collected what it was
    fresh = [log for batch in prepare(home, change.fresh) for log in batch]
    with _writing(index) as base:
        if index.mark != change.before:
            return True
        totals = _take_out(base, old, index.totals)
        numbers = _placed(base, change.fresh)
        if numbers is None:
            return False
        totals = add(base, fresh, numbers, totals, RECENT)
        skipped = change.after.skipped + len(change.fresh) - len(fresh)
        write_mark(base, change.after._replace(skipped=skipped), totals)
        base.execute("COMMIT")
    return True


def note_mark(index: Index, mark: Mark) -> None:
    """Note that an index stands elsewhere, with the same in it; a disk that refuses is no matter."""
    try:
        with _writing(index) as base:
            write_mark(base, mark, index.totals)
            base.execute("COMMIT")
    except (sqlite3.Error, IndexDamaged, OSError):
        pass


@contextmanager
def _writing(index: Index) -> Iterator[sqlite3.Connection]:
    """Stand around a transaction; what is not committed at its end is taken back."""
    base = index.base
    try:
        with index.stamp.writing():
            base.execute("BEGIN IMMEDIATE")
            try:
                index.forget()
                yield base
            finally:
                if base.in_transaction:
                    base.execute("ROLLBACK")
                index.forget()
    except StampBroken as problem:
        raise IndexDamaged("not as it was left") from problem


def fill(
    home: Home,
    base: sqlite3.Connection,
    change: Change,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write all logs into an empty index.

    `change` is what `everything` gave; `progress` is told now and then how many of how many are
    written.

    Raises:
        sqlite3.Error: it can not be written.
    """
    numbers, totals = _placed(base, change.fresh) or {}, Totals()
    with Uncollected():
        base.execute("BEGIN")
        for batch in prepare(home, change.fresh):
            totals = add(base, batch, numbers, totals, BUILT)
            if progress is not None:
                progress(totals.logs, len(numbers))
        write_mark(base, change.after._replace(skipped=len(numbers) - totals.logs), totals)
        base.execute("COMMIT")


# ---- the file ----------------------------------------------------------------------------------------


def make_tables(base: sqlite3.Connection) -> None:
    """Write the tables of an empty index into a new file, for one bulk filling: nothing can be taken back.

    Raises:
        sqlite3.Error: it can not be written.
    """
    base.execute("PRAGMA synchronous=OFF")
    base.execute("PRAGMA journal_mode=OFF")
    base.executescript(TABLES)
    settings = (("hashsize", _SORTED_BYTES), ("automerge", _PARTS_LEFT))
    base.executemany("INSERT INTO passages(passages, rank) VALUES (?, ?)", settings)
    base.execute("INSERT INTO facts(facts, rank) VALUES (?, ?)", settings[0])
    base.execute("INSERT INTO meta VALUES ('version', ?)", (marshal.dumps(CACHE_VERSION),))


def write_mark(base: sqlite3.Connection, mark: Mark, totals: Totals, **more: Any) -> None:
    """Note where an index stands, and what else its reader asks, in the transaction that is open."""
    said = {"mark": tuple(mark), "totals": tuple(totals), **more}
    rows = [(key, marshal.dumps(value)) for key, value in said.items()]
    base.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)


def add(
    base: sqlite3.Connection,
    logs: Iterable[Indexed],
    numbers: Mapping[str, int],
    totals: Totals,
    table: str,
) -> Totals:
    """Write logs into an index, in the transaction that is open; return its totals then.

    FTS5 is fastest if they come in the order of their numbers. `table` is `BUILT` or `RECENT`.
    """
    rows: list[tuple[object, ...]] = []
    texts: list[tuple[int, str, str]] = []
    facts: list[tuple[int, str, str]] = []
    for values, said in logs:
        number = numbers[values[0]]
        rows.append((number, *values, int(table == RECENT)))
        start = number << PLACE_BITS
        for place, text, parts in said:
            (texts if place < FACTS_FROM else facts).append((start | place, text, parts))
    base.executemany("INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    for where, some in ((table, texts), (FACTS, facts)):
        base.executemany(f"INSERT INTO {where}(rowid, text, parts) VALUES (?, ?, ?)", some)  # noqa: S608 - a name of ours
    return Totals(totals.logs + len(rows), totals.passages + len(texts), totals.facts + len(facts))


def _take_out(base: sqlite3.Connection, logs: Iterable[Indexed], totals: Totals) -> Totals:
    """Take logs out of an index, in the transaction that is open; return its totals then."""
    count, passages, facts = totals
    for (stem, *_), texts in logs:
        (row,) = base.execute("SELECT number, recent FROM logs WHERE stem = ?", (stem,)).fetchall()
        start, table = row[0] << PLACE_BITS, RECENT if row[1] else BUILT
        for place, text, parts in texts:
            where = table if place < FACTS_FROM else FACTS
            asked = f"INSERT INTO {where}({where}, rowid, text, parts) VALUES ('delete', ?, ?, ?)"  # noqa: S608 - a name of ours
            base.execute(asked, (start | place, text, parts))
        base.execute("DELETE FROM logs WHERE stem = ?", (stem,))
        said = sum([place < FACTS_FROM for place, _, _ in texts])
        count, passages, facts = count - 1, passages - said, facts - len(texts) + said
    return Totals(count, passages, facts)


def _placed(base: sqlite3.Connection, logs: Sequence[Source]) -> dict[str, int] | None:
    """Give new logs, in ledger order, numbers between those of their neighbours; None without room."""
    keys = [one.ref.key for one in logs]
    runs: dict[tuple[int, int], list[str]] = {}
    if base.execute("SELECT 1 FROM logs LIMIT 1").fetchone() is None:
        runs, keys = {(0, 0): keys}, []
    for key in keys:
        below, above = base.execute(_NEIGHBOURS, (key,)).fetchone()
        runs.setdefault((below, above), []).append(key)
    found: dict[str, int] = {}
    for (below, above), run in runs.items():
        apart = APART
        if not above:
            start = below or FIRST - APART
        elif not below:
            start = above - APART * (len(run) + 1)
        else:
            start = below
            apart = min((above - below) // (len(run) + 1), _LATE_APART)
        if apart < 1 or start < 0:
            return None
        found |= {key: start + apart * place for place, key in enumerate(run, 1)}
    return found
