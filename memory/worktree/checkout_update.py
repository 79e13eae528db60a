"""Let work tree and index have what a commit brings before the branch moves to it (W18).

The other way round a kill between the two leaves a branch that is ahead of its index, and the next commit
of a person, which is made from that index, takes our files out again. This way it leaves a new file that
is staged: whatever a person does then brings it in, or leaves it to the next command.
"""

from __future__ import annotations

import time

from ledger.git.repository import head
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import SESSIONS_DIR
from memory.worktree.checkout import INDEX_TRIES, blobs_at, entry_line, index_stamp, update_index
from memory.worktree.commit_follow import show_files, take_back
from memory.worktree.mirror import mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.git.commit_record import Move


class Ahead:
    """What the work tree and the index, or the mirror, have of a commit that is about to be made.

    Args:
        home: the home.
        files: (path from the root, bytes) of the commit; None takes one out.
    """

    def __init__(self, home: Home, files: Sequence[tuple[str, bytes | None]]) -> None:
        self._home = home
        self._files = files
        self._index: tuple[int, ...] = ()  # as it was once it had the entries
        #: what could not be done
        self.findings: list[Finding] = []
        self._unset = False

    def show(self, move: Move) -> None:
        """Write them, and move the branch."""
        self._move = move
        inside = [(path[len(self._home.prefix) :], data) for path, data in self._files]
        found = show_files(self._home, inside, self._stage)
        if not self._home.checked_out:
            move(lambda: True)
        self.findings = found

    def _stage(self, home: Home, lines: list[str], sparse: bool) -> list[Finding]:
        """Set the index's entries while git has the branch locked, and move it.

        So nobody's commit has them before the branch does. One who holds the index is waited for with
        nothing locked: their git may want the branch.
        """
        found: list[Finding] = []

        def is_set() -> bool:
            found[:] = update_index(home, lines, sparse, tries=1)
            self._index = index_stamp(home)
            return not any(one.code == "index-busy" for one in found)

        for attempt in range(INDEX_TRIES):
            if self._move(is_set):
                return found
            time.sleep(0.01 * (attempt + 1))
        self._unset = True  # somebody holds it for long: `settle` sets them, or tells
        self._move(lambda: True)
        return []

    def take_back(self) -> None:
        """Let them be as the branch has them: it did not move."""
        home = self._home
        if home.checked_out:
            take_back(home, self._blobs())
        elif home.repository.top:
            there = blobs_at(
                home,
                home.tip(),
                [path for path, _ in self._files if not path.startswith(SESSIONS_DIR)],
                whole=True,
            )
            bodies = iter(home.repository.git().blobs([blob for blob in there.values() if blob]))
            mirror(home, [(path, next(bodies) if blob else None) for path, blob in there.items()])

    def settle(self) -> None:
        """See behind the move that they are still so: git knows nothing of Diurna's lock."""
        home = self._home
        if not home.checked_out:
            return
        if self._unset or self._index != index_stamp(home):
            lines = [entry_line(path, blob) for path, blob in self._blobs().items()]
            self.findings += update_index(home, lines)
        if head(home.repository)[0] != home.reference:
            take_back(home, self._blobs())

    def _blobs(self) -> dict[str, str]:
        return {path: "" if data is None else blob_id(data) for path, data in self._files}
