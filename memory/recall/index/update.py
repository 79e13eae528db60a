"""Work out what brings the index to where the cache stands, and write it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ledger.heavy_work import Uncollected
from ledger.home import Home
from ledger.model.logset import LogRef
from ledger.model.record import Record
from memory.cache.cache_file import Cache
from memory.cache.schema import entry_in
from memory.cache.sqlite import sqlite3
from memory.cache.stamp import StampBroken
from memory.recall.index.document import Indexed
from memory.recall.index.fts_file import NOWHERE, Index, IndexDamaged, Mark, Totals
from memory.recall.index.log_reader import Source, mended, prepare
from memory.recall.index.writer import (
    APART,
    BUILT,
    FIRST,
    RECENT,
    Placed,
    add,
    numbers_for,
    take_out,
    write_mark,
)
from memory.redaction.withheld_texts import hidden_by_log
from projection.fold.projection_state import log_digest, set_digest

#: From how many changed logs on a whole file is written anew; where they came bit by bit, only from this
#: share of all logs on.
REBUILD_FROM = 5000
_RECENT_SHARE = 10


class Change(Record):
    """What brings an index from one mark to another."""

    before: Mark  #: where it has to stand
    #: where it stands then; what can not be read is added to `skipped`, what can to `recent`
    after: Mark
    fresh: tuple[Source, ...]  #: logs to be added, in ledger order
    gone: tuple[tuple[str, str], ...]  #: (key, blob id that was read) of the logs to be taken out


def everything(home: Home, cache: Cache) -> Change:
    """Return what fills an empty index with the logs of a cache."""
    return Change(NOWHERE, _mark(cache), _sources(home, cache, cache.packed_entries()), ())


def _mark(cache: Cache, skipped: int = 0, recent: int = 0) -> Mark:
    return Mark(cache.summary.digest, cache.generation, cache.newest_number(), skipped, recent)


def _worn(mark: Mark, cache: Cache) -> bool:
    """Tell whether so much came since the file was built that it is time for a new one."""
    return mark.recent > max(REBUILD_FROM, cache.summary.logs // _RECENT_SHARE)


def appended(home: Home, mark: Mark, cache: Cache) -> Change | None:
    """Return what adds the logs that came since; None where that is not all that happened.

    `cache` is open for reading.
    """
    if mark.generation != cache.generation or mark.number > cache.newest_number():
        return None
    if _worn(mark, cache):
        return None
    rows = cache.packed_entries(mark.number)
    terms = [log_digest(key, blob) for key, _, blob, _ in rows]
    if set_digest([int(mark.digest, 16), *terms]) != cache.summary.digest:
        return None
    return Change(mark, _mark(cache, mark.skipped, mark.recent), _sources(home, cache, rows), ())


def difference(home: Home, index: Index, cache: Cache) -> Change | None:
    """Return what brings an index to a cache, however they came apart; None where a new file is faster."""
    if _worn(index.mark, cache):
        return None
    change = appended(home, index.mark, cache)
    if change is not None:
        return change if len(change.fresh) <= REBUILD_FROM else None
    known = index.logs()
    refs = {ref.key: ref.blob for ref in cache.log_refs()}
    gone = [(key, source) for key, (blob, source) in known.items() if refs.get(key) != blob]
    wanted = {key for key, blob in refs.items() if key not in known or known[key][0] != blob}
    if len(wanted) + len(gone) > REBUILD_FROM or (gone and cache.redacted):
        return None  # what is withheld now may have been written into it, and can not be taken out
    rows = [row for row in cache.packed_entries() if row[0] in wanted] if wanted else []
    after = _mark(cache, 0, index.mark.recent)
    return Change(index.mark, after, _sources(home, cache, rows), tuple(sorted(gone)))


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
    gone = [Source(LogRef(key, "", blob), b"") for key, blob in change.gone]
    old = [log for batch in prepare(home, gone) for log in batch]
    if len(old) != len(gone):
        return False  # git has collected what it was
    missing: list[Source] = []
    fresh = [log for batch in _read(home, change.fresh, missing) for log in batch]
    fresh.sort(key=lambda log: log.row[0])
    try:
        with index.stamp.writing():
            return _write(index, change, old, fresh, len(missing))
    except StampBroken as problem:
        raise IndexDamaged("not as it was left") from problem


def _write(
    index: Index, change: Change, old: Sequence[Indexed], fresh: Sequence[Indexed], missing: int
) -> bool:
    """Write a change in one transaction; see `write`."""
    base = index.base
    base.execute("BEGIN IMMEDIATE")
    try:
        index.forget()
        moved = index.mark != change.before
        if not moved:
            totals = take_out(base, old, index.totals)
            numbers = numbers_for(base, [log.row[0] for log in fresh])
            if numbers is not None:
                totals = add(base, _placed(_blobs(change), numbers, fresh), totals, RECENT)
                skipped, recent = change.after.skipped + missing, change.after.recent
                after = change.after._replace(skipped=skipped, recent=recent + len(fresh))
                write_mark(base, after, totals)
                base.execute("COMMIT")
                return True
        base.execute("ROLLBACK")
        return moved
    except BaseException:
        if base.in_transaction:
            base.execute("ROLLBACK")
        raise
    finally:
        index.forget()


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
    keys = [one.ref.key for one in change.fresh]
    numbers = {key: FIRST + APART * place for place, key in enumerate(keys)}
    blobs = _blobs(change)
    missing: list[Source] = []
    totals = Totals()
    with Uncollected():
        base.execute("BEGIN")
        for batch in _read(home, change.fresh, missing):
            totals = add(base, _placed(blobs, numbers, batch), totals, BUILT)
            if progress is not None:
                progress(min(totals.logs, len(keys)), len(keys))
        write_mark(base, change.after._replace(skipped=len(missing)), totals)
        base.execute("COMMIT")


def _blobs(change: Change) -> dict[str, str]:
    return {one.ref.key: one.ref.blob for one in change.fresh}


def _placed(
    blobs: dict[str, str], numbers: dict[str, int], logs: Sequence[Indexed]
) -> Iterator[Placed]:
    for log in logs:
        key = log.row[0]
        yield Placed(numbers[key], blobs[key], log)


def _read(
    home: Home, sources: Sequence[Source], missing: list[Source]
) -> Iterator[Sequence[Indexed]]:
    """Yield logs in batches, last of all what history has of changed ones; note those that are lost."""
    there: set[str] = set()
    for batch in prepare(home, sources):
        there.update([log.row[0] for log in batch])
        yield batch
    lost = [one for one in sources if one.ref.key not in there]
    found = mended(home, lost) if lost else []
    yield found
    there.update([log.row[0] for log in found])
    missing += [one for one in lost if one.ref.key not in there]
