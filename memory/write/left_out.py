"""Commit again the logs that a commit of the user's left out (FORMAT.md, W11)."""

from __future__ import annotations

from ledger.errors import DiurnaError, WaitsInSpool
from memory.cache.sqlite import CacheDamaged
from memory.repair.dropped_logs import dropped_finding
from memory.replay.snapshot import Snapshot
from memory.write.commit import Committer, Occasion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def bring_back(
    snapshot: Snapshot, committer: Committer, occasion: Callable[[], Occasion], *, dry_run: bool
) -> None:
    """Commit them again, and report that, or why it failed.

    Args:
        snapshot: of the home; told what was noticed.
        committer: commits to it.
        occasion: when and by whom.
        dry_run: change nothing; only note it.
    """
    because = ""
    try:
        lost = committer.dropped()
        if lost and not dry_run:
            snapshot.notes += committer.land(occasion(), None, free=True).findings
            return
    except CacheDamaged:
        return  # whoever asks next builds it anew
    except WaitsInSpool as problem:
        because = f" ({problem.message})"
    except (DiurnaError, OSError):
        return  # what is in the way here is in the way of the command, which says so
    hint = "the next Diurna command that can write commits it again"
    snapshot.notes += [
        dropped_finding(snapshot.home, stem, f"it is kept{because}", hint) for stem in lost
    ]
