"""Allow one review at a time, by a lock that says whose it is, and since when."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ledger.errors import Busy
from ledger.home import Home
from ledger.model.layout import REVIEW_LOCK_FILE
from ledger.model.order import ended_of, stamp_of
from ledger.wal.atomic_files import Lock, make_folder


class ReviewRuns(Busy):
    """Another process reviews this ledger."""


@contextmanager
def alone(home: Home, agent: str, now_ms: int) -> Iterator[None]:
    """Keep other reviews of a repository out; the kernel frees the lock with its process.

    `now_ms` is when the review began.

    Raises:
        ReviewRuns: another review is under way.
        StorageFailed: the lock file can not be made.
    """
    path = os.path.join(home.repository.commondir, REVIEW_LOCK_FILE)
    make_folder(home.state_dir)
    with ExitStack() as held:
        lock = Lock(path, wait_seconds=0.0)
        try:
            held.enter_context(lock)
        except Busy:
            said = f"a review of this ledger is under way{owner(path)}"
            hint = "wait for its end; the plan alone can be seen with `diurna review --dry-run`"
            raise ReviewRuns(said, hint=hint) from None
        # the process is named in the note too: what a dead owner left does not pass for the next one's
        note = f"{os.getpid()} {ended_of(stamp_of(now_ms))} {' '.join(agent.split())}"
        try:
            lock.write_note(note)
        except OSError:
            pass  # a full disk: the lock holds without a name on it
        yield


def owner(path: str) -> str:
    """Say whose a lock file is: `: by claude-code (process 4711), since 2026-11-21T08:30:12.417Z`."""
    try:
        with open(path, "rb") as file:
            words = file.read(4096).decode("utf-8", "replace").split()
    except OSError:
        return ""
    if len(words) < 4 or words[0] != words[1]:
        return f" (process {words[0]})" if words and words[0].isdigit() else ""
    return f": by {' '.join(words[3:])} (process {words[0]}), since {words[2]}"
