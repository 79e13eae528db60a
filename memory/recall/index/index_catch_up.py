"""Bring the index to where the cache stands, ask it there, and check it.

What changed is written between two readings of the cache, so that no other process waits meanwhile for its
turn with it. What can not be brought forward is written anew beside the old file. Where the disk takes
nothing, all of that happens in memory. What writes is loaded where there is something to write.
"""

from __future__ import annotations

import os

from ledger.errors import StorageFailed
from memory.cache.sqlite import sqlite3
from memory.cache.stamp import Stamp, StampBroken, file_number, see_to_disk
from memory.recall.index.fts_file import Index
from memory.recall.index.rows import IndexDamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.index.fts_file import Mark
    from memory.replay.ledger_snapshot import Snapshot

    Said = TypeVar("Said")
    Fill = Callable[[sqlite3.Connection], None]

#: How often others may be faster before they are made to wait.
_TRIES = 20


def index_file(home: Home) -> str:
    """Return where the index of a home is."""
    return home.cache_file + ".recall"


class IndexFile:
    """An index file, or in its place one in memory, where the disk takes nothing.

    Args:
        path: of the file; "" for one in memory.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._index: Index | None = None
        #: what tells the open file from others of its name, 0 for one in memory; and a damaged one
        self._file = self._damaged = 0

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
        number = file_number(self._path)
        if self._index is not None and self._file not in (0, number):
            self.close()  # another process built it anew
        if self._index is None and number not in (0, self._damaged):
            self._file = number
            self._index = _opened(self._path)
        if self._index is not None:
            self._index.load()
        return self._index

    def drop(self) -> None:
        """Stop using a file that was found damaged."""
        self.close()
        self._damaged = self._file

    def make(self, fill: Fill) -> None:
        """Write a whole index beside the old one and put it in its place, or in memory."""
        from ledger.wal.atomic_files import make_folder
        from memory.cache.rebuild import write_beside
        from memory.recall.index.update import make_tables

        def made(base: sqlite3.Connection) -> None:
            make_tables(base)
            fill(base)

        self.close()
        try:
            if Stamp(self._path).usable:
                make_folder(os.path.dirname(self._path))
                return write_beside(self._path, made)
        except (sqlite3.Error, OSError, StorageFailed):
            pass
        self.in_memory(fill)

    def in_memory(self, fill: Fill) -> Index:
        """Return a whole index in memory."""
        from memory.recall.index.update import make_tables

        self.close()
        base = sqlite3.connect(":memory:", isolation_level=None)
        make_tables(base)
        fill(base)
        base.execute("PRAGMA journal_mode=MEMORY")  # without a journal nothing can be taken back
        self._index, self._file = Index(base, Stamp("")), 0
        return self._index


def _opened(path: str) -> Index:
    stamp, base = Stamp(path), None
    try:
        stamp.check()
        base = sqlite3.connect(path, timeout=10, isolation_level=None)
        base.execute("PRAGMA synchronous=OFF")
        # as the cache's: `memory.cache.rebuild.install` knows
        base.execute("PRAGMA journal_mode=PERSIST")
        index = Index(base, stamp)
        see_to_disk(base, stamp)
        return index
    except (sqlite3.Error, StampBroken, IndexDamaged) as problem:
        if base is not None:
            base.close()
        raise IndexDamaged(str(problem)) from problem


class IndexFollower:
    """Keeps one index in step with one snapshot.

    Args:
        snapshot: of the home.
        progress: told how far a long reading is.
    """

    def __init__(
        self, snapshot: Snapshot, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self._snapshot, self._home = snapshot, snapshot.home
        self._progress = progress
        self._kept = IndexFile(index_file(snapshot.home))

    def close(self) -> None:
        """Close the file."""
        self._kept.close()

    def ask(self, question: Callable[[Cache, Index], Said]) -> Said:
        """Answer a question of the cache and of an index of its logs, both as of one commit."""
        for _ in range(_TRIES):
            said = self._snapshot.ask(lambda cache: self._attempt(cache, question))
            if said is not None:
                return said[0]
            self._catch_up()
        # others write faster than we follow: from an index made here and now
        return self._snapshot.ask(
            lambda cache: question(cache, self._kept.in_memory(self._filling(cache)))
        )

    def _attempt(
        self, cache: Cache, question: Callable[[Cache, Index], Said]
    ) -> tuple[Said] | None:
        """Answer if the index is in step, else return None."""
        try:
            index = self._kept.opened()
            if index is None:
                return None
            with index:
                return (question(cache, index),) if in_step(index.mark, cache) else None
        except IndexDamaged:
            self._drop()
            return None

    def _filling(self, cache: Cache) -> Fill:
        return filling(self._home, cache, self._progress)

    def _drop(self) -> None:
        self._kept.drop()
        said = "the index of recall was unusable and was built anew"
        self._snapshot.tell_unusable(Stamp(index_file(self._home)), said)

    def _catch_up(self) -> None:
        """Bring the index to where the cache is by now, outside of any reading of the cache."""
        from memory.recall.index.update import difference, write

        try:
            index = self._kept.opened()
            if index is not None:
                change = self._snapshot.ask(lambda cache: difference(self._home, index, cache))
                if change is not None and write(self._home, index, change):
                    return
        except sqlite3.OperationalError:
            pass  # its disk takes nothing
        except (sqlite3.Error, IndexDamaged):
            self._drop()
        self._kept.make(self._snapshot.ask(self._filling))


def ask_once(snapshot: Snapshot, question: Callable[[Cache, Index], Said]) -> Said:
    """Answer one question of a snapshot and its index (`IndexFollower.ask`)."""
    follower = IndexFollower(snapshot)
    try:
        return follower.ask(question)
    finally:
        follower.close()


def filling(home: Home, cache: Cache, progress: Callable[[int, int], None] | None = None) -> Fill:
    """Return what fills an empty index with the logs of a cache."""
    from memory.recall.index.update import everything, fill

    change = everything(home, cache)
    return lambda base: fill(home, base, change, progress)


def in_step(mark: Mark, cache: Cache) -> bool:
    """Tell whether an index has the logs of a cache."""
    same = mark.digest == cache.summary.digest
    return same and (not mark.skipped or mark.generation == cache.generation)


def index_differs(snapshot: Snapshot, progress: Callable[[int, int], None] | None = None) -> bool:
    """Compare the index of a home, where it has one, with one that is made in memory of the ledger now."""
    if not os.path.exists(index_file(snapshot.home)):
        return False
    known, fill = ask_once(
        snapshot,
        lambda cache, index: (_contents(index), filling(snapshot.home, cache, progress)),
    )
    fresh = IndexFile("").in_memory(fill)
    try:
        return _contents(fresh) != known
    finally:
        fresh.close()


def _contents(index: Index) -> list[Any]:
    numbers = index.rows("SELECT number FROM logs ORDER BY stem")
    return [
        index.totals,
        index.logs(),
        [index.log(number) for (number,) in numbers],
        index.rows("SELECT term, sum(doc), sum(cnt) FROM terms GROUP BY term ORDER BY term"),
        index.rows("SELECT term, doc, cnt FROM facts_terms ORDER BY term"),
    ]
