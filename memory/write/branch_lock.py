"""Lock the branch of a home, and try a write again until the branch holds still (W2, W4, W7, W8, W14).

Git itself knows nothing of our lock, so the branch may move, be locked, or be pruned under any of us. What
the owner of the lock is doing stands on it, for the next one to finish.
"""

from __future__ import annotations

import os
import time

from ledger.environment import monotonic
from ledger.errors import (
    Busy,
    CorruptRepository,
    DiurnaError,
    GitFailed,
    StorageFailed,
    WriteRefused,
)
from ledger.git.committer import ReferenceLocked, TipMoved
from ledger.git.repository import head, operation_under_way
from ledger.home import OWN_BRANCH, Home
from ledger.model.layout import LOCK_FILE
from ledger.wal.atomic_files import Lock, make_folder
from ledger.wal.git_locks import FOLLOWING, LEFT, clear_stale_lock, git_prunes, locks_of, said_by
from memory.cache.stamp import CacheDamaged
from memory.replay.tip_snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from ledger.model.finding_codes import Finding

    Made = TypeVar("Made")

#: How long a commit is tried before the log is left in the spool.
PATIENCE_SECONDS = 20.0
#: How often a write is tried again beside a git that prunes, and how long after the last time any is.
_TRIES, _PAUSE_SECONDS = 6, 0.02


