"""Bring the index to where the cache stands, and ask it there.

Few new logs are added while a question is asked. More of them, and what a reset or a pull replaced, are
written before it, so that no other process waits meanwhile for its turn with the cache. What can not be
brought forward is written anew beside the old file. Where the disk takes nothing, all of that happens in
memory. What writes is loaded where there is something to write.
"""

from __future__ import annotations

import os

from ledger.errors import StorageFailed
from ledger.wal.atomic_files import try_unlink
from memory.cache.sqlite import sqlite3
from memory.cache.stamp import Stamp, StampBroken, file_number, see_to_disk
from memory.recall.index.fts_file import Index, IndexDamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.index.fts_file import Mark
    from memory.recall.index.update import Change
    from memory.replay.ledger_snapshot import Snapshot

    Said = TypeVar("Said")

#: The most new logs that are added while the cache is being read.
_AT_ONCE = 64
#: How often others may be faster before they are made to wait.
_TRIES = 20


def index_file(home: Home) -> str:
    """Return where the index of a home is."""
    return home.cache_file + ".recall"


def drop_index(home: Home) -> None:
    """Take the index of a home away: the next question that needs it builds it anew."""
    try_unlink(index_file(home))


class IndexFollower:
    """Keeps one index in step with one snapshot.

    Args:
        snapshot: of the home.
        progress: told how far a long reading is.
    """

    def __init__(
        self, snapshot: Snapshot, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self._snapshot = snapshot
        self._home = snapshot.home
        self._path = index_file(snapshot.home)
        self._progress = progress
        self._index: Index | None = None
        #: what tells the open file from others of its name, 0 for one in memory; and a damaged one
        self._file = self._damaged = 0

    def ask(self, question: Callable[[Cache, Index], Said]) -> Said:
        """Answer a question of the cache and of an index of its logs, both as of one commit."""
        for _ in range(_TRIES):
            said = self._snapshot.ask(lambda cache: self._attempt(cache, question))
            if said is not None:
                return said[0]
            self._catch_up()
        return self._snapshot.ask(lambda cache: self._alone(cache, question))

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _attempt(
        self, cache: Cache, question: Callable[[Cache, Index], Said]
    ) -> tuple[Said] | None:
        """Answer if the index is in step, or nearly so; else None."""
        try:
            index = self._opened()
            if index is None:
                return None
            if not in_step(index.mark, cache):
                from memory.recall.index.update import appended

                change = appended(self._home, index.mark, cache)
                if change is None or len(change.fresh) > _AT_ONCE:
                    return None
                index = self._bring(index, change)
            if index is None:
                return None
            with index:
                return (question(cache, index),) if in_step(index.mark, cache) else None
        except IndexDamaged:
            self._drop()
            return None

    def _alone(self, cache: Cache, question: Callable[[Cache, Index], Said]) -> Said:
        """Answer from an index made here and now: others write faster than we follow."""
        from memory.recall.index.update import everything

        change = everything(self._home, cache)
        return question(cache, self._in_memory(change))

    # ---- the file ---------------------------------------------------------------------------------

    def _opened(self) -> Index | None:
        """Return the index as it is now, None for a missing one."""
        number = file_number(self._path)
        if self._index is not None and self._file not in (0, number):
            self.close()  # another process built it anew
        if self._index is None and number not in (0, self._damaged):
            self._file = number
            self._index = open_index(self._path)
        if self._index is not None:
            self._index.load()
        return self._index

    def _drop(self) -> None:
        """Stop using a file that was found damaged."""
        self.close()
        self._damaged = self._file
        said = "the index of recall was unusable and was built anew"
        self._snapshot.tell_unusable(Stamp(self._path), said)

    # ---- bringing it forward ----------------------------------------------------------------------

    def _catch_up(self) -> None:
        """Bring the index to where the cache is by now, outside of any reading of the cache."""
        from memory.recall.index.update import difference

        try:
            index = self._opened()
            if index is not None:
                change = self._snapshot.ask(lambda cache: difference(self._home, index, cache))
                if change is not None and self._bring(index, change) is not None:
                    return
        except IndexDamaged:
            self._drop()
        self._build()

    def _bring(self, index: Index, change: Change) -> Index | None:
        """Write a change into the index, or into a copy in memory where its file takes nothing."""
        from memory.recall.index.update import write

        try:
            try:
                return index if write(self._home, index, change) else None
            except sqlite3.OperationalError:
                if not self._file:
                    raise
            copy = sqlite3.connect(":memory:", isolation_level=None)
            index.base.backup(copy)
            self.close()
            self._file = 0
            self._index = index = Index(copy, Stamp(""))
            return index if write(self._home, index, change) else None
        except sqlite3.Error as problem:
            raise IndexDamaged(str(problem)) from problem

    def _build(self) -> None:
        """Write the whole index beside the old one and put it in its place."""
        from memory.recall.index.update import everything, fill

        change = self._snapshot.ask(lambda cache: everything(self._home, cache))
        if write_file(self._path, lambda base: fill(self._home, base, change, self._progress)):
            self.close()
        else:
            self._in_memory(change)  # a read-only or full disk

    def _in_memory(self, change: Change) -> Index:
        from memory.recall.index.update import fill
        from memory.recall.index.writer import new_file

        base = new_file(":memory:")
        fill(self._home, base, change, self._progress)
        base.execute("PRAGMA journal_mode=MEMORY")  # without a journal nothing can be taken back
        self.close()
        self._index, self._file = Index(base, Stamp("")), 0
        return self._index


def in_step(mark: Mark, cache: Cache) -> bool:
    """Tell whether an index has the logs of a cache."""
    same = mark.digest == cache.summary.digest
    return same and (not mark.skipped or mark.generation == cache.generation)


def write_file(path: str, fill: Callable[[sqlite3.Connection], None]) -> bool:
    """Write a whole index beside the old one and put it in its place; False if the disk takes nothing."""
    from ledger.wal.atomic_files import make_folder
    from memory.cache.rebuild import write_beside
    from memory.recall.index.writer import make_tables

    def made(base: sqlite3.Connection) -> None:
        make_tables(base)
        fill(base)

    if not Stamp(path).usable:
        return False
    try:
        make_folder(os.path.dirname(path))
        write_beside(path, made)
        return True
    except (sqlite3.Error, OSError, StorageFailed):
        return False


def open_index(path: str) -> Index:
    """Open an index.

    Raises:
        IndexDamaged: it is damaged or of another version.
    """
    stamp = Stamp(path)
    try:
        stamp.check()
        base = sqlite3.connect(path, timeout=10, isolation_level=None)
    except (sqlite3.Error, StampBroken) as problem:
        raise IndexDamaged(str(problem)) from problem
    try:
        base.execute("PRAGMA synchronous=OFF")
        base.execute(
            "PRAGMA journal_mode=PERSIST"
        )  # as the cache's: `memory.cache.rebuild.install` knows
        index = Index(base, stamp)
        see_to_disk(base, stamp)
        return index
    except sqlite3.Error as problem:
        base.close()
        raise IndexDamaged(str(problem)) from problem
    except BaseException:
        base.close()
        raise
