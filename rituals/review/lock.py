"""One review at a time: a lock in the common git directory that says whose it is, and since when."""

from __future__ import annotations

import os

from ledger.errors import Busy
from ledger.model.layout import REVIEW_LOCK_FILE
from ledger.model.order import ended_of, stamp_of
from ledger.wal.atomic_files import Lock, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from ledger.home import Home


class ReviewRuns(Busy):
    """Another process reviews this ledger."""


class Alone:
    """Keeps other reviews of a repository out while it is entered; the kernel frees it with its process.

    Args:
        home: to be reviewed.
        agent: who reviews it.
        now_ms: when that began.
    """

    def __init__(self, home: Home, agent: str, now_ms: int) -> None:
        self._folder = home.state_dir
        self._path = os.path.join(home.repository.commondir, REVIEW_LOCK_FILE)
        self._lock = Lock(self._path, wait_seconds=0.0)
        # the process is named in the note too: what a dead owner left does not pass for the next one's
        self._note = f"{os.getpid()} {ended_of(stamp_of(now_ms))} {' '.join(agent.split())}"

    def __enter__(self) -> Alone:
        """Take the lock.

        Raises:
            ReviewRuns: another review is under way.
            StorageFailed: the lock file can not be made.
        """
        make_folder(self._folder)
        try:
            self._lock.__enter__()
        except Busy:
            raise ReviewRuns(
                f"a review of this ledger is under way{owner(self._path)}",
                hint="wait for its end; the plan alone can be seen with `diurna review --dry-run`",
            ) from None
        try:
            self._lock.write_note(self._note)
        except OSError:
            pass  # a full disk: the lock holds without a name on it
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free the lock."""
        self._lock.__exit__(kind, value, trace)


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
