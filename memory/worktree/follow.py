"""Update work trees, indexes and the mirror after a commit, also after one whose writer died.

While a commit is followed Diurna's lock bears a note that says so and names the tip before, so that the
next owner of the lock can finish it.
"""

from __future__ import annotations

from ledger.git.repository import checked_out_elsewhere
from ledger.home import OWN_BRANCH, OWN_REPOSITORY, Home
from ledger.model.findings import Finding
from ledger.wal.atomic_files import Lock
from ledger.wal.locks import LEFT, clear_index_lock
from memory.worktree.checkout import catch_up, follow
from memory.worktree.merge_drivers import ensure_drivers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: How the note on the lock begins, which is no name of a reference; that and the tip before come next.
FOLLOWING = "following"


def show_files(
    home: Home,
    files: Sequence[tuple[str, bytes | None]],
    logs: Sequence[tuple[str, bytes]],
) -> list[Finding]:
    """Let the work tree and the index, or the mirror, follow what was committed."""
    if home.checked_out:
        return ensure_drivers(home) + follow(home, [*logs, *files])
    if files and home.kind == OWN_BRANCH and home.repository.top:
        from memory.worktree.mirror import mirror

        return mirror(home, files)
    return []


def show_move(home: Home, tip: str, made: str) -> list[Finding]:
    """Let them follow a branch that moved from one commit to another."""
    if home.checked_out:
        return ensure_drivers(home) + catch_up(home, tip, made)
    if home.kind == OWN_BRANCH and home.repository.top:
        from memory.worktree.mirror import mirror_changes

        return mirror_changes(home, made)
    return []


def show_elsewhere(home: Home, tip: str, made: str) -> list[Finding]:
    """Let every other work tree that has the branch checked out follow too (fault:D3).

    Its user's next commit would otherwise take our files out again.
    """
    kind = OWN_REPOSITORY if home.kind == OWN_BRANCH else home.kind
    findings: list[Finding] = []
    for other in checked_out_elsewhere(home.repository, home.reference):
        findings += catch_up(home._replace(kind=kind, repository=other), tip, made)
    return findings


def finish_dead(home: Home, lock: Lock, tip: str = "") -> list[Finding]:
    """Finish what a dead owner of the lock left undone.

    Ask again for every tip: the git that a dead process started may move the branch yet.

    Args:
        home: the home.
        lock: held, with the note that was found on it.
        tip: where the branch stands, "" to look.
    """
    if not lock.note:
        return []
    reference, _, base = (
        lock.note.removeprefix(FOLLOWING + " ").removeprefix(LEFT + " ").partition(" ")
    )
    tip = tip or home.tip()
    findings: list[Finding] = []
    if lock.note.startswith(FOLLOWING) and home.checked_out:
        where = home.repository
        cleared = clear_index_lock(where.commondir, where.gitdir, where.top, lock.noted_at)
        if cleared is not None:
            findings.append(cleared)
    if reference and reference == home.reference and home.checked_out and base != tip:
        findings += catch_up(home, base, tip, logs_stay=True)
    return findings
