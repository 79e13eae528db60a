"""Run the tools that read: `recall`, `get`, `brief` and `status`."""

from __future__ import annotations

from typing import Any

from memory.recall.recall_values import INDEX, Answer, Filters, Hit, tokens_of
from rituals.answers.record_fields import fields_of, mark_object
from rituals.hosts.opened_ids import note
from rituals.serve.mcp.client_name import Caller
from rituals.serve.mcp.input_schemas import BriefAsked, GetAsked, RecallAsked, StatusAsked
from rituals.serve.mcp.responses import (
    NOTICE,
    BriefAnswered,
    HitAnswered,
    RecallAnswered,
    StatusAnswered,
    noticed,
)
from rituals.serve.mcp.tool_wording import brief_in_tools, message_in_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.findings import Finding
    from memory.api import Memory

#: Of all texts in one answer: about 15,000 tokens, below what clients cut off or refuse.
ANSWER_CHARS = 60_000
#: The arguments with names and commas between, and the filters that they are.
_FILTERS = {"kind": "kinds", "tier": "tiers", "tag": "tags", "entity": "entities", "agent": "agents",
            "role": "roles", "branch": "branches"}  # fmt: skip


def recall(memory: Memory, asked: RecallAsked, _: Caller) -> RecallAnswered:
    """Search facts and session logs."""
    plain = {
        name: getattr(asked, name) for name in ("since", "until", "within", "as_of", "superseded")
    }
    named: dict[str, Any] = {to: _names(getattr(asked, name)) for name, to in _FILTERS.items()}
    filters = Filters(**plain, **named, documents=True)
    found = memory.recall(asked.query, level=asked.level, limit=asked.limit, filters=filters)
    return answered(found, asked.level)


def get(memory: Memory, asked: GetAsked, caller: Caller) -> RecallAnswered:
    """Show hits by their ids."""
    found = memory.get(asked.ids, level=asked.level)
    note(memory.home, [hit.id for hit in found.hits], caller.session)
    return answered(found, asked.level)


def brief(memory: Memory, asked: BriefAsked, caller: Caller) -> BriefAnswered:
    """Say what to know before starting."""
    found = memory.brief(
        budget_chars=asked.budget_chars, role=asked.role, task=asked.task, agent=caller.agent
    )
    text = brief_in_tools(found.text)
    return BriefAnswered(text=text, tokens=tokens_of(text))


def status(memory: Memory, _asked: StatusAsked, _: Caller) -> StatusAnswered:
    """Say where the ledger stands."""
    from rituals.answers.json_objects import status_object
    from rituals.answers.status_values import overview

    found = overview(memory)
    findings = noticed((*found.edits, *_beside(memory)))
    return StatusAnswered.model_validate({**status_object(found), "findings": findings})


def _beside(memory: Memory) -> tuple[Finding, ...]:
    """Return what the command line would say on standard error, which no agent reads here."""
    from rituals.check.verify.log_set_checks import policy_problem

    cache = memory.cache()
    problem = cache.policy_problem
    return (*([policy_problem(problem)] if problem else []), *cache.unread())


def answered(answer: Answer, level: str) -> RecallAnswered:
    """Turn what was found into an answer, within what a client takes.

    The level is of its texts; an index says in fields what its texts begin with.
    """
    left = ANSWER_CHARS
    hits: list[HitAnswered] = []
    notes = [message_in_tools(note) for note in answer.notes]
    for number, hit in enumerate(answer.hits):
        text = hit.line if level == INDEX else hit.text
        if len(text) > left and hits:
            missing = ", ".join(one.id for one in answer.hits[number:])
            notes.append(f"there is no room for {missing}; get fewer at a time")
            break
        if len(text) > left:
            notes.append(f"{hit.id} is cut after {left} characters of {len(text)}")
        hits.append(_hit(hit, text[:left]))
        left -= len(text)
    return RecallAnswered(
        notice=NOTICE,
        hits=hits,
        tokens=sum(tokens_of(hit.text) for hit in hits),
        whole=answer.whole,
        notes=notes,
    )


def _hit(hit: Hit, text: str) -> HitAnswered:
    return HitAnswered.model_validate(
        {
            **fields_of(hit, "id kind tier date agent passage"),
            **mark_object(hit.mark),
            "stem": "" if hit.id.startswith(hit.stem) else hit.stem,
            "text": text,
            "tokens": hit.whole or hit.tokens,
        }
    )


def _names(said: str) -> tuple[str, ...]:
    return tuple(name for name in (part.strip() for part in said.split(",")) if name)
