"""Commit again what a commit of the user's left out, and finish what a dead process left (W11, W18)."""

from __future__ import annotations

import os

from ledger.errors import DiurnaError, WaitsInSpool
from ledger.wal.dead_owner import died
from memory.cache.sqlite import CacheDamaged
from memory.repair.dropped_logs import dropped, dropped_finding, reverted
from memory.replay.ledger_snapshot import Snapshot
from memory.worktree.checkout import pending_file
from memory.write.commit import Committer
from memory.write.commit_riders import note_file, unstage
from memory.write.draft import Occasion
from memory.write.ref_update import heal_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def bring_back(
    snapshot: Snapshot, committer: Committer, occasion: Callable[[], Occasion], *, dry_run: bool
) -> None:
    """Do both, and report that, or why it failed; nobody asked for it, so it waits for no git.

    The snapshot is told what was noticed; `dry_run`: change nothing; only note it.
    """
    home, because = snapshot.home, ""
    committer.branch.hurried = True
    try:
        lost = dropped(home, committer.spool, snapshot.cache())
        if not dry_run and os.path.lexists(note_file(home)):
            with committer.branch.lock() as lock:
                if not lock.note:
                    unstage(home)
        if (lost or died(home.repository.commondir)) and not dry_run:
            snapshot.notes += committer.land(occasion(), None, free=True).findings
            return
        if not dry_run and committer.shelf.rides():
            for stem in reverted(home, committer.spool, snapshot.cache()):
                committer.spool.requeue(stem)
            landed = committer.land_held(occasion())
            snapshot.notes += landed.findings if landed else ()
        if home.checked_out and os.path.exists(pending_file(home)) and not dry_run:
            snapshot.notes += heal_index(committer)
    except CacheDamaged:
        return  # whoever asks next builds it anew
    except WaitsInSpool as problem:
        because = f" ({problem.message})"
    except (DiurnaError, OSError):
        return  # what is in the way here is in the way of the command, which says so
    finally:
        committer.branch.hurried = False
    hint = "the next Diurna command that can write commits it again"
    snapshot.notes += [dropped_finding(home, stem, f"it is kept{because}", hint) for stem in lost]
