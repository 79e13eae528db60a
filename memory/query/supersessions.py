"""Follow the supersessions that lead to a fact and on from it."""

from __future__ import annotations

from ledger.model.event import FactSuperseded
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from typing import Protocol

    from projection.fold.fact_history import History
    from projection.fold.falsity import Edge

    class Histories(Protocol):
        """Gives facts' histories: the cache does, and whoever holds a state."""

        def some_histories(self, facts: Sequence[str]) -> Mapping[str, History]:
            """Return the histories of facts, by id."""

    Edges = list[Edge]


class Link(Record):
    """A supersession: `new` took the place of `old`, by a log; `counts` unless it was left out."""

    old: str
    new: str
    stem: str
    counts: bool


def supersessions(holder: Histories, fact: str, forward: bool) -> Edges:
    """Return the supersessions of a fact by others, or of others by it, as (stem, place, old, new)."""
    history = holder.some_histories([fact]).get(fact)
    return [
        (act.stem, act.seq, act.event.id, act.event.new)
        for act in (history.acts if history is not None else ())
        if isinstance(act.event, FactSuperseded)
        and (act.event.id if forward else act.event.new) == fact
    ]


def chain_of(
    edges: Callable[[str, bool], Edges], cut: Container[Edge], fact: str, near: int
) -> tuple[tuple[Link, ...], bool]:
    """Follow the supersessions from a fact in both directions; they come in ledger order.

    Returns:
        All of them, or the nearest of each direction, and whether there are more.
    """
    found: set[Edge] = set()
    further = False
    for forward in (True, False):
        way: set[Edge] = set()
        seen, todo = {fact}, [fact]
        for here in todo:  # which grows: those nearer come first
            for edge in edges(here, forward):
                if near and len(way) == near and edge not in way:
                    further = True
                    break
                way.add(edge)
                end = edge[3] if forward else edge[2]
                if end not in seen:
                    seen.add(end)
                    todo.append(end)
            if near and len(way) == near and further:
                break
        found |= way
    links = [Link(edge[2], edge[3], edge[0], edge not in cut) for edge in sorted(found)]
    return tuple(links), further
