"""Fill into events what their writer saw and need not say.

That is versions, moves, what was said against a fact; and of what replaces a fact what it is about, and
for whom: what its writer does not say anew.
"""

from __future__ import annotations

from ledger.codec.fact_blocks import order_meta
from ledger.codec.log import canonical
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactRedacted,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.order import stem_in
from ledger.model.session import ASKED_KEY, UNDO_KEYS
from projection.fold.falsity import said_against
from projection.fold.fold import resolve
from projection.graph.fact_links import ENTITY_KEY, SERVES
from projection.graph.graph_neighbours import TAGS_KEY, names_in
from projection.policy.model import CLOSABLE, TASK_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.home import Home
    from ledger.model.findings import Finding
    from ledger.model.session import SessionLog
    from memory.cache.cache_file import Cache
    from memory.write.draft import Case
    from projection.fold.fact_history import Fact, History

#: The footers that are of a subject, whatever is said of it, and those that are of the work on it. What
#: ends a text, checks it or is its title is of that text alone.
_OF_SUBJECTS = (ENTITY_KEY, TAGS_KEY, "role", SERVES, ASKED_KEY, "salience")
_OF_TASKS = ("priority", "owner", "goal", "workstream", "depends")
#: The tag that a word for a kind gives: it is of the text, and nobody chose it.
_OF_A_KIND = ("lesson",)


def with_seen(
    event: Event, fact: Fact | None, histories: Mapping[str, History], opened: set[str]
) -> Event:
    """Let an event name the versions its writer saw; it does not answer what others said meanwhile.

    `event` is as drafted; `fact` is what it names, as it stands, None while there is no text for it;
    `opened` are the threads that the same log opens again.
    """
    if isinstance(event, FactMoved) and event.was is None:
        return event._replace(was=_moves_of(fact))
    if fact is None:
        return event
    heads = tuple(version.id for version in fact.heads)
    if isinstance(event, FactUpdated):
        kind = dict(event.meta).get("kind", fact.kind)
        knew = fact.closed and kind in CLOSABLE and not event.mark and event.id not in opened
        said = event.said
        if event.was is None and said is None and fact.false:
            said = said_against(event.id, histories[event.id]) or None
        was = heads if event.was is None else event.was
        return event._replace(was=was, mark="x" if knew else event.mark, said=said)
    if isinstance(event, FactSuperseded | FactInvalidated) and event.was is None:
        return event._replace(was=heads)
    if isinstance(event, ThreadClosed) and event.was is None and fact.kind in CLOSABLE:
        return event._replace(was=(*heads, *_moves_of(fact)))
    if isinstance(event, FactReinstated) and event.said is None:
        return event._replace(said=said_against(event.id, histories[event.id]) or None)
    return event


def with_seen_versions(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Let the events of a log name what their writer saw, and redactions the logs that hold the text."""
    home, cache, histories = case.home, case.cache, case.histories
    opened = {event.id for event in log.events if isinstance(event, ThreadReopened)}
    facts = {name: resolve(name, history, cache.cut) for name, history in histories.items()}
    facts = _seen_here(home, cache, facts)
    events = tuple(
        [with_seen(event, facts.get(event.id), histories, opened) for event in log.events]
    )
    if any(isinstance(event, FactRedacted) for event in events):
        from memory.redaction.withheld_texts import naming_holders

        events = naming_holders(home, cache, events)
    return canonical(log._replace(events=events)), ()


def _seen_here(home: Home, cache: Cache, facts: dict[str, Fact | None]) -> dict[str, Fact | None]:
    """Return facts as who writes sees them: as HEAD has them, beside the texts of all branches (B2)."""
    if not any(facts.values()):
        return facts
    from memory.replay.head_view import here_of

    here = here_of(home, cache)
    return {
        name: fact and _with_heads_of(fact, here.shown(cache, fact)) for name, fact in facts.items()
    }


def _with_heads_of(fact: Fact, shown: Fact) -> Fact:
    return shown._replace(heads=tuple(dict.fromkeys((*shown.heads, *fact.heads))))


def _moves_of(fact: Fact | None) -> tuple[str, ...]:
    """Return the logs whose moves of a task stand."""
    return tuple(dict.fromkeys([stem_in(move.stem) for move in fact.moves])) if fact else ()


def still_moves(events: tuple[Event, ...], stem: str, facts: Mapping[str, Fact | None]) -> bool:
    """Tell whether the moves that a log said of tasks stand."""
    moves = FactMoved | ThreadClosed | ThreadReopened
    tasks = [facts.get(event.id) for event in events if isinstance(event, moves)]
    return all(stem in _moves_of(fact) for fact in tasks if fact and fact.kind == TASK_KIND)


def with_subject(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Carry over what describes a replaced fact to what replaces it in the log."""
    pairs = [event for event in log.events if isinstance(event, FactSuperseded)]
    if not pairs or any(key in UNDO_KEYS for key, _ in case.asked.draft.header):
        return log, ()
    facts = {id: resolve(id, history, case.cache.cut) for id, history in case.histories.items()}
    stands = {id: fact for id, fact in facts.items() if fact is not None and not fact.redacted}
    said = {id: {**dict(fact.meta), "kind": fact.kind} for id, fact in stands.items()}
    for event in log.events:
        if isinstance(event, FactCreated | FactUpdated):
            said[event.id] = {**said.get(event.id, {}), **dict(event.meta)}
    carried: dict[str, dict[str, str]] = {}
    for pair in pairs:
        old, new = said.get(pair.id, {}), said.get(pair.new, {})
        tasks = old.get("kind") == new.get("kind") == TASK_KIND
        for key in (*_OF_SUBJECTS, *(_OF_TASKS if tasks else ())):
            own = names_in(new.get(key, "")) if key == TAGS_KEY else (new.get(key, ""),)
            if key not in old or any(name and name not in _OF_A_KIND for name in own):
                continue
            kept = carried.setdefault(pair.new, {})
            if key not in (ENTITY_KEY, TAGS_KEY):
                kept.setdefault(key, old[key])
                continue
            more = [name for name in names_in(old[key]) if name not in _OF_A_KIND]
            names = names_in(",".join((*own, kept.get(key, ""), *more)))
            kept |= {key: ", ".join(names)} if more else {}
    events = []
    for event in log.events:
        if isinstance(event, FactCreated | FactUpdated) and carried.get(event.id):
            meta = {**dict(event.meta), **carried.pop(event.id)}
            event = event._replace(meta=order_meta(tuple(meta.items())))
        events.append(event)
    return log._replace(events=tuple(events)), ()
