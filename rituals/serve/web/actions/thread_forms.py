"""Close a thread outside of work and open it again: what `diurna append --type edit` records."""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.model.session import CLOSABLE, EDIT
from memory.api import Memory
from projection.fold.fact_history import Fact
from rituals.decide.decision import titled
from rituals.record.draft_composer import draft_of_request
from rituals.record.request import Request
from rituals.serve.web.actions import twin_commands
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.actions.form_fields import Fields


def close(memory: Memory, fields: Fields) -> Recorded:
    """Record that a thread, a task or a finding is done.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: it is none of them, or false.
    """
    fact = _thread(memory, fields.fact())
    if fact.closed:
        return Recorded(already=f"{fact.id} is closed")
    asked = Request(titled("Close", (fact.id,)), fields.one("reason").strip(), type=EDIT)
    asked = asked._replace(close=(fact.id,))
    return _recorded(memory, asked, f"{fact.id} is closed", twin_commands.close(fact.id))


def reopen(memory: Memory, fields: Fields) -> Recorded:
    """Record that a thread, a task or a finding is open again.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: it is none of them, or false.
    """
    fact = _thread(memory, fields.fact())
    if not fact.closed:
        return Recorded(already=f"{fact.id} is open")
    asked = Request(titled("Reopen", (fact.id,)), fields.one("reason").strip(), type=EDIT)
    asked = asked._replace(reopen=(fact.id,))
    return _recorded(memory, asked, f"{fact.id} is open again", twin_commands.reopen(fact.id))


def _thread(memory: Memory, id: str) -> Fact:
    fact = memory.standing(id).fact
    if fact.kind not in CLOSABLE:
        hint = f'`diurna forget {id} --archive --reason "…"` puts it away'
        raise DiurnaError(f"{id} is of kind {fact.kind}, which is never closed", hint=hint)
    if fact.false:
        hint = f'`diurna edit {id} --restore --reason "…"` says that it holds after all'
        raise DiurnaError(f"{id} is false: there is nothing to close", hint=hint)
    return fact


def _recorded(memory: Memory, asked: Request, does: str, command: str) -> Recorded:
    draft, odd = draft_of_request(memory, asked, options=True)
    receipt = memory.append(draft, again=True, tiers=True)
    return Recorded(
        (receipt.stem,), (receipt.commit,), (does,), "", draft.title, command,
        (*odd, *receipt.findings),
    )  # fmt: skip
