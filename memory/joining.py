"""Joining: the branch moved to what two tips come to, and the cache with it."""

from __future__ import annotations

from ledger.repository import read_reference
from memory.cache import CACHE_ERRORS
from memory.syncing import Plan, plan_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.landing import Lander
    from memory.snapshot import Progress, Snapshot


def join(
    snapshot: Snapshot,
    lander: Lander,
    theirs: str,
    *,
    adopt: bool,
    dry_run: bool,
    planned: Plan | None,
    progress: Progress | None,
) -> Plan:
    """Join the branch with another tip; `Memory.join` says what the arguments are."""
    plans: list[Plan] = []

    def where(tip: str) -> str:
        if planned is not None and tip == planned.ours:
            plans.append(planned)
        else:
            plans.append(plan_sync(snapshot, tip, theirs, adopt=adopt, progress=progress))
        return plans[-1].tip

    if dry_run:
        where(read_reference(snapshot.home.repository, snapshot.home.reference))
    else:
        lander.move(where)
        _bring_forward(snapshot, plans[-1])
    return plans[-1]


def _bring_forward(snapshot: Snapshot, plan: Plan) -> None:
    """Add what came to the cache: it has been read already."""
    if plan.reading is None or plan.tip == plan.ours:
        return
    try:
        cache = snapshot.cache(plan.ours)
        refs, entries, findings = plan.reading
        cache.advance(plan.ours, plan.tip, refs, entries, findings)
    except CACHE_ERRORS:
        snapshot.close()  # the next question builds it anew
