"""Run the tools that write: `append` and `resolve`. Each makes one log, as on the command line."""

from __future__ import annotations

from memory.api import Memory
from rituals.mcp.client_name import Caller
from rituals.mcp.requests import ResolveAsked
from rituals.mcp.responses import (
    NOTICE,
    AppendAnswered,
    ResolveAnswered,
    SideAnswered,
    TierAnswered,
    noticed,
)
from rituals.record.json_request import Strict, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.record.request import Request

_STATES = {"": None, "open": False, "closed": True}


def append(memory: Memory, asked: Strict, caller: Caller) -> AppendAnswered:
    """Append a session log: what `diurna append --from-json` does."""
    from memory.write.draft import course
    from rituals.record.compose import draft_of_request

    request: Request = value_of(asked)
    request = request._replace(agent=caller.agent, host=caller.host)
    draft, odd = draft_of_request(memory, request)
    receipt = memory.append(draft, tiers=True)
    return AppendAnswered(
        stem=receipt.stem,
        commit=receipt.commit,
        already=receipt.already,
        facts=list(receipt.facts),
        did={verb.lower(): list(ids) for verb, ids in receipt.did},
        tiers=[
            TierAnswered(id=fact, before=before, after=after, course=course(before, after))
            for fact, before, after in receipt.tiers
            if before
        ],
        findings=noticed((*odd, *receipt.findings)),
    )


def resolve(memory: Memory, asked: ResolveAsked, caller: Caller) -> ResolveAnswered:
    """Resolve a contradiction, as `diurna resolve` does; without a choice, list its sides."""
    from rituals.decide.contradictions import disputes
    from rituals.decide.decision import Author, record
    from rituals.decide.resolution import Verdict, resolution

    verdict = Verdict(asked.choose, asked.text, _STATES[asked.state])
    if verdict.says_nothing:
        found = disputes(memory, (asked.id,))
        if found:
            return ResolveAnswered(
                id=asked.id,
                notice=NOTICE,
                disputed=[dispute.said for dispute in found],
                sides=[
                    SideAnswered(
                        id=choice.id,
                        text=choice.text,
                        agent=choice.agent,
                        date=choice.date,
                        closed=choice.closed,
                    )
                    for dispute in found
                    for choice in dispute.choices
                ],
            )
    decision = resolution(memory, asked.id, verdict)
    receipt = record(memory, decision, Author(caller.agent))
    return ResolveAnswered(
        id=asked.id,
        stem=receipt.stem if receipt else "",
        commit=receipt.commit if receipt else "",
        does=list(decision.does),
        already=decision.already,
        findings=noticed(receipt.findings if receipt else ()),
    )
