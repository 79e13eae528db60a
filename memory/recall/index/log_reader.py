"""Read logs from git and cut them into what the index takes; many of them in other processes.

FTS5 writes into one file from one process; reading, proving and cutting the logs takes longer than that,
and is shared. What is indexed are bytes that the log's name proves (for an unsealed one its blob's id): of
a log that was changed afterwards those that history has, or nothing.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable, Iterator, Sequence

from ledger.codec.log import read_entry
from ledger.codec.plain_text import text_of
from ledger.heavy_work import may_fork
from ledger.home import Home
from ledger.model.logset import LogRef
from ledger.model.order import is_sealed, proves
from ledger.model.record import Record
from ledger.model.session import LOG_LIMIT_BYTES, Entry
from ledger.model.sha256 import blob_id
from memory.cache.schema import entry_in
from memory.cache.sqlite import CacheDamaged
from memory.recall.index.document import Indexed, indexed
from memory.redaction.withheld_texts import Hidden, without_beside, without_lines
from memory.replay.log_bytes import held_bytes, read_bytes
from projection.fold.withholding import withheld_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


#: The number of logs from which other processes pay for their start, and how many are started.
_FORK_FROM = 3000
_WORKERS = 2
#: How many logs go through a pipe at once.
_BATCH = 250
#: The number of logs up to which the library that reads packs does not pay for its start.
_LIBRARY_ABOVE = 64


class Source(Record):
    """A log to be indexed."""

    ref: LogRef  #: the log; its blob is the one to be read
    packed: bytes  #: its entry as the cache has it, b"" to read that from the bytes too
    hidden: Hidden | None = None  #: what of it must not be in the index, None where all may


def prepare(home: Home, sources: Sequence[Source], workers: int = -1) -> Iterator[list[Indexed]]:
    """Yield logs ready for the index, in batches, in the order given.

    Those that can not be read, or are not what they were, are left out. `workers` is how many other
    processes read them; -1 to see whether they pay.
    """
    if workers < 0:
        workers = _WORKERS if len(sources) >= _FORK_FROM and may_fork() else 0
    batches = [sources[start : start + _BATCH] for start in range(0, len(sources), _BATCH)]
    if not workers:
        contents = _contents(home, sources)
        for batch in batches:
            yield _prepared(batch, contents)
        return
    team = [_Worker(home, batches[number::workers]) for number in range(workers)]
    try:
        for number, batch in enumerate(batches):
            found = team[number % workers].next()
            # a worker that died (of memory, or a signal) leaves its part to us
            yield _prepared(batch, _contents(home, batch)) if found is None else found
    finally:
        for worker in team:
            worker.end()


def mended(home: Home, sources: Iterable[Source]) -> list[Indexed]:
    """Return what history has of logs that are not what they were sealed as."""
    from ledger.git.log_history import sealed_before

    sealed = {one.ref.path: one for one in sources if is_sealed(one.ref.stem)}
    if not sealed:
        return []
    found = sealed_before(home, home.tip(), {path: one.ref.blob for path, one in sealed.items()})
    firsts = [
        Source(sealed[path].ref._replace(blob=blobs[0]), b"", sealed[path].hidden)
        for path, blobs in found.items()
    ]
    return _prepared(firsts, _contents(home, firsts))


def _contents(home: Home, sources: Sequence[Source]) -> Iterator[bytes | None]:
    """Yield the bytes of logs, None for a missing one."""
    if len(sources) <= _LIBRARY_ABOVE:
        found = dict(read_bytes(home, [one.ref for one in sources]))
        return (found.get(one.ref) for one in sources)
    from ledger.git.pygit2_store import Store

    waiting = held_bytes(home, [one.ref for one in sources])
    stored = Store(home.repository).blobs([one.ref.blob for one in sources])
    pairs = zip(sources, stored, strict=True)
    return (waiting.get(one.ref) if data is None else data for one, data in pairs)


def _prepared(batch: Sequence[Source], contents: Iterator[bytes | None]) -> list[Indexed]:
    if len(batch) > _LIBRARY_ABOVE:
        from hashlib import sha256  # OpenSSL's: slow to load, fast per byte
    else:
        from ledger.model.sha256 import sha256
    found = []
    for (ref, packed, hidden), data in zip(batch, contents, strict=False):
        if data is None or len(data) > LOG_LIMIT_BYTES:
            continue
        stem = ref.stem
        if not (
            proves(stem, sha256(data).digest()) if is_sealed(stem) else blob_id(data) == ref.blob
        ):
            continue
        text, entry = text_of(data), _entry(ref, packed, data)
        if hidden is not None:
            gone = hidden.facts | {ref.stem} if hidden.words else hidden.facts
            text, entry = _without(text, hidden), withheld_entry(entry, gone)
        found.append(indexed(ref, text, entry))
    return found


def _without(text: str, hidden: Hidden) -> str:
    """Return what of a log's text may be in the index: nothing but the header, where its words may not."""
    if not hidden.words:
        return without_lines(without_beside(text, hidden.facts), hidden.texts)
    end = text.find("\n---", 3) if text[:3] == "---" else -1
    return text[: end + 5] if end > 0 else ""


def _entry(ref: LogRef, packed: bytes, data: bytes) -> Entry:
    if packed:
        try:
            return entry_in(packed)
        except CacheDamaged:
            pass
    return read_entry(ref.stem, data)[0]


class _Worker:
    """A child that prepares batches and sends them one by one."""

    def __init__(self, home: Home, batches: Sequence[Sequence[Source]]) -> None:
        out, into = os.pipe()
        self._child = os.fork()
        if not self._child:
            status = 1
            try:
                os.close(out)
                with os.fdopen(into, "wb") as pipe:
                    _send(home, batches, pipe)
                status = 0
            finally:
                os._exit(status)
        os.close(into)
        self._pipe = os.fdopen(out, "rb")

    def next(self) -> list[Indexed] | None:
        """Return the next batch; None when there will be none any more."""
        head = self._pipe.read(8)
        size = int.from_bytes(head, "big")
        data = self._pipe.read(size)
        if len(head) < 8 or len(data) < size:
            return None
        return [Indexed(*one) for one in marshal.loads(data)]

    def end(self) -> None:
        """Let it go: one that is not done yet finds nobody to write to."""
        self._pipe.close()
        os.waitpid(self._child, 0)


def _send(home: Home, batches: Sequence[Sequence[Source]], pipe: BinaryIO) -> None:
    contents = _contents(home, [one for batch in batches for one in batch])
    for batch in batches:
        data = marshal.dumps([tuple(log) for log in _prepared(batch, contents)])
        pipe.write(len(data).to_bytes(8, "big"))
        pipe.write(data)
