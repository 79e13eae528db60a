"""Confirm facts that stand, and reinstate facts that were called false."""

from __future__ import annotations

from bisect import bisect_right

from ledger.errors import DiurnaError
from ledger.model.event import FactArchived, FactReactivated, FactReinstated, FactVerified
from memory.api import Memory
from projection.document.archive_pages import reason_of
from projection.fold.fact_history import Fact
from projection.fold.falsity import said_against
from projection.fold.full_replay import State
from projection.fold.projection_state import BY_HAND, Standing
from projection.fold.tiers import never_decaying, stand
from rituals.decide.decision import Decision, titled
from rituals.record.request import because


def confirmation(memory: Memory, facts: tuple[str, ...]) -> Decision:
    """Plan to record that somebody looked at facts and they hold.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: a fact is false.
    """
    state = memory.state()
    found = [memory.standing(fact).fact for fact in dict.fromkeys(map(memory.named, facts))]
    for fact in found:
        if fact.false:
            by = ", ".join(fact.superseded_by)
            said = f"{fact.id} is false: {f'{by} superseded it' if by else 'it was invalidated'}"
            hint = f"`diurna edit {fact.id} --restore --reason TEXT` says that it holds after all"
            raise DiurnaError(said, hint=hint)
    fresh = tuple(fact.id for fact in found if not _is_fresh(state, fact))
    title = titled("Confirm", fresh or tuple(fact.id for fact in found))
    if not fresh:
        return Decision(title, already="confirmed before, and nothing was recorded since")
    does = tuple(f"{fact} is confirmed" for fact in fresh)
    return Decision(title, does, tuple(FactVerified(fact) for fact in fresh))


def _is_fresh(state: State, fact: Fact) -> bool:
    """Tell whether nothing happened since a fact was confirmed: confirming it again says nothing."""
    acts = state.histories[fact.id].acts
    if not fact.verified or any(act.stem > fact.verified for act in acts):
        return False
    return not state.work or state.work[-1] < fact.verified


def due(state: State) -> tuple[str, ...]:
    """Return the facts that never fade and that nobody confirmed for as long as the policy allows."""
    every = state.policy.review.verify_invariants_every
    lasting = never_decaying(state.policy)
    if not every:
        return ()
    return tuple(
        standing.fact.id
        for standing in state.view().live
        if is_lasting(standing.fact, lasting)
        and len(state.work) - bisect_right(state.work, looked_at(standing.fact)) >= every
    )


def is_lasting(fact: Fact, lasting: frozenset[str]) -> bool:
    """Tell whether a fact holds until somebody says otherwise, so that a person has to look at it."""
    held = not (fact.false or fact.redacted or fact.archived_at)
    return held and (fact.promoted or fact.kind in lasting)


def looked_at(fact: Fact) -> str:
    """Return the stem of the log with which a person last looked at a fact: an update counts."""
    updates = [version.stem for version in fact.heads if version.parents]
    return max(fact.verified, fact.born, *updates)


def reinstatement(memory: Memory, fact: str, reason: str) -> Decision:
    """Plan to take back what was said against a fact, as far as it was seen.

    Raises:
        NotFound: there is no such fact.
    """
    now = memory.standing(fact).fact
    fact = now.id
    title = titled("Reinstate", (fact,))
    said = said_against(fact, memory.state().histories[fact])
    if not said:
        return Decision(title, already=f"{fact} holds; nothing is said against it")
    event = because(FactReinstated(fact, said=said), reason)
    logs = f"{len(said)} log{'s' if len(said) != 1 else ''}"
    does = f"{fact} holds again; what {logs} said against it is taken back: {', '.join(said)}"
    hints: tuple[str, ...] = ()
    if now.superseded_by:
        others = ", ".join(now.superseded_by)
        hints = (f"{others} holds beside it now; if it is false: diurna append --invalidate",)
    return Decision(title, (does,), (event,), reason=reason, hints=hints)


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
