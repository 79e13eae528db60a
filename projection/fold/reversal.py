"""Find the events that take back what one log did to a fact: its state before is said anew.

Nothing is deleted: the log stays, with its words and the uses that it counts. What events can not say is
refused: a contradiction stands again by no event, a confirmation and a redaction are for good.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.model.event import (
    Event,
    FactArchived,
    FactDemoted,
    FactInvalidated,
    FactMoved,
    FactPromoted,
    FactReactivated,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    Meta,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.order import stem_in
from ledger.model.task_states import DONE, TODO
from projection.fold.state import BY_HAND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from projection.fold.fact import Fact
    from projection.fold.state import Standing


class Irreversible(DiurnaError):
    """No event says what a log would have to take back."""


def reversal(
    before: Standing | None, now: Standing, own: tuple[Event, ...], stem: str
) -> tuple[Event, ...]:
    """Return the events that let a fact stand as it stood without a log, () where it does.

    Args:
        before: the fact in the replay of all logs but that one, None where it is not there.
        now: the fact as it stands.
        own: what the log says of the fact.
        stem: of the log.

    Raises:
        Irreversible: events can not say it.
    """
    fact = now.fact
    heads = tuple(version.id for version in fact.heads)
    if before is None:
        return () if fact.false else (FactInvalidated(fact.id, was=heads),)
    then = before.fact
    if fact.verified != then.verified:
        raise Irreversible(f"it confirms {fact.id}, and that is not taken back")
    events = [*_text(then, fact, heads), *_truth(then, fact, own, stem)]
    if fact.moves != then.moves:
        events.append(_moved_back(then, fact))
    elif fact.closed != then.closed:
        was = tuple(version.id for version in then.heads)
        events.append(ThreadClosed(fact.id, was=was) if then.closed else ThreadReopened(fact.id))
    if fact.promoted != then.promoted:
        events.append(FactPromoted(fact.id) if then.promoted else FactDemoted(fact.id))
    if now.live and not before.live and not then.false:
        events.append(FactArchived(fact.id))
    elif before.live and now.reason == BY_HAND:
        events.append(FactReactivated(fact.id))
    return tuple(events)


def _moved_back(then: Fact, fact: Fact) -> Event:
    """Say the state of before of a task, in place of all that stands."""
    if then.torn:
        raise Irreversible(f"it settles which moves of {fact.id} stand")
    seen = tuple(dict.fromkeys([stem_in(move.stem) for move in fact.moves]))
    if then.state == TODO or not then.state:
        return ThreadReopened(fact.id)
    if then.state == DONE:
        return ThreadClosed(fact.id, was=(*[version.id for version in then.heads], *seen))
    return FactMoved(fact.id, then.state, was=seen)


def _text(then: Fact, fact: Fact, heads: tuple[str, ...]) -> Iterator[Event]:
    """Say the text and the kind of before."""
    old, new = _footer(then), _footer(fact)
    same = {version.id for version in then.heads} == set(heads)
    if same and old == new:
        return
    if fact.redacted:
        raise Irreversible(f"{fact.id} is redacted; none of its texts is shown again")
    if len(then.heads) > 1:
        raise Irreversible(f"it settles what was contradicted about {fact.id}")
    if gone := sorted(new.keys() - old.keys()):
        raise Irreversible(
            f"it gives {fact.id} the footer {', '.join(gone)}, which nothing takes out"
        )
    changed: Meta = tuple([(key, said) for key, said in old.items() if new.get(key) != said])
    yield FactUpdated(fact.id, then.heads[0].text, heads, meta=changed)


def _footer(fact: Fact) -> dict[str, str]:
    return {"kind": fact.kind, **dict(fact.meta)}


def _truth(then: Fact, fact: Fact, own: tuple[Event, ...], stem: str) -> Iterator[Event]:
    """Take back what the log says against the fact, or say again what it took back."""
    if _called(fact) == _called(then):
        return
    if any(
        type(event) in (FactSuperseded, FactInvalidated) and event.id == fact.id for event in own
    ):
        yield FactReinstated(fact.id, said=(stem,))
        return
    if then.denied and not fact.denied:
        raise Irreversible(f"it settles what was contradicted about {fact.id}")
    heads = tuple(version.id for version in fact.heads)
    for new in then.superseded_by:
        if new not in fact.superseded_by:
            yield FactSuperseded(fact.id, new, was=heads)
    if then.invalidated_at and not fact.invalidated_at:
        yield FactInvalidated(fact.id, was=heads)


def _called(fact: Fact) -> tuple[object, ...]:
    """Return what is said against a fact, whether it counts or not."""
    return set(fact.superseded_by), bool(fact.invalidated_at), set(fact.denied), fact.circle


def stands_as(after: Standing | None, before: Standing | None) -> bool:
    """Tell whether a fact stands as it stood; what was not there before has to be false."""
    if after is None or before is None:
        return before is None and (after is None or after.fact.false)
    return after.live == before.live and _shown(after.fact) == _shown(before.fact)


def _shown(fact: Fact) -> tuple[object, ...]:
    return (
        {version.id for version in fact.heads}, set(fact.superseded_by), bool(fact.invalidated_at),
        fact.closed, set(fact.states), fact.promoted, fact.contradicted, _footer(fact),
    )  # fmt: skip
