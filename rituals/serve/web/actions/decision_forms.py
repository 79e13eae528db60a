"""Record decisions about facts: the same plans, and the same appends, as those of the commands."""

from __future__ import annotations

from ledger.errors import DiurnaError, WrongUsage
from memory.api import Memory
from rituals.decide.confirmation import confirmation
from rituals.decide.decision import Author, Decision
from rituals.decide.decision import record as append
from rituals.decide.log_undo import step_back_from
from rituals.decide.open_contradictions import disputes
from rituals.decide.resolution import Verdict, choices, resolution
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
        DiurnaError: as `diurna conflicts`; or other sides stand than were shown.
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
