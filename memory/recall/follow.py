"""Following: the index of recall brought to where the cache stands, or built anew beside the old one."""

from __future__ import annotations

import marshal
import os

from ledger.codec import read_entry
from ledger.layout import CACHE_VERSION
from ledger.logset import LogRef
from memory.bulk import Uncollected
from memory.cache import CACHE_ERRORS
from memory.reading import read_bytes
from memory.recall.index import TABLES, Index, Indexed, Totals, add, indexed, take_out
from memory.sqlite import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ledger.session import Entry
    from memory.cache import Cache
    from memory.snapshot import Snapshot

#: From how many changed logs on a whole file is written anew.
_REBUILD_FROM = 5000


class Following:
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
        self._path = snapshot.home.cache_file + ".recall"
        self._progress = progress
        self._index: Index | None = None

    def index(self, cache: Cache) -> Index:
        """Return the index of the logs that a cache has."""
        if self._index is None:
            self._index = self._open()
        if self._index is not None:
            try:
                self._index.load()
                if self._step(self._index, cache):
                    return self._index
            except CACHE_ERRORS:
                pass
            self._index.close()
        self._index = self._build(cache)
        return self._index

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _open(self) -> Index | None:
        if not os.path.exists(self._path):
            return None
        try:
            return Index(sqlite3.connect(self._path, timeout=10, isolation_level=None))
        except CACHE_ERRORS:
            return None

    def _step(self, index: Index, cache: Cache) -> bool:
        """Bring an index to the logs of the cache; False where building it anew is faster."""
        mark = (cache.generation, cache.newest_number())
        if index.get("mark") == mark:
            return True
        index.base.execute("BEGIN IMMEDIATE")
        try:
            totals = Totals(*index.get("totals"))
            generation, number = index.get("mark")
            gone: list[LogRef] = []
            if generation == cache.generation:
                fresh = {ref.key: (ref, entry) for _, ref, entry in cache.entries(number)}
            else:
                known = dict(index.base.execute("SELECT stem, blob FROM logs").fetchall())
                refs = {ref.key: ref for ref in cache.log_refs()}
                gone = [
                    LogRef(stem, "", blob)
                    for stem, blob in known.items()
                    if stem not in refs or refs[stem].blob != blob
                ]
                names = {key for key, ref in refs.items() if known.get(key) != ref.blob}
                if len(names) + len(gone) > _REBUILD_FROM:
                    index.base.execute("ROLLBACK")
                    return False
                fresh = {
                    ref.key: (ref, entry)
                    for _, ref, entry in (cache.entries() if names else ())
                    if ref.key in names
                }
            if len(fresh) > _REBUILD_FROM:
                index.base.execute("ROLLBACK")
                return False
            if gone:
                old = list(self._read(gone, {}))
                if len(old) != len(gone):
                    index.base.execute("ROLLBACK")
                    return False
                totals = take_out(index.base, old, totals)
            entries = {key: entry for key, (_, entry) in fresh.items()}
            totals = add(
                index.base, self._read([ref for ref, _ in fresh.values()], entries), totals
            )
            _mark(index.base, mark, totals)
            index.base.execute("COMMIT")
        except BaseException:
            if index.base.in_transaction:
                index.base.execute("ROLLBACK")
            raise
        index.forget()
        return True

    def _read(self, refs: Sequence[LogRef], entries: dict[str, Entry]) -> Iterator[Indexed]:
        for ref, data in read_bytes(self._home, refs):
            entry = entries.get(ref.key)
            if entry is None:
                entry, _ = read_entry(ref.stem, data)
            yield indexed(ref, data.decode("utf-8", "replace"), entry)

    def _build(self, cache: Cache) -> Index:
        """Write the whole index beside the old one and put it in its place."""
        temporary = f"{self._path}.{os.getpid()}.tmp"
        try:
            base = _new(temporary)
            self._fill(base, cache)
            base.close()
            os.replace(temporary, self._path)
            return Index(sqlite3.connect(self._path, timeout=10, isolation_level=None))
        except (*CACHE_ERRORS, OSError):
            if os.path.exists(temporary):
                os.unlink(temporary)
        base = _new(":memory:")  # a read-only or full disk: the same answers, kept in memory
        self._fill(base, cache)
        return Index(base)

    def _fill(self, base: sqlite3.Connection, cache: Cache) -> None:
        with Uncollected():
            base.execute("BEGIN")
            pairs = {ref.key: (ref, entry) for _, ref, entry in cache.entries()}
            refs = [pairs[key][0] for key in sorted(pairs)]
            entries = {key: entry for key, (_, entry) in pairs.items()}
            totals = add(base, self._read(refs, entries), Totals())
            _mark(base, (cache.generation, cache.newest_number()), totals)
            base.execute("COMMIT")


def _new(path: str) -> sqlite3.Connection:
    if path != ":memory:" and os.path.exists(path):
        os.unlink(path)
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("PRAGMA synchronous=OFF")
    base.execute("PRAGMA journal_mode=OFF")
    base.executescript(TABLES)
    base.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [("version", marshal.dumps(CACHE_VERSION)), ("totals", b""), ("mark", b"")],
    )
    return base


def _mark(base: sqlite3.Connection, mark: tuple[str, int], totals: Totals) -> None:
    base.executemany(
        "UPDATE meta SET value = ? WHERE key = ?",
        [(marshal.dumps(mark), "mark"), (marshal.dumps(tuple(totals)), "totals")],
    )
