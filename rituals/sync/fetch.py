"""Begin a fetch before its answer is needed: the way to a remote is long."""

from __future__ import annotations

from ledger.git.repository import read_reference
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.remote.remote import Remote
from ledger.remote.transport import Progress, begin_fetch, fetch
from ledger.wal.transfer_note import Transfer


class Fetching:
    """A fetch under way; nothing moves but the tracking reference.

    Args:
        home: the home.
        remote: the remote and the branch.
        progress: told how far the transfer is.

    Attributes:
        before: where the remote's branch was when it was last asked, "" when it never was.
        findings: what was in the way and was moved aside.
    """

    def __init__(self, home: Home, remote: Remote, progress: Progress | None) -> None:
        self._git, self._remote, self._progress = home.repository.git(), remote, progress
        self.before = read_reference(home.repository, remote.tracking)
        self._transfer = Transfer(home.repository, remote.tracking)
        self.findings: list[Finding] = []
        self._transfer.__enter__()
        try:
            self._running = begin_fetch(self._git, remote, progress)
        except BaseException:
            self._transfer.__exit__()
            raise

    def finish(self) -> str:
        """Wait for it; return where the branch is there, "" when the remote has none of that name.

        Raises:
            NetworkFailed: one of its kinds.
        """
        try:
            return fetch(
                self._git,
                self._remote,
                progress=self._progress,
                free=self._transfer.free,
                begun=self._running,
            )
        finally:
            self._transfer.__exit__()
            self.findings += self._transfer.findings

    def abandon(self) -> None:
        """End it, and what it started: its answer is of no use any more."""
        self._running.abandon()
        self._transfer.__exit__()
