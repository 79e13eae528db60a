"""Commit files of a home that are no logs, move its branch, and bring back what somebody left undone."""

from __future__ import annotations

from collections.abc import Callable

from ledger.errors import DiurnaError
from ledger.git.git_objects import move_references
from ledger.git.repository import read_reference
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.wal.dead_owner import died
from memory.cache.sqlite import CacheDamaged
from memory.repair.seen_tip import along, note_logs
from memory.replay.ledger_snapshot import Snapshot
from memory.worktree.commit_follow import catch_up, show_elsewhere, show_move
from memory.write.draft import Occasion
from memory.write.personal_guard import refuse_personal_logs
from memory.write.spool_commits import Committer, check_writable

#: Paths relative to the home, with their bytes; None takes a file out.
Files = tuple[tuple[str, bytes | None], ...]


def commit_files(
    snapshot: Snapshot,
    committer: Committer,
    files: Callable[[str], Files],
    message: str,
    occasion: Occasion,
) -> str:
    """Commit files of the home other than logs; return the commit.

    `files` says which, for a tip: asked again when another writer was faster. With nothing to do there
    is no commit, and the tip is returned.

    Raises:
        Busy: the branch kept moving or is locked.
        StorageFailed: an object did not reach the disk.
        WriteRefused: the ledger has a newer format.
        DraftRefused: a log among them holds what is only one person's.
    """
    home, branch = snapshot.home, committer.branch
    with branch.lock() as lock:

        def once() -> str:
            tip = home.tip()
            branch.finish_dead(lock, tip)
            listed = files(tip)
            if not listed:
                return tip
            policy = snapshot.policy_at(tip)[1]
            check_writable(policy)
            refuse_personal_logs(home, policy, listed)
            made, findings = committer.write(committer.wanted(tip, listed, message, occasion), lock)
            snapshot.notes += findings
            branch.end_note(lock, made, findings)
            return made

        return branch.despite_pruning(lambda: branch.persist(once, lock), lock)


def missing(home: Home, listed: Files, tip: str) -> Files:
    """Return the files that a tip does not have, whatever is in those that it has."""
    if not tip:
        return listed
    git, prefix = home.repository.git(), home.prefix
    there = git.resolve(*[f"{tip}:{prefix}{path}" for path, _ in listed])
    return tuple(one for one, found in zip(listed, there, strict=True) if not found)


def move(snapshot: Snapshot, committer: Committer, where: Callable[[str], str]) -> str:
    """Let the branch point to a commit that is there already; return it.

    `where` says which, for a tip ("" for an unborn branch): asked again when another writer was faster.
    The tip itself changes nothing.

    Raises:
        Busy: the branch kept moving or is locked.
        StorageFailed: the disk refused.
    """
    home, branch = snapshot.home, committer.branch
    with branch.lock() as lock:
        branch.finish_dead(lock)

        def once() -> str:
            tip = read_reference(home.repository, home.reference)
            try:
                made = where(tip)
            except CacheDamaged:  # a damaged cache is no reason not to move
                snapshot.discard()
                made = where(tip)
            if made == tip:
                if not home.checked_out:  # plain git may have moved it past the mirror
                    snapshot.notes += show_move(home, tip, tip)
                return tip
            git = home.repository.git()

            shown: list[Finding] = []

            def act() -> None:
                shown.extend(show_move(home, tip, made))
                moves = [
                    (name, to or made) for name, to in ((home.reference, ""), *along(home, tip))
                ]
                move_references(git, moves, tip, "diurna: sync")

            def take_back() -> None:
                if home.checked_out:
                    catch_up(home, made, home.tip())

            branch.noted(lock, tip, act, take_back, made)
            note_logs(home)
            shown += show_elsewhere(home, tip, made)
            snapshot.notes += shown
            branch.end_note(lock, made, shown)
            return made

        return branch.despite_pruning(lambda: branch.persist(once, lock), lock)


def bring_back(snapshot: Snapshot, committer: Committer, occasion: Callable[[], Occasion]) -> None:
    """Finish what was left undone, and tell the snapshot; nobody asked for it, so it waits for no git."""
    home = snapshot.home
    committer.branch.hurried = True
    try:
        left = died(home.repository.commondir)
        if home.plain:
            snapshot.notes += committer.settle()
            left = left or committer.owes()
        if left or home.is_astray():
            snapshot.notes += committer.land(occasion(), None, free=True).findings
    except (CacheDamaged, DiurnaError, OSError):
        pass  # what is in the way here is in the way of the command, which says so
    finally:
        committer.branch.hurried = False