class Branch:
    """The branch of one home, for those who move it.

    Args:
        snapshot: of the home; told what was noticed.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.home = snapshot.home
        self._snapshot = snapshot
        #: whether nobody asked for the write, so that it waits for no git
        self.hurried = False
        self._owed: list[Callable[[], object]] = []
        self._behind = ""  #: where work trees stand that could not follow

    def lock(self) -> Lock:
        """Return Diurna's lock, to be entered.

        Raises:
            StorageFailed: there is no place for it.
        """
        make_folder(self.home.state_dir)
        return Lock(os.path.join(self.home.repository.commondir, LOCK_FILE))

    def write(self, once: Callable[[Lock, str], Made]) -> Made:
        """Do what moves the branch while Diurna's lock is held, again until the branch holds still.

        What a dead owner of the lock left undone is finished first. `once` is given the lock and where the
        branch stands.

        Raises:
            Busy: the branch kept moving for `PATIENCE_SECONDS`, or is locked.
        """
        with self.lock() as lock:
            return self.despite_pruning(lambda: self._persist(once, lock), lock)

    def _persist(self, once: Callable[[Lock, str], Made], lock: Lock) -> Made:
        deadline = monotonic() + PATIENCE_SECONDS * (not self.hurried)
        try:
            while True:
                said = f"{self.home.branch} kept moving for {PATIENCE_SECONDS:.0f} seconds"
                hint = "try again; other writers were faster"
                try:
                    return self._tried(once, lock)
                except TipMoved:
                    pass
                except ReferenceLocked as problem:
                    common = self.home.repository.commondir
                    cleared = clear_stale_lock(common, problem.path, lock.note, lock.noted_at)
                    if cleared is not None:
                        self._snapshot.notes.append(cleared)
                        continue
                    said, hint = problem.message, problem.hint
                if monotonic() > deadline:
                    raise Busy(said, hint=hint)
                time.sleep(_PAUSE_SECONDS)
        finally:
            for take_back in self._owed:
                try:
                    take_back()
                except (DiurnaError, OSError):
                    pass  # what is in the way of that is in the way of all; a staged file harms nobody
            self._owed = []

    def _tried(self, once: Callable[[Lock, str], Made], lock: Lock) -> Made:
        tip = self.home.tip()
        if lock.note:
            from memory.worktree.tree_update import finish_dead, is_behind

            found = finish_dead(self.home, lock, tip)
            self._behind = said_by(lock.note)[1] if is_behind(found) else ""
            self._snapshot.notes += found
        else:
            self._behind = ""
        if self.home.is_astray():
            from memory.repair.lost_logs import settle

            self._snapshot.notes += settle(self._snapshot)
        try:
            return once(lock, tip)
        except CacheDamaged:  # a damaged cache is no reason not to write
            self._snapshot.discard()
            return once(lock, tip)

    def refuse_locked(self) -> None:
        """Look for git's locks, before anything is written.

        Raises:
            ReferenceLocked: the branch's lock is there, or that of HEAD where that is on it.
        """
        where = self.home.repository
        of_branch, of_head, *_ = locks_of(where.commondir, where.gitdir, self.home.reference)
        for path in (of_branch, of_head) if self.home.checked_out else (of_branch,):
            if os.path.exists(path):
                raise ReferenceLocked(path)

    def noted(
        self,
        lock: Lock,
        tip: str,
        made: str,
        act: Callable[[], object],
        take_back: Callable[[], object],
    ) -> None:
        """Do what moves the branch from `tip` to `made`, with a note on the lock that says so.

        `lock` is held; `end_note` takes its note away. `act` lets work tree and index have what the
        branch is to have, and moves it (W18). `take_back` lets them be as the branch has them, where it
        did not move. That is done when no more is tried: a person's commit that was faster may have
        taken in what was shown.
        """
        reference = self.home.reference
        lock.write_note(f"{reference} {tip} {made}")
        owed, self._owed = self._owed, [*self._owed, take_back]
        try:
            act()
        except (StorageFailed, GitFailed):
            self.end_note(lock, tip)
            raise
        self._owed, self._behind = owed, self._behind or tip
        lock.write_note(f"{FOLLOWING} {reference} {self._behind}", lasting=True)

    def end_note(self, lock: Lock, tip: str, shown: Sequence[Finding] = ()) -> None:
        """Take the note away, unless `shown` says that a work tree could not follow.

        Where git left its own lock behind, tell the next owner that it may go.
        """
        where, reference = self.home.repository, self.home.reference
        if shown:
            from memory.worktree.tree_update import is_behind

            if is_behind(shown):
                return lock.leave_note(f"{FOLLOWING} {reference} {self._behind}")
        self._behind = ""
        # a git that is killed, or may not take it away, leaves its own behind; who started it lives on
        if any(map(os.path.exists, locks_of(where.commondir, where.gitdir, reference))):
            lock.leave_note(f"{LEFT} {reference} {tip}")
        else:
            lock.write_note("")

    def despite_pruning(self, once: Callable[[], Made], lock: Lock | None = None) -> Made:
        """Try again what failed because a prune took an object or a folder of git's meanwhile.

        An object that is missing is asked for once more even where nothing is to be made again and no git
        prunes: another process may have made it again while this one waited for the lock, and a git that
        packed is through. Whatever else fails then has another cause, and is said at once. `lock` is
        Diurna's own, where it is held.
        """
        quiet = False
        for _ in range(_TRIES):
            try:
                return once()
            except (CorruptRepository, StorageFailed, GitFailed) as problem:
                try:
                    remade = self.remake() if lock is None else self.remake_locked()
                except (OSError, ImportError):  # too many files are open, or there is no room
                    raise problem from None
                again = bool(remade) or git_prunes(self.home.repository.commondir)
                if not again and (quiet or not isinstance(problem, CorruptRepository)):
                    raise
                quiet = not again
                time.sleep(_PAUSE_SECONDS)
                if lock is not None:
                    lock.resume()  # the branch may have moved before it failed
        return once()

    def remake(self) -> list[str]:
        """Write again what a prune took of recent commits; return the ids of the objects (W8).

        Raises:
            Busy: another process kept the lock.
            StorageFailed: the disk refused.
        """
        with self.lock():
            return self.remake_locked()

    def remake_locked(self) -> list[str]:
        """Do so while the lock is held."""
        from memory.repair.pruned_commits import remake

        return remake(self._snapshot)


def obstacle(home: Home) -> str:
    """Return what is in the way of captured logs that wait, on the branch now, "" where nothing is."""
    where = home.repository
    if home.kind == OWN_BRANCH:
        return ""
    if not home.reference:
        return "HEAD is detached"
    if head(where)[0] != home.reference:
        return "another branch is checked out by now"
    doing = operation_under_way(where) if where.top else ""
    return f"{doing} is in progress" if doing else ""


def unfit(home: Home) -> str:
    """Say why nothing can be committed to the branch of a home now, "" where it can."""
    doing = operation_under_way(home.repository) if home.checked_out else ""
    if doing:
        return f"{doing} is in progress{f' on {home.branch}' if home.branch else ''}"
    return "" if home.reference else "HEAD is detached, so there is no branch to commit to"


def refuse_unwritable(home: Home) -> None:
    """Stop where a commit would get into the way of something the user is doing.

    Raises:
        WriteRefused: HEAD is detached, or an operation is under way on the branch.
    """
    if said := unfit(home):
        detached = said.startswith("HEAD")
        hint = "check out the branch whose memory this is" if detached else "finish it first"
        raise WriteRefused(said, hint=hint)
