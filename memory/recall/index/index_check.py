"""Check that the index of recall says what one would say that is made of the ledger now."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from memory.cache.cache_file import Cache
from memory.cache.stamp import Stamp
from memory.recall.index.fts_file import Index
from memory.recall.index.index_catch_up import IndexFollower, index_file
from memory.recall.index.update import Change, everything, fill
from memory.recall.index.writer import new_file
from memory.replay.ledger_snapshot import Snapshot

#: Of words, how many passages hold them, and how often.
_QUESTIONS = (
    "SELECT term, sum(doc), sum(cnt) FROM (SELECT term, doc, cnt FROM passages_terms "
    "UNION ALL SELECT term, doc, cnt FROM recent_terms) GROUP BY term ORDER BY term",
    "SELECT term, doc, cnt FROM facts_terms ORDER BY term",
)


def index_differs(snapshot: Snapshot, progress: Callable[[int, int], None] | None = None) -> bool:
    """Compare the index of a home, where it has one, with a new one in memory."""
    if not os.path.exists(index_file(snapshot.home)):
        return False
    following = IndexFollower(snapshot)

    def said(cache: Cache, index: Index) -> tuple[Change, list[list[Any]]]:
        return everything(snapshot.home, cache), _contents(index)

    try:
        change, known = following.ask(said)
    finally:
        following.close()
    base = new_file(":memory:")
    fill(snapshot.home, base, change, progress)
    fresh = Index(base, Stamp(""))
    try:
        return _contents(fresh) != known
    finally:
        fresh.close()


def _contents(index: Index) -> list[list[Any]]:
    numbers = index.rows("SELECT number FROM logs ORDER BY stem")
    return [
        [index.totals, index.logs()],
        [index.log(number) for (number,) in numbers],
        *(index.rows(question) for question in _QUESTIONS),
    ]
