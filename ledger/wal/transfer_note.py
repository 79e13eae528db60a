"""Note a fetch or push under way, so that a lock which it leaves when killed is known for what it is.

The tracking reference is locked for a moment in each fetch and push. Where git dies, alone or together
with Diurna, that lock would be in the way of every later one (W7).
"""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.git.repository import Repository
from ledger.model.findings import Finding
from ledger.model.layout import TRANSFER_FILE
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.git_locks import clear_left_lock, is_alive

#: Stands for the process in the note of a transfer that has ended.
_ENDED = "0"


class Transfer:
    """One fetch or push, noted while it is under way.

    Args:
        repository: here.
        tracking: the reference that remembers where the remote's branch was.
    """

    def __init__(self, repository: Repository, tracking: str) -> None:
        self._repository, self._tracking = repository, tracking
        self._note = f"{repository.commondir}/{TRANSFER_FILE}"
        self._lock = f"{repository.commondir}/{tracking}.lock"
        self._died_at = 0.0
        self.findings: list[Finding] = []

    def __enter__(self) -> Transfer:
        """Read what a dead transfer left, and note this one; a disk that refuses is no reason to fail."""
        self._died_at = self._dead_since()
        try:
            make_folder(os.path.dirname(self._note))
            replace_file(self._note, f"{os.getpid()} {self._tracking}\n".encode(), 0o600)
        except (DiurnaError, OSError):
            pass
        return self

    def __exit__(self, *problem: object) -> None:
        """Take the note away, however it ended; for a lock that is still there, note that it ended."""
        try:
            if not os.path.lexists(self._lock):
                os.unlink(self._note)
                return
            began = self._died_at or os.stat(self._note).st_mtime
            replace_file(self._note, f"{_ENDED} {self._tracking}\n".encode(), 0o600)
            os.utime(self._note, (began, began))
        except (DiurnaError, OSError):
            pass

    def free(self) -> bool:
        """Move the lock of the tracking reference aside if it belongs to nobody; tell whether it did."""
        found = clear_left_lock(self._repository, self._lock, self._died_at)
        if found is not None:
            self.findings.append(found)
        return found is not None

    def _dead_since(self) -> float:
        """Return when a transfer of this reference began that is over and left its note, 0.0 for none."""
        try:
            with open(self._note, encoding="utf-8", errors="replace") as file:
                process, _, tracking = file.read(4096).strip().partition(" ")
                began = os.fstat(file.fileno()).st_mtime
        except OSError:
            return 0.0
        if not process.isdigit() or tracking != self._tracking:
            return 0.0
        over = process == _ENDED or not is_alive(int(process))
        return began if over else 0.0
