"""Run the tools that write: `append`, `resolve`, `learn`. Each makes one log, as on the command line."""

from __future__ import annotations

from rituals.answers.record_fields import fields_of
from rituals.record.json_request import Strict, value_of
from rituals.serve.mcp.client_name import Caller
from rituals.serve.mcp.input_schemas import LearnAsked, ResolveAsked
from rituals.serve.mcp.responses import (
    NOTICE,
    AppendAnswered,
    LearnAnswered,
    ResolveAnswered,
    SideAnswered,
    noticed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from rituals.record.request import Request

_STATES = {"": None, "open": False, "closed": True}


def append(memory: Memory, asked: Strict, caller: Caller) -> AppendAnswered:
    """Append a session log: what `diurna append --from-json` does."""
    from rituals.answers.json_objects import receipt_object
    from rituals.hosts.background_start import look_after
    from rituals.hosts.stop_request import note_answer
    from rituals.record.own_home_parts import drafts_of

    request: Request = value_of(asked)
    request = request._replace(agent=caller.agent, host=caller.host, session=caller.session)
    drafts = drafts_of(memory, request)
    receipt = drafts.append(memory, tiers=True)
    note_answer(memory.home.repository.commondir, caller.session)
    look_after(memory.home, memory.policy)
    found = receipt_object(receipt)
    found["tiers"] = [one for one in found["tiers"] if one["before"]]
    found["findings"] = noticed((*drafts.findings, *receipt.findings))
    return AppendAnswered.model_validate(found)


def resolve(memory: Memory, asked: ResolveAsked, caller: Caller) -> ResolveAnswered:
    """Resolve a contradiction, as `diurna conflicts` does; without a choice, list its sides."""
    from rituals.decide.decision import Author, record
    from rituals.decide.open_contradictions import disputes
    from rituals.decide.resolution import Verdict, choices, resolution

    verdict = Verdict(asked.choose, asked.text, _STATES[asked.state])
    if verdict.says_nothing:
        found = disputes(memory, (asked.id,))
        if found:
            return ResolveAnswered(
                id=asked.id,
                notice=NOTICE,
                disputed=[dispute.said for dispute in found],
                sides=[
                    SideAnswered.model_validate(fields_of(choice, "id text agent date closed"))
                    for choice in choices(found)
                ],
            )
    decision = resolution(memory, asked.id, verdict)
    receipt = record(memory, decision, Author(caller.agent))
    done = fields_of(receipt, "stem commit") if receipt else {}
    return ResolveAnswered(
        id=asked.id,
        **done,
        does=list(decision.does),
        already=decision.already,
        findings=noticed(receipt.findings if receipt else ()),
    )


def learn(memory: Memory, asked: LearnAsked, caller: Caller) -> LearnAnswered:
    """List what could be learned, or raise it as threads; a fact is written by a person's answer alone."""
    from rituals.answers.json_objects import promotion_object, proposal_object
    from rituals.decide.decision import Author
    from rituals.review.learning_plan import Outcome, plan_learning, raise_threads

    plan = plan_learning(memory)
    outcome = raise_threads(memory, plan, Author(caller.agent)) if asked.ask else Outcome(plan)
    return LearnAnswered(
        notice=NOTICE,
        proposals=[proposal_object(one) for one in plan.proposals],
        promotions=[promotion_object(one) for one in plan.promotions],
        more=plan.more,
        raised=list(outcome.raised),
        stem=outcome.receipt.stem if outcome.receipt else "",
        findings=noticed(outcome.findings),
    )
