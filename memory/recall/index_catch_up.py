"""Bring the index to where the cache stands, ask it there, and check it.

What changed is written between two readings of the cache, so that no other process waits meanwhile for its
turn with it. What can not be brought forward is written anew beside the old file. Where the disk takes
nothing, all of that happens in memory. What writes is loaded where there is something to write.
"""

from __future__ import annotations

import os
from functools import partial

from memory.cache.stamp import sqlite3
from memory.recall.fts_file import Index, IndexDamaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.index_update import Fill
    from memory.replay.ledger_snapshot import Snapshot

    Said = TypeVar("Said")

#: How often others may be faster before they are made to wait.
_TRIES = 20


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
        for _ in range(_TRIES):
            try:
                index = self.opened()
                if index is not None:
                    said = self._snapshot.ask(partial(_attempt, index, question))
                    if said is not None:
                        return said[0]
                    if self._bring(index):
                        continue
            except IndexDamaged:
                unusable = "the index of recall was unusable and was built anew"
                self._snapshot.tell_unusable(self._path, unusable)
            self.make(self._snapshot.ask(self._filling))
        # others write faster than we follow: from an index made here and now
        return self._snapshot.ask(
            lambda cache: question(cache, self.make(self._filling(cache), kept=False))
        )

    def _filling(self, cache: Cache) -> Fill:
        from memory.recall.index_update import filling

        return filling(self._snapshot.home, cache, self._progress)

    def _bring(self, index: Index) -> bool:
        from memory.recall.index_update import follow

        try:
            return follow(self._snapshot, index)
        except IndexDamaged as problem:
            if isinstance(problem.__cause__, sqlite3.OperationalError):
                return False  # its disk takes nothing
            raise


def _attempt(
    index: Index, question: Callable[[Cache, Index], Said], cache: Cache
) -> tuple[Said] | None:
    """Answer if an index has the logs of a cache, else return None."""
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
    from memory.recall.index_update import filling

    if not os.path.exists(index_file(snapshot.home)):
        return False
    known, fill = ask_once(
        snapshot,
        lambda cache, index: (_contents(index), filling(snapshot.home, cache, progress)),
    )
    fresh = made(Index, "", fill)
    differs = _contents(fresh) != known
    fresh.close()
    return differs


def _contents(index: Index) -> list[Any]:
    asked = (
        "SELECT stem, blob, day, agent, role, branch, passages FROM logs ORDER BY stem",
        "SELECT term, sum(doc), sum(cnt) FROM terms GROUP BY term ORDER BY term",
        "SELECT term, doc, cnt FROM facts_terms ORDER BY term",
    )
    return [index.totals, *[index.rows(one) for one in asked]]
