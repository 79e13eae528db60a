"""Adopting a page that somebody wrote by hand: its bullets become facts, and what is none stays in it."""

from __future__ import annotations

from ledger.redaction import guard_events
from memory.states import state_from
from projection.unsaid import texts_in, unsaid
from rituals.adopt import layout
from rituals.adopt.births import archive_reasons, events_of, said_by
from rituals.adopt.passages import bullets
from rituals.adopt.planned import AdoptionPlan, sealed, state_with

#: How the last line of a page starts that Diurna wrote.
MACHINE = b"<!-- diurna: format "


def is_by_hand(memory: layout.AgentMemory, footers: bool) -> bool:
    """Tell whether there is nothing but a page, which neither Diurna nor the other tool wrote."""
    beside = memory.logs or memory.archive or memory.threads or memory.policy or memory.vision
    return bool(memory.continuity) and not (footers or beside or MACHINE in memory.continuity)


def plan_by_hand(plan: AdoptionPlan) -> AdoptionPlan:
    """Plan to make facts of the bullets of a page; what is no bullet stays in it."""
    memory = plan.memory
    histories = state_from(plan.refs, plan.entries, plan.policy).histories
    known = {*histories, *texts_in(histories)}
    found = bullets(memory, known)
    events, crooked, _ = events_of(
        [one.fact for one in found], said_by(plan.entries), archive_reasons(memory)
    )
    guarded = [guard_events(tuple(one), plan.policy.privacy.personal) for one in events]
    hidden = [finding for _, said in guarded for finding in said]
    plan = plan._replace(imports=tuple(one for one, _ in guarded), passages=found)
    if plan.ground.marked and not plan.imports:
        return plan._replace(already=True)
    state = state_with(plan, sealed(plan, 0, "adopt", ""))
    left = unsaid(layout.CONTINUITY, layout.text_of(memory.continuity), state.histories)
    stays = [one._replace(message=f"{one.message}; it stays where it is") for one in left]
    plan = plan._replace(left=left, findings=(*plan.findings, *crooked, *hidden, *stays))
    return plan
