"""Bring the index to where the cache stands, ask it there, and check it.

What changed is written between two readings of the cache, so that no other process waits meanwhile for its
turn with it. Each log has its place in the ledger's order; FTS5 is told what it loses word by word, so a
log is taken out with the very texts that it was put in with. What can not be brought forward is written
anew beside the old file. Where the disk takes nothing, all of that happens in memory.
"""

from __future__ import annotations

import marshal
import os
from functools import partial
from itertools import chain, count

from ledger.model.layout import CACHE_VERSION
from memory.cache.stamp import sqlite3
from memory.recall.fts_tables import (
    AT_BITS,
    BUILT,
    FACTS_FROM,
    PLACE_BITS,
    RECENT,
    TABLES,
    Index,
    IndexDamaged,
    Mark,
    Stemmer,
    Totals,
    may_hold,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.log_reader import Indexed, Row
    from memory.redaction.withheld_texts import Hidden
    from memory.replay.tip_snapshot import Snapshot

    Said = TypeVar("Said")
    Fill = Callable[[sqlite3.Connection], None]
    Progress = Callable[[int, int], None]
    _Change = tuple[Mark, list[Row], list[Row], Mapping[str, Hidden]]

#: How often others may be faster before they are made to wait.
_TRIES = 20
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

#: So many logs stand together as there are numbers in these bits, but what came since the file was built
#: apart: else each new log would write the places of common words anew.
_NUMBER_BITS, _TOGETHER = AT_BITS + PLACE_BITS, (1 << 20) - 2
_ADD = """INSERT INTO facts VALUES (?, ?, ?, ?, ?) ON CONFLICT(term, part) DO UPDATE
  SET doc = doc + excluded.doc, texts = CAST(texts || excluded.texts AS BLOB),
  places = CAST(places || excluded.places AS BLOB)"""
_LEAVE = "UPDATE facts SET doc = ?, texts = ?, places = ? WHERE term = ? AND part = ?"
_KNOWN = "SELECT 1 FROM facts WHERE term = ?"
_ADD_WORDS = """INSERT INTO meta VALUES ('words', ?) ON CONFLICT(key) DO UPDATE
  SET value = value || excluded.value"""


def index_file(home: Home) -> str:
    """Return where the index of a home is."""
    return home.cache_file + ".recall"


class IndexFile:
    """An index file, or in its place one in memory, where the disk takes nothing.

    Args:
        path: of the file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._index: Index | None = None

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def opened(self) -> Index | None:
        """Return the index as it is now, None for a missing one.

        Raises:
            IndexDamaged: it is damaged or of another version.
        """
        if self._index is not None and self._index.replaced:
            self.close()  # another process built it anew
        if self._index is not None:
            self._index.load()
        elif os.path.exists(self._path):
            self._index = Index.open(self._path)
        return self._index

    def make(self, fill: Fill, kept: bool = True) -> Index:
        """Write a whole index in place of the old one; in memory where it is not or can not be kept."""
        from memory.cache.rebuild import made

        self.close()
        self._index = made(Index, self._path if kept else "", fill)
        return self._index


class IndexFollower(IndexFile):
    """Keeps one index in step with one snapshot.

    Args:
        snapshot: of the home.
        progress: told how far a long reading is.
    """

    def __init__(
        self, snapshot: Snapshot, progress: Callable[[int, int], None] | None = None
    ) -> None:
        super().__init__(index_file(snapshot.home))
        self._snapshot, self._progress = snapshot, progress

    def ask(self, question: Callable[[Cache, Index], Said]) -> Said:
        """Answer a question of the cache and of an index of its logs, both as of one commit."""
        snapshot = self._snapshot
        fills = partial(_filling, snapshot.home, progress=self._progress)
        for _ in range(_TRIES):
            try:
                index = self.opened()
                if index is not None:
                    said = snapshot.ask(partial(_attempt, index, question))
                    if said is not None:
                        return said[0]
                    try:
                        if _follow(snapshot, index):
                            continue
                    except IndexDamaged as problem:  # its disk may take nothing
                        if not isinstance(problem.__cause__, sqlite3.OperationalError):
                            raise
            except IndexDamaged:
                unusable = "the index of recall was unusable and was built anew"
                snapshot.tell_unusable(self._path, unusable)
            self.make(snapshot.ask(fills))
        # others write faster than we follow: from an index made here and now
        return snapshot.ask(lambda cache: question(cache, self.make(fills(cache), kept=False)))


def _attempt(
    index: Index, question: Callable[[Cache, Index], Said], cache: Cache
) -> tuple[Said] | None:
    """Answer if an index has the logs of the cache, else return None."""
    with index:
        mark = index.mark
        whole = not mark.skipped or mark.generation == cache.generation
        in_step = whole and mark.digest == cache.summary.digest
        return (question(cache, index),) if in_step else None


def ask_once(snapshot: Snapshot, question: Callable[[Cache, Index], Said]) -> Said:
    """Answer one question of a snapshot and its index (`IndexFollower.ask`)."""
    follower = IndexFollower(snapshot)
    try:
        return follower.ask(question)
    finally:
        follower.close()


def index_differs(snapshot: Snapshot, progress: Callable[[int, int], None] | None = None) -> bool:
    """Compare the index of a home, where it has one, with one that is made in memory of the ledger now."""
    from memory.cache.rebuild import made

    if not os.path.exists(index_file(snapshot.home)):
        return False
    known, fill = ask_once(
        snapshot,
        lambda cache, index: (_contents(index), _filling(snapshot.home, cache, progress)),
    )
    fresh = made(Index, "", fill)
    differs = _contents(fresh) != known
    fresh.close()
    return differs


def _contents(index: Index) -> list[Any]:
    asked = (
        "SELECT stem, blob, day, agent, role, branch, passages FROM logs ORDER BY stem",
        "SELECT term, sum(doc), sum(cnt) FROM terms GROUP BY term ORDER BY term",
        "SELECT term, sum(doc), sum(cnt) FROM facts_terms GROUP BY term ORDER BY term",
    )
    return [index.totals, *[index.rows(one) for one in asked]]


def _follow(snapshot: Snapshot, index: Index) -> bool:
    """Bring an index to where the cache is by now; False where a new one is needed.

    One that stands elsewhere by the time that it is written is left as it is.
    """
    from memory.recall.log_reader import prepare

    home, before = snapshot.home, index.mark
    change = snapshot.ask(lambda cache: _difference(home, index, cache))
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
            kept = _put(base, index.stemmer, old, known, index.totals, -1)
            totals = _put(base, index.stemmer, fresh, numbers, kept)
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
    gone = [(key, "", blob, b"", b"") for key, blob in known.items() if there.get(key) != blob]
    if len(fresh) + len(gone) > REBUILD_FROM or (gone and cache.redacted):
        return None  # what is withheld now may have been written into it, and can not be taken out
    return (
        _mark(cache, mark.skipped if added else 0),
        gone,
        fresh,
        _hidden(home, cache, fresh),
    )


def _mark(cache: Cache, skipped: int = 0) -> Mark:
    return Mark(cache.summary.digest, cache.generation, cache.newest_number(), skipped)


def _hidden(home: Home, cache: Cache, rows: Sequence[Row]) -> Mapping[str, Hidden]:
    if not cache.redacted:  # as in most homes
        return {}
    from memory.redaction.withheld_texts import hidden_by_log

    return hidden_by_log(home, cache, rows)


def _filling(home: Home, cache: Cache, progress: Progress | None = None) -> Fill:
    """Return what fills an empty index with the logs of a cache."""
    from memory.recall.log_reader import prepare

    mark, rows = _mark(cache), cache.packed_entries()
    hidden, keys = _hidden(home, cache, rows), [row[0] for row in rows]
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
    from ledger.heavy_work import Uncollected

    base.executescript(TABLES)
    settings = (("hashsize", _SORTED_BYTES), ("automerge", _PARTS_LEFT))
    base.executemany("INSERT INTO passages(passages, rank) VALUES (?, ?)", settings)
    numbers, totals = dict(zip(keys, count(FIRST, APART), strict=False)), Totals()
    stemmer = Stemmer()
    with Uncollected():
        base.execute("BEGIN")
        for batch in batches:
            totals = _put(base, stemmer, batch, numbers, totals)
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
    stemmer: Stemmer,
    logs: Sequence[Indexed],
    numbers: Mapping[str, int],
    totals: Totals,
    sign: int = 1,
) -> Totals:
    """Write logs into an index, or take them out (-1), in the open transaction; return its totals then.

    FTS5 is fastest if they come in the order of their numbers.
    """
    texts: dict[str, list[tuple[int, str, str]]] = {BUILT: [], RECENT: []}
    facts: list[tuple[int, str, str]] = []
    rows = [(numbers[row[0]], *row) for row, _ in logs]
    for (number, *_), (_, said) in zip(rows, logs, strict=True):
        passages = texts[RECENT if number & 1 else BUILT]
        for place, text, parts in said:
            table = passages if place < FACTS_FROM else facts
            table.append((number << PLACE_BITS | place, text, parts))
    for name, some in texts.items():
        to, kind = (f"{name}(", "") if sign > 0 else (f"{name}({name}, ", "'delete', ")
        base.executemany(f"INSERT INTO {to}rowid, text, parts) VALUES ({kind}?, ?, ?)", some)  # noqa: S608 - ours
    if sign > 0:
        base.executemany("INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    else:
        base.executemany("DELETE FROM logs WHERE number = ?", [row[:1] for row in rows])
    _put_facts(base, stemmer.read(facts), sign)
    counts = len(rows), len(texts[BUILT]) + len(texts[RECENT]), len(facts)
    return Totals(*[had + sign * more for had, more in zip(totals, counts, strict=True)])


def _put_facts(base: sqlite3.Connection, places: Iterable[tuple[str, int]], sign: int) -> None:
    """Write the places of words of facts, or take them out, in the open transaction."""
    from _struct import pack

    found: dict[tuple[str, int], list[int]] = {}
    for term, place in places:
        found.setdefault((term, (place >> _NUMBER_BITS) & ~_TOGETHER), []).append(place)
    words: list[str] = []
    for key, some in found.items():
        if sign < 0:
            ((packed,),) = base.execute("SELECT places FROM facts WHERE term = ? AND part = ?", key)
            some = sorted({*memoryview(packed).cast("q")}.difference(some))
        elif may_hold(key[0]) and not base.execute(_KNOWN, key[:1]).fetchone():
            words.append(key[0])
        texts = sorted({place >> AT_BITS for place in some})
        values = len(texts), pack(f"{len(texts)}q", *texts), pack(f"{len(some)}q", *some)
        base.execute(*(_ADD, (*key, *values)) if sign > 0 else (_LEAVE, (*values, *key)))
    if found and sign < 0:
        base.execute("DELETE FROM facts WHERE doc = 0")
    base.execute(_ADD_WORDS, ("".join([f"{word}\n" for word in words]),))


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
