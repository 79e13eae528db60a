"""Read logs from git and cut them into what the index takes; many of them in other processes.

FTS5 writes into one file from one process; reading, proving and cutting the logs takes longer than that,
and is shared. What is indexed are bytes that the log's name proves (for an unsealed one its blob's id): of
a log that was changed afterwards those that the cache found in history, or nothing.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator, Sequence

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
    team = [_forked(home, batches[number::workers]) for number in range(workers)]
    try:
        for number, batch in enumerate(batches):
            _, pipe = team[number % workers]
            size = int.from_bytes(pipe.read(8), "big")
            data = pipe.read(size)
            if size and len(data) == size:
                yield [Indexed(*one) for one in marshal.loads(data)]
            else:  # a worker that died (of memory, or a signal) leaves its part to us
                yield _prepared(batch, _contents(home, batch))
    finally:
        for child, pipe in team:
            pipe.close()  # one that is not done yet finds nobody to write to
            os.waitpid(child, 0)


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


def _forked(home: Home, batches: Sequence[Sequence[Source]]) -> tuple[int, BinaryIO]:
    """Start a child that prepares batches and sends them one by one; return it and where to read them."""
    out, into = os.pipe()
    child = os.fork()
    if child:
        os.close(into)
        return child, os.fdopen(out, "rb")
    try:
        os.close(out)
        contents = _contents(home, [one for batch in batches for one in batch])
        with os.fdopen(into, "wb") as pipe:
            for batch in batches:
                data = marshal.dumps([tuple(log) for log in _prepared(batch, contents)])
                pipe.write(len(data).to_bytes(8, "big") + data)
        os._exit(0)
    finally:
        os._exit(1)
