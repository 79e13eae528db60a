"""Find which logs are undone, and the events that take back what one did: its state before is said anew.

Nothing is deleted: the log stays, with its words and the uses that it counts. What events can not say is
refused: what called a fact false in several ways, and a redaction, which is for good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.errors import DiurnaError
from ledger.model.event import (
    WITHDRAWABLE,
    Event,
    FactArchived,
    FactInvalidated,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactWithdrawn,
    facts_in,
)
from ledger.model.log_names import stem_in
from ledger.model.record import Record
from ledger.model.session import EDIT, UNDO_KEYS, Entry
from projection.fold.fact_history import Act, Fact, History
from projection.fold.falsity import calls, said_against
from projection.fold.live_view import Standing


class Irreversible(DiurnaError):
    """No event says what a log would have to take back."""


def reversal(
    before: Standing | None, now: Standing, then_said: History | None, said: History
) -> tuple[Event, ...]:
    """Return the events that let a fact stand as it stood without some logs, () where it does.

    `before` is the fact in the replay without them, None where it is not there; `then_said` is what is
    said of it there, None for nothing.

    Of a fact that was called false in several ways they may fall short: fold them to see.
    """
    fact = now.fact
    if before is None:
        was = tuple(version.id for version in fact.heads)
        return () if fact.false else (FactInvalidated(fact.id, was=was),)
    then, then_said = before.fact, then_said or History()
    events = [*_truth(then, fact, then_said, said)]
    aim, counts = _withdrawable(then_said), _withdrawable(said)
    again = [act for act in aim if act not in counts]
    more = [stem_in(act.stem) for act in counts if act not in aim]
    same = stands_as(now, before) and fact.verified == then.verified
    if fact.false and then.false and not same:  # as false by that text (F10)
        heads, against = tuple([one.id for one in fact.heads]), said_against(fact.id, said)
        events.append(FactUpdated(fact.id, then.heads[0].text, heads, meta=then.meta, said=against))
    elif not same and (more or again):
        stems = dict.fromkeys([*more, *_behind({stem_in(act.stem) for act in again}, said)])
        events.append(FactWithdrawn(fact.id, said=tuple(stems)))
    if now.live and not (before.live or then.false):
        if not any(type(act.event) is FactArchived for act in again):
            events.append(FactArchived(fact.id))
    return tuple(events)


def _withdrawable(history: History) -> dict[Act, None]:
    """Return what counts of a history and a log can withdraw, but for what withdraws."""
    kinds = WITHDRAWABLE - {FactWithdrawn}
    return {act: None for act in history.counting().acts if type(act.event) in kinds}


def _behind(again: set[str], said: History) -> Iterator[str]:
    """Yield what to name so that logs count again: what withdrew them, and what else that withdrew."""
    for stem, _, event, _ in said.acts:
        if isinstance(event, FactWithdrawn) and not again.isdisjoint(event.said or ()):
            yield from (stem_in(stem), *[one for one in event.said or () if one not in again])


def _truth(then: Fact, fact: Fact, then_said: History, said: History) -> Iterator[Event]:
    """Take back what is said against the fact and was not, or say again what was."""
    if _called(fact) == _called(then):
        return
    old, new = calls(fact.id, then_said), calls(fact.id, said)
    more = [stem for what, stems in new.items() if what not in old for stem in stems]
    again = [what for what in old if not set(new.get(what, ())) - set(more)]
    if more:
        yield FactReinstated(fact.id, said=tuple(dict.fromkeys(more)))
    for act in then_said.acts:
        event = act.event
        if isinstance(event, FactSuperseded | FactInvalidated) and event.id == fact.id:
            if (event.new if isinstance(event, FactSuperseded) else "") in again:
                yield event


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
        fact.closed, set(fact.states), fact.promoted, fact.contradicted, fact.kind, dict(fact.meta),
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
