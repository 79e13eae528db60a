"""Pruning: writes that go on while a git beside them deletes what nothing referred to when it looked."""

from __future__ import annotations

import time

from ledger.errors import CorruptRepository, GitFailed, StorageFailed
from ledger.stale import git_prunes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ledger.disk import Lock

    Made = TypeVar("Made")

#: How often more a write is tried, and how long after the last time.
_TRIES, _PAUSE_SECONDS = 6, 0.02


def despite_pruning(
    commondir: str, once: Callable[[], Made], remake: Callable[[], list[str]], lock: Lock | None
) -> Made:
    """Do something again for which git lacked an object or a folder that a prune took meanwhile.

    A failure of any other cause is not tried again: nothing could be made again, and no git prunes.

    Args:
        commondir: the common git directory.
        once: does it.
        remake: writes again what was lost, and returns it.
        lock: Diurna's own lock, where it is held.
    """
    for _ in range(_TRIES):
        try:
            return once()
        except (CorruptRepository, StorageFailed, GitFailed):
            if not (remake() or git_prunes(commondir)):
                raise
            time.sleep(_PAUSE_SECONDS)
            if lock is not None:
                lock.resume()  # the branch may have moved before it failed
    return once()
