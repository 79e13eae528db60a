"""Say which facts take the place of others, so that no circle of supersessions is closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ledger.model.event import Event, FactCreated, FactSuperseded
from projection.fold.full_replay import State
from rituals.intake.stored_facts import Brought


def without_circles(pairs: Iterable[tuple[str, str]], state: State) -> list[tuple[str, str]]:
    """Return (old, new) ids, each once, but those by which a fact would replace itself over others.

    `pairs` come in the order in which they are believed.
    """
    found: dict[tuple[str, str], None] = {}
    after: dict[str, set[str]] = {}
    for old, new in pairs:
        if old != new and (old, new) not in found and not _reaches(new, old, after, state):
            after.setdefault(old, set()).add(new)
            found[(old, new)] = None
    return list(found)


def with_edges(births: Sequence[FactCreated], edges: Iterable[tuple[str, str]]) -> list[Brought]:
    """Put each supersession beside the later birth of its two facts, where both of them are known.

    `births` stand in the order in which they come; `edges` are (old, new) ids.
    """
    rank = {event.id: number for number, event in enumerate(births)}
    states: dict[str, list[Event]] = {}
    for old, new in edges:
        later = max((old, new), key=lambda id: rank.get(id, -1))
        states.setdefault(later, []).append(FactSuperseded(old, new))
    return [Brought(event, tuple(states.get(event.id, ()))) for event in births]


def _reaches(start: str, goal: str, after: Mapping[str, set[str]], state: State) -> bool:
    """Tell whether one fact is replaced by another one, over however many."""
    seen, todo = {start}, [start]
    for name in todo:
        if name == goal:
            return True
        fact = state.fact(name)
        for one in {*after.get(name, ()), *(fact.superseded_by if fact else ())} - seen:
            seen.add(one)
            todo.append(one)
    return False
