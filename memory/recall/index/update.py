"""Work out what brings the index to where the cache stands, and write it.

Each log has its place in the ledger's order. FTS5 is told what it loses word by word, so a log is taken
out with the very texts that it was put in with.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Any

from ledger.heavy_work import Uncollected
from ledger.home import Home
from ledger.model.layout import CACHE_VERSION
from ledger.model.logset import LogRef
from ledger.model.record import Record
from memory.cache.cache_file import Cache
from memory.cache.schema import entry_in
from memory.cache.sqlite import sqlite3
from memory.recall.index.fts_file import BUILT, FACTS, RECENT, TABLES, Index, Mark, Totals
from memory.recall.index.log_reader import Indexed, Source, prepare
from memory.recall.index.rows import FACTS_FROM, PLACE_BITS
from memory.redaction.withheld_texts import hidden_by_log

#: From how many changed logs on a whole file is written anew.
REBUILD_FROM = 5000
#: The number of the first log, and how far the numbers stand apart: there is room for logs that come late.
#: A greater distance makes every place that FTS5 stores a byte longer. Numbers of what was there when the
#: file was built are even, those of what came since are odd.
FIRST, APART = 1 << 30, 1 << 11
#: FTS5 sorts so many bytes in memory before it writes them, while an index is built; a hundred thousand
#: logs are five or six such parts, which are best left as they are.
_SORTED_BYTES = 32 << 20
_PARTS_LEFT = 16
#: The numbers of the logs before and behind a new one, 0 for none.
_NEIGHBOURS = """SELECT
  coalesce((SELECT number FROM logs WHERE stem < ?1 ORDER BY stem DESC LIMIT 1), 0),
  coalesce((SELECT number FROM logs WHERE stem > ?1 ORDER BY stem LIMIT 1), 0)"""

Fill = Callable[[sqlite3.Connection], None]
Progress = Callable[[int, int], None]


class Change(Record):
    """What brings an index from one mark to another."""

    before: Mark  #: where it has to stand
    after: Mark  #: where it stands then; what can not be read is added to `skipped`
    fresh: Sequence[Source]  #: logs to be added, in ledger order
    gone: Sequence[Source]  #: logs to be taken out


def difference(home: Home, index: Index, cache: Cache) -> Change | None:
    """Return what brings an index to a cache, however they came apart; None where a new file is faster."""
    mark = index.mark
    same = mark.generation == cache.generation  # then logs were added
    known = {} if same else index.logs()
    rows = cache.packed_entries(mark.number if same else 0)
    there = {row[0]: row[2] for row in rows}
    rows = [row for row in rows if known.get(row[0]) != row[2]]
    gone = [
        Source(LogRef(key, "", blob), b"")
        for key, blob in sorted(known.items())
        if there.get(key) != blob
    ]
    if len(rows) + len(gone) > REBUILD_FROM or (gone and cache.redacted):
        return None  # what is withheld now may have been written into it, and can not be taken out
    after = _mark(cache, mark.skipped if same else 0)
    return Change(mark, after, sources_of(home, cache, rows), gone)


def _mark(cache: Cache, skipped: int = 0) -> Mark:
    return Mark(cache.summary.digest, cache.generation, cache.newest_number(), skipped)


def sources_of(
    home: Home, cache: Cache, rows: Sequence[tuple[str, str, str, bytes]]
) -> list[Source]:
    """Return the logs of some rows of a cache (`packed_entries`) as they are read for the index."""
    entries = {row[0]: entry_in(row[3]) for row in rows} if cache.redacted else {}
    hidden = hidden_by_log(home, cache, entries)
    return [
        Source(LogRef(key, path, blob), packed, hidden.get(key)) for key, path, blob, packed in rows
    ]


def write(home: Home, index: Index, change: Change) -> bool:
    """Write a change; False where it can not be done, and a new file is needed.

    An index that stands elsewhere by now is left as it is.
    """
    old, fresh = [
        [*chain.from_iterable(prepare(home, some))] for some in (change.gone, change.fresh)
    ]
    if len(old) != len(change.gone):
        return False  # git has collected what it was

    def step() -> bool:
        if index.mark != change.before:
            return True
        base = index.base
        numbers = _placed(base, [one.ref.key for one in change.fresh])
        if numbers is None:
            return False
        known = {row[0]: index.number_of(row[0]) for row, _ in old}
        totals = _put(base, fresh, numbers, _put(base, old, known, index.totals, -1))
        skipped = change.after.skipped + len(change.fresh) - len(fresh)
        write_mark(base, change.after._replace(skipped=skipped), totals)
        return True

    return index.change(step)


def filling(home: Home, cache: Cache, progress: Progress | None = None) -> Fill:
    """Return what fills an empty index with the logs of a cache."""
    mark, sources = _mark(cache), sources_of(home, cache, cache.packed_entries())
    keys = [one.ref.key for one in sources]
    return lambda base: fill(base, mark, keys, prepare(home, sources), progress)


def fill(
    base: sqlite3.Connection,
    mark: Mark,
    keys: Sequence[str],
    batches: Iterable[Sequence[Indexed]],
    progress: Progress | None = None,
    **more: Any,
) -> None:
    """Write all logs, or documents, into an empty file.

    `keys` are theirs, in order; what `batches` lack of them is added to those that the mark skips.
    `progress` is told now and then how many of how many are written; `more` is what else a reader asks.
    """
    base.executescript(TABLES)
    settings = (("hashsize", _SORTED_BYTES), ("automerge", _PARTS_LEFT))
    base.executemany("INSERT INTO passages(passages, rank) VALUES (?, ?)", settings)
    base.execute("INSERT INTO facts(facts, rank) VALUES (?, ?)", settings[0])
    numbers, totals = dict(zip(keys, count(FIRST, APART), strict=False)), Totals()
    with Uncollected():
        base.execute("BEGIN")
        for batch in batches:
            totals = _put(base, batch, numbers, totals)
            if progress is not None:
                progress(totals.logs, len(keys))
        mark = mark._replace(skipped=mark.skipped + len(keys) - totals.logs)
        write_mark(base, mark, totals, version=CACHE_VERSION, **more)
        base.execute("COMMIT")


def write_mark(base: sqlite3.Connection, mark: Mark, totals: Totals, **more: Any) -> None:
    """Note where an index stands, and what else its reader asks, in the transaction that is open."""
    said = {"mark": tuple(mark), "totals": tuple(totals), **more}
    rows = [(key, marshal.dumps(value)) for key, value in said.items()]
    base.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)


def _put(
    base: sqlite3.Connection,
    logs: Sequence[Indexed],
    numbers: Mapping[str, int],
    totals: Totals,
    sign: int = 1,
) -> Totals:
    """Write logs into an index, or take them out (-1), in the open transaction; return its totals then.

    FTS5 is fastest if they come in the order of their numbers.
    """
    texts: dict[str, list[tuple[int, str, str]]] = {BUILT: [], RECENT: [], FACTS: []}
    rows = [(numbers[row[0]], *row) for row, _ in logs]
    for (number, *_), (_, said) in zip(rows, logs, strict=True):
        passages = texts[RECENT if number & 1 else BUILT]
        for place, text, parts in said:
            table = passages if place < FACTS_FROM else texts[FACTS]
            table.append((number << PLACE_BITS | place, text, parts))
    for name, some in texts.items():
        to, kind = (f"{name}(", "") if sign > 0 else (f"{name}({name}, ", "'delete', ")
        base.executemany(f"INSERT INTO {to}rowid, text, parts) VALUES ({kind}?, ?, ?)", some)  # noqa: S608 - ours
    if sign > 0:
        base.executemany("INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    else:
        base.executemany("DELETE FROM logs WHERE number = ?", [row[:1] for row in rows])
    counts = len(rows), len(texts[BUILT]) + len(texts[RECENT]), len(texts[FACTS])
    return Totals(*[had + sign * more for had, more in zip(totals, counts, strict=True)])


def _placed(base: sqlite3.Connection, keys: Iterable[str]) -> dict[str, int] | None:
    """Give new logs, in ledger order, odd numbers between their neighbours'; None without room."""
    runs: dict[tuple[int, int], list[str]] = {}
    for key in keys:
        runs.setdefault(base.execute(_NEIGHBOURS, (key,)).fetchone(), []).append(key)
    found: dict[str, int] = {}
    for (below, above), run in runs.items():
        gaps = len(run) + 1
        below = below or (above or FIRST) - APART * gaps
        apart = min(APART, (above - below) // gaps) if above else APART
        if apart < 2 or below < 0:
            return None
        found |= {key: below + apart * at | 1 for at, key in enumerate(run, 1)}
    return found
