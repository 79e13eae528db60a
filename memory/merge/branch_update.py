"""Move the branch to the merge of two tips, and the cache with it."""

from __future__ import annotations

from ledger.git.repository import read_reference
from memory.merge.tip_merge import Plan, plan_sync
from memory.write.ref_update import move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.replay.ledger_snapshot import Progress, Snapshot
    from memory.write.spool_commits import Committer


def join(
    snapshot: Snapshot,
    committer: Committer,
    theirs: str,
    *,
    adopt: bool,
    dry_run: bool,
    planned: Plan | None,
    progress: Progress | None,
) -> Plan:
    """Join the branch with another tip; `Memory.join` says what the arguments are."""
    plans: list[Plan] = []
    snapshot.fetch_promised(theirs)

    def where(tip: str) -> str:
        if planned is not None and tip == planned.ours:
            plans.append(planned)
        else:
            plans.append(plan_sync(snapshot, tip, theirs, adopt=adopt, progress=progress))
        return plans[-1].tip

    if dry_run:
        where(read_reference(snapshot.home.repository, snapshot.home.reference))
    else:
        move(snapshot, committer, where)
        done = plans[-1]
        if done.reading is not None and done.tip != done.ours:
            snapshot.forward(done.ours, done.tip, done.reading)
    return plans[-1]
