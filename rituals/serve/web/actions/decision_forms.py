"""Record decisions about facts: the same plans, and the same appends, as those of the commands."""

from __future__ import annotations

from ledger.errors import DiurnaError, WrongUsage
from ledger.model.session import CLOSABLE, EDIT
from memory.api import Memory
from projection.fold.fact_history import Fact
from rituals.decide.confirmation import archiving, confirmation, reinstatement, returning
from rituals.decide.decision import Author, Decision, titled
from rituals.decide.decision import record as append
from rituals.decide.log_undo import step_back_from
from rituals.decide.open_contradictions import disputes
from rituals.decide.resolution import Verdict, choices, resolution
from rituals.record.draft_composer import draft_of_request
from rituals.record.request import Request
from rituals.serve.web.actions import twin_commands
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.actions.form_fields import Fields

_CLOSED = {"": None, "open": False, "closed": True}


def confirm(memory: Memory, fields: Fields) -> Recorded:
    """Record that somebody looked at facts and they hold: one log for all of them.

    Raises:
        WrongUsage: none is named.
        DiurnaError: as `diurna review --confirm`.
    """
    ids = fields.facts()
    if not ids:
        raise WrongUsage("nothing is ticked", hint="tick what still holds, and confirm it then")
    decision = confirmation(memory, ids)
    return _recorded(memory, decision, twin_commands.confirm(ids), reversible=False)


def resolve(memory: Memory, fields: Fields) -> Recorded:
    """Resolve a contradiction: by a side, by a new text, or by a state.

    Where the form says which sides it showed, another side that came meanwhile is a reason to refuse:
    a side that nobody saw is decided by nobody.

    Raises:
        DiurnaError: as `diurna resolve`; or other sides stand than were shown.
    """
    fact, choose, text = fields.fact(), fields.one("choose"), fields.one("text").strip()
    stands, state = fields.one("stands"), fields.one("state")
    if stands not in _CLOSED:
        raise WrongUsage(f"a thread is open or closed, and not {stands[:20]!r}")
    if "text" in dict(fields.pairs) and not (text or choose or state):
        raise WrongUsage("the new text is empty", hint="write what holds, or choose a side")
    found = choices(disputes(memory, (fact,)))
    seen, now = fields.many("side"), tuple(dict.fromkeys([one.id for one in found]))
    if now and ((seen and set(seen) != set(now)) or (choose and choose not in now)):
        said = f"other sides of {fact} stand than the page showed: {', '.join(now)}"
        hint = "the page of the review shows them as they stand now; choose there"
        raise DiurnaError(said, hint=hint)
    decision = resolution(memory, fact, Verdict(choose, text, _CLOSED[stands], state))
    command = twin_commands.resolve(fact, choose, text, stands, state)
    return _recorded(memory, decision, command, reversible=False)


def archive(memory: Memory, fields: Fields) -> Recorded:
    """Put a fact into the archive by hand.

    Raises:
        DiurnaError: as `diurna archive`.
    """
    fact, reason = fields.fact(), fields.reason()
    return _recorded(memory, archiving(memory, fact, reason), twin_commands.archive(fact, reason))


def take_out(memory: Memory, fields: Fields) -> Recorded:
    """Take a fact out of the archive again.

    Raises:
        DiurnaError: as `diurna archive --back`.
    """
    fact, reason = fields.fact(), fields.reason()
    return _recorded(memory, returning(memory, fact, reason), twin_commands.take_out(fact, reason))


def reinstate(memory: Memory, fields: Fields) -> Recorded:
    """Record that a fact that was called false holds after all.

    Raises:
        DiurnaError: as `diurna restore`.
    """
    fact, reason = fields.fact(), fields.reason()
    return _recorded(
        memory, reinstatement(memory, fact, reason), twin_commands.reinstate(fact, reason)
    )


def undo(memory: Memory, fields: Fields) -> Recorded:
    """Take back what a log did that was recorded a moment ago; of an undo that is to do it again.

    Raises:
        DiurnaError: as `diurna undo`; or another log of the same agent came behind it.
    """
    memory.drain()
    found = step_back_from(memory, fields.one("stem"))
    return _recorded(
        memory, found.decision, twin_commands.REDO if found.undo else twin_commands.UNDO
    )


def _recorded(
    memory: Memory, decision: Decision, command: str, *, reversible: bool = True
) -> Recorded:
    """Append the log of a decision."""
    receipt = append(memory, decision, Author())
    if receipt is None:
        return Recorded(already=decision.already)
    return Recorded(
        (receipt.stem,), (receipt.commit,), decision.does, "", decision.title, command,
        receipt.findings, reversible,
    )  # fmt: skip


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
    return _appended(memory, asked, f"{fact.id} is closed", twin_commands.close(fact.id))


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
    return _appended(memory, asked, f"{fact.id} is open again", twin_commands.reopen(fact.id))


def _thread(memory: Memory, id: str) -> Fact:
    fact = memory.standing(id).fact
    if fact.kind not in CLOSABLE:
        hint = f'`diurna forget {id} --archive --reason "…"` puts it away'
        raise DiurnaError(f"{id} is of kind {fact.kind}, which is never closed", hint=hint)
    if fact.false:
        hint = f'`diurna edit {id} --restore --reason "…"` says that it holds after all'
        raise DiurnaError(f"{id} is false: there is nothing to close", hint=hint)
    return fact


def _appended(memory: Memory, asked: Request, does: str, command: str) -> Recorded:
    draft, odd = draft_of_request(memory, asked, options=True)
    receipt = memory.append(draft, again=True, tiers=True)
    return Recorded(
        (receipt.stem,), (receipt.commit,), (does,), "", draft.title, command,
        (*odd, *receipt.findings),
    )  # fmt: skip
