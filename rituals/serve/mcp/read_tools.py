"""Run the tools that read: `recall`, `get`, `brief` and `status`."""

from __future__ import annotations

from typing import Any

from ledger.errors import WrongUsage
from memory.recall.recall_values import Filters, tokens_of
from rituals.hosts.processes import note_opening
from rituals.serve.mcp.client_name import Caller
from rituals.serve.mcp.input_schemas import BriefAsked, GetAsked, RecallAsked, StatusAsked
from rituals.serve.mcp.responses import (
    BriefAnswered,
    RecallAnswered,
    StatusAnswered,
    answered,
    noticed,
)
from rituals.serve.mcp.tool_wording import brief_in_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.findings import Finding
    from memory.api import Memory

#: The arguments with names and commas between, and the filters that they are.
_FILTERS = {"kind": "kinds", "tier": "tiers", "tag": "tags", "entity": "entities", "agent": "agents",
            "role": "roles", "branch": "branches"}  # fmt: skip


def recall(memory: Memory, asked: RecallAsked, _: Caller) -> RecallAnswered:
    """Search facts and session logs."""
    plain = {
        name: getattr(asked, name) for name in ("since", "until", "within", "as_of", "superseded")
    }
    named: dict[str, Any] = {to: _names(getattr(asked, name)) for name, to in _FILTERS.items()}
    if asked.org:
        from rituals.serve.mcp.org_tool import recall_of_org

        return recall_of_org(memory, asked, Filters(**plain, **named))
    if asked.team or asked.repo:
        raise WrongUsage("team and repo narrow a question to all ledgers", hint="org: true")
    filters = Filters(**plain, **named, documents=True)
    found = memory.recall(asked.query, level=asked.level, limit=asked.limit, filters=filters)
    return answered(found, asked.level)


def get(memory: Memory, asked: GetAsked, caller: Caller) -> RecallAnswered:
    """Show hits by their ids."""
    found = memory.get(asked.ids, level=asked.level)
    note_opening(memory.home, [hit.id for hit in found.hits], caller.session)
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


def _names(said: str) -> tuple[str, ...]:
    return tuple(name for name in (part.strip() for part in said.split(",")) if name)
