"""Mending: what a power cut or a prune took from the object store comes back from the spool.

git does not flush its objects, so after a power cut a commit may name objects that are empty or gone, or
the branch may stand where it stood before. The spool's copies were flushed. A damaged object file is moved
aside first: git takes whatever bears the right name for the object, and does not write it again.
"""

from __future__ import annotations

import os

from ledger.commit import loose_object
from ledger.digest import blob_id
from ledger.errors import StorageFailed
from ledger.findings import Finding
from ledger.home import Home
from ledger.layout import log_path
from ledger.logset import LogRef
from ledger.spool import Spool
from ledger.stale import journal, set_aside
from memory.checkout import store_blob
from memory.reading import read_bytes
from memory.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.cache import Cache


def suspects(home: Home, spool: Spool, cache: Cache) -> list[str]:
    """Return the kept logs that may be lost, by a look that costs next to nothing.

    They are those that the cache does not have, and those whose object file is empty.
    """
    objects = home.repository.commondir + "/objects"
    found = []
    kept = spool.kept()
    known = cache.known(kept)
    for stem in kept:
        ref = known.get(stem)
        try:
            if ref is None or not os.stat(f"{objects}/{ref.blob[:2]}/{ref.blob[2:]}").st_size:
                found.append(stem)
        except OSError:  # packed
            pass
    return found


def mend(snapshot: Snapshot, logs: Mapping[str, bytes | None]) -> list[str]:
    """Write the objects of committed logs again that the store has lost.

    Call it only while holding Diurna's own lock.

    Args:
        snapshot: of the home; built anew when something was mended, and told of it.
        logs: stem -> the spool's copy, None for a damaged one.

    Returns:
        The stems that no tree of the tip names any more: they have to be committed again.

    Raises:
        StorageFailed: the disk refused.
    """
    home = snapshot.home
    refs: dict[LogRef, bytes] = {}
    for stem, data in logs.items():
        if data is not None:
            refs[LogRef(stem, log_path(stem), blob_id(data))] = data
    whole = {ref for ref, data in read_bytes(home, list(refs)) if data == refs[ref]}
    lost = [ref for ref in refs if ref not in whole]
    for ref in lost:
        clear_damaged(home, ref.blob)
        store_blob(home, refs[ref])
        said = f"the object {ref.blob} of {ref.path} was lost and was written again from the spool"
        journal(home.repository.commondir, said)
        snapshot.notes.append(Finding("object-mended", said, ref.path))
    if not lost:
        return []
    cache = snapshot.rebuilt()
    return [ref.stem for ref in lost if cache.log_ref(ref.stem) is None]


def clear_damaged(home: Home, blob: str) -> bool:
    """Move an object's file aside when it does not hold what its name says; tell whether it was so.

    Raises:
        StorageFailed: the disk refused.
    """
    objects = home.repository.commondir + "/objects"
    try:
        loose_object(objects, blob)
    except StorageFailed:
        set_aside(home.repository.commondir, f"{objects}/{blob[:2]}/{blob[2:]}")
        return True
    return False
