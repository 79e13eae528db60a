"""Read the bytes of logs from git, without a library and without what makes sense of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ledger.errors import GitFailed, StorageFailed
from ledger.git.cli import Git
from ledger.git.commit_record import loose_object
from ledger.home import Home
from ledger.model.ids import blob_id
from ledger.model.logset import LogRef
from ledger.wal.spool import Spool

#: The most blobs that are looked for as loose files before git is asked.
LOOSE_UP_TO = 64


def read_bytes(home: Home, refs: Sequence[LogRef]) -> Iterator[tuple[LogRef, bytes]]:
    """Yield the bytes of logs: from the spool and loose files what is there, the rest by one git.

    Logs whose object is missing are left out.
    """
    held = held_bytes(home, refs)
    yield from held.items()
    objects = home.repository.commondir + "/objects"
    packed: list[LogRef] = []
    for ref in refs:
        if ref in held:
            continue
        data = _loose(objects, ref.blob) if len(refs) <= LOOSE_UP_TO else None
        if data is None:
            packed.append(ref)
        else:
            yield ref, data[data.index(b"\0") + 1 :]
    if packed:
        found = blobs(home.repository.git(), [ref.blob for ref in packed])
        for ref, content in zip(packed, found, strict=True):
            if content is not None:
                yield ref, content


def held_bytes(home: Home, refs: Sequence[LogRef]) -> dict[LogRef, bytes]:
    """Return the bytes of those logs that wait in the spool: git has no object of them yet."""
    try:
        waiting = set(os.listdir(home.held_folder))
    except OSError:
        return {}
    found = {}
    for ref in refs:
        if ref.stem in waiting:
            data = Spool(home.spool_folder).read(ref.stem)
            if data is not None and blob_id(data) == ref.blob:
                found[ref] = data
    return found


def _loose(objects: str, blob: str) -> bytes | None:
    try:
        return loose_object(objects, blob)
    except StorageFailed:  # damaged; git may have a packed copy
        return None


def blobs(git: Git, ids: Sequence[str]) -> list[bytes | None]:
    """Read objects; git gives up at a damaged one, and then each is asked for by itself."""
    try:
        return list(git.blobs(ids))
    except GitFailed:
        if len(ids) == 1:
            return [None]
    middle = len(ids) // 2
    return blobs(git, ids[:middle]) + blobs(git, ids[middle:])
