"""Say whether facts hold: confirm, close, deny, reinstate and archive them, each by a log of its own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from ledger.errors import DiurnaError, WrongUsage
from ledger.model.event import (
    Event,
    FactArchived,
    FactInvalidated,
    FactReactivated,
    FactReinstated,
    FactSuperseded,
    FactVerified,
    ThreadClosed,
)
from ledger.model.verbs import CANCELLED
from memory.api import Memory
from projection.document.archive_pages import reason_of
from projection.fold.fact_history import Fact
from projection.fold.falsity import said_against
from projection.fold.full_replay import State
from projection.fold.projection_state import BY_HAND, Standing
from projection.fold.tiers import never_decaying, stand
from projection.policy.model import CLOSABLE, TASK_KIND
from rituals.decide.decision import Decision, decided, facts_named

#: How a fact that was called false holds again; its id, and the reason.
RESTORE = "`diurna edit {} --restore --reason {}` says that it holds after all"
_WHY = '"…"'


def unconfirmed(state: State, facts: Iterable[Fact]) -> Iterator[tuple[Fact, str, int]]:
    """Yield the facts that never fade and that nobody confirmed for as long as the policy allows.

    Each comes with the stem of the log with which a person last looked at it, an update counting as a
    look, and the number of work sessions since.
    """
    every, lasting = state.policy.review.verify_invariants_every, never_decaying(state.policy)
    for fact in facts if every else ():
        if fact.false or fact.redacted or fact.archived_at:
            continue
        if fact.promoted or fact.kind in lasting:
            updates = [version.stem for version in fact.heads if version.parents]
            last = max(fact.verified, fact.born, *updates)
            sessions = len(state.work) - bisect_right(state.work, last)
            if sessions >= every:
                yield fact, last, sessions


def due(state: State) -> tuple[str, ...]:
    """Return the ids of the live facts that somebody has to confirm."""
    live = (standing.fact for standing in state.view().live)
    return tuple([fact.id for fact, _, _ in unconfirmed(state, live)])


def confirmation(memory: Memory, facts: tuple[str, ...]) -> Decision:
    """Plan to record that somebody looked at facts and they hold.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: a fact is false.
    """
    state, named = memory.state(), facts_named(memory, facts)
    for fact in named:
        if fact.false:
            by = ", ".join(fact.superseded_by)
            said = f"{fact.id} is false: {f'{by} superseded it' if by else 'it was invalidated'}"
            raise DiurnaError(said, hint=RESTORE.format(fact.id, "TEXT"))
    # where nothing happened since a fact was confirmed, confirming it again says nothing
    ids = [
        fact.id
        for fact in named
        if any(act.stem > fact.verified for act in state.histories[fact.id].acts)
        or any(stem >= fact.verified for stem in state.work[-1:])
    ]
    if not ids:
        return Decision(already="confirmed before, and nothing was recorded since")
    return decided("Confirm", ids, [f"{id} is confirmed" for id in ids], map(FactVerified, ids))


def closing(memory: Memory, facts: tuple[str, ...], reason: str) -> Decision:
    """Plan to close threads, handoffs and findings.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: one is a task, or of a kind that is never closed.
    """
    named = facts_named(memory, facts)
    for fact in named:
        if fact.kind not in CLOSABLE:
            raise DiurnaError(
                f"{fact.id} is of the kind {fact.kind}, and nothing closes that",
                hint=f"what no longer holds: `diurna forget {fact.id}`; "
                f"closed are {', '.join(sorted(CLOSABLE - {TASK_KIND}))}",
            )
    open_ones = [fact for fact in named if not fact.closed]
    if tasks := [fact.id for fact in open_ones if fact.kind == TASK_KIND]:
        are = "is a task" if len(tasks) == 1 else "are tasks"
        raise DiurnaError(
            f"{', '.join(tasks)} {are}: done or cancelled?",
            hint=f'`diurna note "done {tasks[0]}"`, or `diurna task move {tasks[0]} {CANCELLED}`',
        )
    if not open_ones:
        return Decision(already=f"closed before: {', '.join([fact.id for fact in named])}")
    ids = [fact.id for fact in open_ones]
    return decided("Close", ids, [f"{id} is closed" for id in ids], map(ThreadClosed, ids), reason)


def denial(memory: Memory, fact: str, new: str, reason: str) -> Decision:
    """Plan to call a fact false; `new` is the fact that replaces it, "" for none.

    Raises:
        NotFound: there is no such fact.
        WrongUsage: a fact can not replace itself.
        DiurnaError: what is to replace it is false itself.
    """
    now = memory.standing(fact).fact
    fact, does = now.id, f"{now.id} is false now"
    event: Event = FactInvalidated(fact)
    if new:
        replacing = memory.standing(new).fact
        new = replacing.id
        if new == fact:
            said = f"{fact} can not replace itself"
            raise WrongUsage(said, hint=f'`diurna edit {fact} "TEXT"` rewords it')
        if replacing.false:
            said = f"{new} is false itself"
            raise DiurnaError(said, hint=f"`diurna why {new}` says who called it so")
        event, does = FactSuperseded(fact, new), f"{new} replaces {fact}"
    if new in now.superseded_by if new else now.false:
        return Decision(already=f"that {does} was said before")
    return decided("Forget", [fact], [does], [event], reason, RESTORE.format(fact, _WHY))


def reinstatement(memory: Memory, fact: str, reason: str) -> Decision:
    """Plan to take back what was said against a fact, as far as it was seen.

    Raises:
        NotFound: there is no such fact.
    """
    now = memory.standing(fact).fact
    fact = now.id
    said = said_against(fact, memory.state().histories[fact])
    if not said:
        return Decision(already=f"{fact} holds; nothing is said against it")
    logs = f"{len(said)} log{'s' if len(said) != 1 else ''}"
    does = f"{fact} holds again; what {logs} said against it is taken back: {', '.join(said)}"
    others = ", ".join(now.superseded_by)
    hint = f"{others} holds beside it now; if it is false: diurna append --invalidate"
    events = [FactReinstated(fact, said=said)]
    return decided("Reinstate", [fact], [does], events, reason, hint if others else "")


def archiving(memory: Memory, fact: str, reason: str) -> Decision:
    """Plan to put a fact away, though it is in use.

    Raises:
        NotFound: there is no such fact.
        DiurnaError: it stands in the archive already.
    """
    standing = memory.standing(fact)
    fact = standing.fact.id
    if not standing.live:
        raise _not_there(standing, "is in the archive already")
    does = f"{fact} goes into the archive; its text stays, and every log that names it"
    hint = f"{_OUT.format(fact)}, and so does the next work log that names it"
    return decided("Archive", [fact], [does], [FactArchived(fact)], reason, hint)


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
        raise _not_there(standing, "was not put into the archive by hand")
    state = memory.state()
    decay, lasting = state.decay, never_decaying(state.policy)
    then = stand(standing.fact._replace(archived_at=""), decay.clock(), lasting, decay)
    if not then.live:
        raise _not_there(then, "would be in the archive anyway")
    does = f"{fact} is taken out of the archive: {then.tier}"
    return decided("Take out", [fact], [does], [FactReactivated(fact)], reason)


_OUT = '`diurna forget {} --back --reason "…"` takes it out again'


def _not_there(standing: Standing, said: str) -> DiurnaError:
    """Say why a fact does not go into the archive or out of it, and what takes it out."""
    fact = standing.fact
    if fact.false:
        hint = RESTORE.format(fact.id, _WHY)
    elif standing.reason == BY_HAND:
        hint = _OUT.format(fact.id)
    elif standing.tier != "archived":
        hint = f"`diurna append --reopen {fact.id}` opens the thread again"
    else:
        hint = f"a work log that names it brings it back: diurna append --reactivate {fact.id}"
    return DiurnaError(f"{fact.id} {said}: {reason_of(standing)}", hint=hint)
