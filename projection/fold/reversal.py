"""Find which logs are undone, and the events that take back what one did: its state before is said anew.

Nothing is deleted: the log stays, with its words and the uses that it counts. What events can not say is
refused: a contradiction stands again by no event, a confirmation and a redaction are for good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    facts_in,
)
from ledger.model.log_names import stem_in
from ledger.model.record import Record
from ledger.model.session import EDIT, UNDO_KEYS, Entry
from ledger.model.verbs import DONE, TODO
from projection.fold.fact_history import Fact, History
from projection.fold.falsity import calls, said_against
from projection.fold.live_view import BY_HAND, Standing


class Irreversible(DiurnaError):
    """No event says what a log would have to take back."""


def reversal(
    before: Standing | None, now: Standing, then_said: History | None, said: History
) -> tuple[Event, ...]:
    """Return the events that let a fact stand as it stood without some logs, () where it does.

    `before` is the fact in the replay without them, None where it is not there; `then_said` is what is
    said of it there, None for nothing.

    Raises:
        Irreversible: events can not say it.
    """
    fact = now.fact
    if before is None:
        was = tuple(version.id for version in fact.heads)
        return () if fact.false else (FactInvalidated(fact.id, was=was),)
    then = before.fact
    if fact.verified != then.verified:
        raise Irreversible(f"it confirms {fact.id}, and that is not taken back")
    events = [*_text(then, fact, said), *_truth(then, fact, then_said or History(), said)]
    if _states(fact) != _states(then):
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


def _states(fact: Fact) -> list[str]:
    return sorted([move.state for move in fact.moves])


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


def _text(then: Fact, fact: Fact, history: History) -> Iterator[Event]:
    """Say the text and the kind of before; what is false and was so is as false by that text (F10)."""
    old, new = _footer(then), _footer(fact)
    heads = tuple(version.id for version in fact.heads)
    if {version.id for version in then.heads} == set(heads) and old == new:
        return
    if fact.redacted:
        raise Irreversible(f"{fact.id} is redacted; none of its texts is shown again")
    if len(then.heads) > 1:
        raise Irreversible(f"it settles what was contradicted about {fact.id}")
    if gone := sorted(new.keys() - old.keys()):
        raise Irreversible(
            f"it gives {fact.id} the footer {', '.join(gone)}, which nothing takes out"
        )
    changed: Meta = tuple([(key, value) for key, value in old.items() if new.get(key) != value])
    yield FactUpdated(
        fact.id, then.heads[0].text, heads, meta=changed,
        said=said_against(fact.id, history) if fact.false and then.false else None,
    )  # fmt: skip


def _footer(fact: Fact) -> dict[str, str]:
    return {"kind": fact.kind, **dict(fact.meta)}


def _truth(then: Fact, fact: Fact, then_said: History, said: History) -> Iterator[Event]:
    """Take back what is said against the fact and was not, or say again what was."""
    if _called(fact) == _called(then):
        return
    old, new = calls(fact.id, then_said), calls(fact.id, said)
    more = [stem for what, stems in new.items() if what not in old for stem in stems]
    again = [what for what in old if not set(new.get(what, ())) - set(more)]
    if more and again:
        raise Irreversible(f"{fact.id} is called false in several ways at once")
    if more:
        yield FactReinstated(fact.id, said=tuple(dict.fromkeys(more)))
    elif then.denied and not fact.denied:
        raise Irreversible(f"it settles what was contradicted about {fact.id}")
    heads = tuple(version.id for version in fact.heads)
    for what in again:
        yield (
            FactSuperseded(fact.id, what, was=heads)
            if what
            else FactInvalidated(fact.id, was=heads)
        )


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


#: Sorts behind every log: where an undo will stand that is only planned.
BEHIND = "9999-12-31-235959999-~"


class TakenBack(Record):
    """What an undo says in its header."""

    stems: tuple[str, ...]  #: of the logs that it takes back, or does again
    again: bool  #: whether it does them again
    kept: tuple[str, ...] = ()  #: the facts that it leaves as they are
    took: tuple[str, ...] = ()  #: the facts that other logs brought, and that it takes with them

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """As the header has it."""
        names = (UNDO_KEYS[self.again], *UNDO_KEYS[2:])
        said = zip(names, (self.stems, self.kept, self.took), strict=True)
        return tuple([(key, ", ".join(values)) for key, values in said if values])


def told_by(entry: Entry) -> TakenBack | None:
    """Return what a log takes back, None for one that is no undo."""
    if entry.type != EDIT:
        return None
    said = {key: tuple(value.split(", ")) for key, value in entry.reported if key in UNDO_KEYS}
    for again, key in enumerate(UNDO_KEYS[:2]):
        if key in said:
            return TakenBack(said[key], bool(again), said.get("kept", ()), said.get("took", ()))
    return None


class Effect(Record):
    """What still counts."""

    #: of all logs in ledger order, without the words that were taken back; an undo says nothing
    entries: tuple[Entry, ...]
    #: of each log that stands taken back the key of the undo that did so, by stem
    undone: dict[str, str]


def effect(entries: Sequence[Entry], planned: TakenBack | None = None) -> Effect:
    """Return what still counts of all logs, in ledger order, and of an undo planned behind them."""
    undos = [(entry.stem, said) for entry in entries if (said := told_by(entry)) is not None]
    by_stem: dict[str, set[str]] = {}
    for entry in entries:
        by_stem.setdefault(stem_in(entry.stem), set()).update(_named(entry))
    gone: dict[str, set[str]] = {}
    taken: dict[str, str] = {}
    undone: dict[str, str] = {}
    for key, said in (*undos, *([(BEHIND, planned)] if planned else [])):
        for stem in said.stems:
            about = by_stem.get(stem, set()) - set(said.kept)
            if said.again:
                gone[stem] = gone.get(stem, set()) - about
                undone.pop(stem, None)
            else:
                gone[stem] = gone.get(stem, set()) | about
                undone[stem] = key
        for fact in said.took:
            if said.again:
                taken.pop(fact, None)
            else:
                taken[fact] = key
    return Effect(tuple([_left(entry, gone, taken) for entry in entries]), undone)


def _named(entry: Entry) -> set[str]:
    return {*entry.named, *[event.id for event in entry.acts]}


def _left(entry: Entry, gone: dict[str, set[str]], taken: dict[str, str]) -> Entry:
    """Return what counts of a log: its place in the clock always does."""
    if told_by(entry) is not None:
        return entry._replace(acts=(), named=())
    out = gone.get(stem_in(entry.stem), set())

    def there(*facts: str) -> bool:
        return facts[0] not in out and all(taken.get(one, "") < entry.stem for one in facts)

    acts = [event for event in entry.acts if there(*facts_in(event))]
    return entry._replace(acts=tuple(acts), named=tuple(filter(there, entry.named)))
