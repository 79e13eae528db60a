"""Work out what brings the index to where the cache stands, and write it.

Each log has its place in the ledger's order. FTS5 is told what it loses word by word, so a log is taken
out with the very texts that it was put in with.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, count
from typing import Any

from ledger.heavy_work import Uncollected
from ledger.home import Home
from ledger.model.layout import CACHE_VERSION
from memory.cache.cache_file import Cache
from memory.cache.stamp import sqlite3
from memory.recall.fts_file import (
    BUILT,
    FACTS,
    FACTS_FROM,
    PLACE_BITS,
    RECENT,
    TABLES,
    Index,
    Mark,
    Totals,
)
from memory.recall.log_reader import Indexed, Row, prepare
from memory.redaction.withheld_texts import Hidden, hidden_by_log
from memory.replay.ledger_snapshot import Snapshot

#: From how many changed logs on a whole file is written anew.
REBUILD_FROM = 5000
#: The number of the first log, and how far the numbers stand apart: there is room for logs that come late.
#: A greater distance makes every place that FTS5 stores a byte longer. Numbers of what was there when the
#: file was built are even, those of what came since are odd.
FIRST, APART = 1 << 30, 1 << 11
#: FTS5 sorts so many bytes in memory before it writes them, while an index is built; a hundred thousand
#: logs are five or six such parts, which are best left as they are.
_SORTED_BYTES, _PARTS_LEFT = 32 << 20, 16
#: The numbers of the logs before and behind a new one, 0 for none.
_NEIGHBOURS = """SELECT
  coalesce((SELECT number FROM logs WHERE stem < ?1 ORDER BY stem DESC LIMIT 1), 0),
  coalesce((SELECT number FROM logs WHERE stem > ?1 ORDER BY stem LIMIT 1), 0)"""

Fill = Callable[[sqlite3.Connection], None]
Progress = Callable[[int, int], None]
_Change = tuple[Mark, list[Row], list[Row], Mapping[str, Hidden]]


def follow(snapshot: Snapshot, index: Index) -> bool:
    """Bring an index to where the cache is by now; False where a new one is needed.

    One that stands elsewhere by the time that it is written is left as it is.
    """
    home, before = snapshot.home, index.mark
    change = snapshot.ask(partial(_difference, home, index))
    if change is None:
        return False
    after, gone, added, hidden = change
    old = [*chain.from_iterable(prepare(home, gone))]
    fresh = [*chain.from_iterable(prepare(home, added, hidden))]
    if len(old) != len(gone):
        return False  # git has collected what it was

    def step() -> bool:
        base = index.base
        numbers = _placed(base, [row[0] for row in added])
        if index.mark == before and numbers is not None:
            known = {row[0]: index.number_of(row[0]) for row, _ in old}
            totals = _put(base, fresh, numbers, _put(base, old, known, index.totals, -1))
            skipped = after.skipped + len(added) - len(fresh)
            write_mark(base, after._replace(skipped=skipped), totals)
        return numbers is not None

    return index.change(step)


def _difference(home: Home, index: Index, cache: Cache) -> _Change | None:
    """Return where a cache stands, the logs that go and come on an index's way there, and what is hidden.

    None where a new file is faster.
    """
    mark, newest = index.mark, cache.newest_number()
    added = mark.generation == cache.generation and mark.number <= newest  # and nothing else
    known = {} if added else dict(index.rows("SELECT stem, blob FROM logs"))
    rows = cache.packed_entries(mark.number if added else 0)
    there = {row[0]: row[2] for row in rows}
    fresh = [row for row in rows if known.get(row[0]) != row[2]]
    gone = [(key, "", blob, b"") for key, blob in known.items() if there.get(key) != blob]
    if len(fresh) + len(gone) > REBUILD_FROM or (gone and cache.redacted):
        return None  # what is withheld now may have been written into it, and can not be taken out
    return (
        _mark(cache, mark.skipped if added else 0),
        gone,
        fresh,
        hidden_by_log(home, cache, fresh),
    )


def _mark(cache: Cache, skipped: int = 0) -> Mark:
    return Mark(cache.summary.digest, cache.generation, cache.newest_number(), skipped)


def filling(home: Home, cache: Cache, progress: Progress | None = None) -> Fill:
    """Return what fills an empty index with the logs of a cache."""
    mark, rows = _mark(cache), cache.packed_entries()
    hidden, keys = hidden_by_log(home, cache, rows), [row[0] for row in rows]
    return lambda base: fill(base, mark, keys, prepare(home, rows, hidden), progress)


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
