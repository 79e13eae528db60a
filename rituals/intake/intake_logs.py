"""Take in what was planned: logs of type `import` that name their source. Nothing new writes no log."""

from __future__ import annotations

from collections.abc import Callable

from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.api import Memory
from memory.write.draft import SessionDraft
from rituals.intake.intake_plan import ASKED, UPDATED, IntakePlan


class Applied(Record):
    """What was written."""

    stems: tuple[str, ...] = ()  #: of the logs, oldest first; none where there was nothing new
    commits: tuple[str, ...] = ()  #: that have them; fewer where a log waits in the spool
    findings: tuple[Finding, ...] = ()  #: what was noticed


def apply_intake(
    memory: Memory,
    plan: IntakePlan,
    *,
    agent: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Applied:
    """Write what a plan says: one log of type `import`, several where it is too much for one.

    `agent` takes it in, "" for the default of the process; `progress` is told how many of how many logs
    are written.

    Raises:
        DraftRefused: memory has by now what the plan takes for new; what was written before is whole, and
            taking in again brings the rest.
        DiurnaError: as `Memory.append`.
    """
    done = Applied()
    header = (("source", plan.source), *plan.header)
    for number, events in enumerate(plan.logs):
        if progress is not None:
            progress(number, len(plan.logs))
        draft = SessionDraft(
            f"Import from {plan.source}", _prose(plan, number), events, agent, "import", header
        )
        receipt = memory.append(draft, again=True)
        done = Applied(
            (*done.stems, receipt.stem),
            (*done.commits, *([receipt.commit] if receipt.commit else [])),
            (*done.findings, *receipt.findings),
        )
    return done


def _prose(plan: IntakePlan, number: int) -> str:
    updated = sum(one.how == UPDATED for one in plan.changed)
    asked = sum(one.how == ASKED for one in plan.changed)
    told = [
        (len(plan.new), "new"),
        (plan.same, "known already"),
        (updated, "changed there since"),
        (asked, "changed there and here"),
        (len(plan.opposite), "against what another fact says"),
        (len(plan.closed), "settled"),
        (len(plan.left_out), "left out"),
        (len(plan.beyond), "past the budget"),
    ]
    said = ", ".join([f"{count} {what}" for count, what in told if count])
    part = f"\n\nPart {number + 1} of {len(plan.logs)}." if len(plan.logs) > 1 else ""
    return f"Of what {plan.source} has: {said}.{part}"
