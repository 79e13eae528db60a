"""Put facts into the archive by hand, and take them out again (FORMAT.md, T6)."""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.model.event import FactArchived, FactReactivated
from memory.api import Memory
from projection.document.archive_pages import reason_of
from projection.fold.projection_state import BY_HAND, Standing
from projection.fold.tiers import never_decaying, stand
from rituals.decide.decision import Decision, titled
from rituals.record.event_reasons import because


def archiving(memory: Memory, fact: str, reason: str) -> Decision:
    """Plan to put a fact away, though it is in use.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: it stands in the archive already.
    """
    standing = memory.standing(fact)
    fact = standing.fact.id
    if not standing.live:
        said = f"{fact} is in the archive already: {reason_of(standing)}"
        raise DiurnaError(said, hint=_way_back(standing))
    event = because(FactArchived(fact), reason)
    does = f"{fact} goes into the archive; its text stays, and every log that names it"
    hint = (
        f'`diurna forget {fact} --back --reason "…"` takes it out again, '
        "and so does the next work log that names it"
    )
    return Decision(titled("Archive", (fact,)), (does,), (event,), reason=reason, hints=(hint,))


def returning(memory: Memory, fact: str, reason: str) -> Decision:
    """Plan to take a fact out again that was put away by hand.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: it was not put away by hand, or taking it out would not make it live.
    """
    standing = memory.standing(fact)
    fact = standing.fact.id
    if standing.live:
        raise DiurnaError(f"{fact} is not in the archive", hint=f"diurna show {fact}")
    if standing.reason != BY_HAND:
        said = f"{fact} was not put into the archive by hand: {reason_of(standing)}"
        raise DiurnaError(said, hint=_way_back(standing))
    state = memory.state()
    decay, lasting = state.decay, never_decaying(state.policy)
    then = stand(standing.fact._replace(archived_at=""), decay.clock(), lasting, decay)
    if not then.live:
        hint = _way_back(then)
        raise DiurnaError(f"{fact} would be in the archive anyway: {reason_of(then)}", hint=hint)
    event = because(FactReactivated(fact), reason)
    does = f"{fact} is taken out of the archive: {then.tier}"
    return Decision(titled("Take out", (fact,)), (does,), (event,), reason=reason)


def _way_back(standing: Standing) -> str:
    """Say how a fact comes out of the archive."""
    fact = standing.fact
    if fact.false:
        return f'`diurna edit {fact.id} --restore --reason "…"` says that it holds after all'
    if standing.reason == BY_HAND:
        return f'`diurna forget {fact.id} --back --reason "…"` takes it out again'
    if standing.tier != "archived":
        return f"`diurna append --reopen {fact.id}` opens the thread again"
    return f"a work log that names it brings it back: diurna append --reactivate {fact.id}"
