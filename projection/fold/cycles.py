"""Tell which supersessions do not count: now (F6 of FORMAT.md), and at every place of the ledger."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from ledger.model.event import FactReinstated, FactSuperseded
from projection.fold.fact_history import History
from projection.fold.falsity import Edge, Take, taken, takes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def edges_and_takes(histories: Mapping[str, History]) -> tuple[list[Edge], list[Take]]:
    """Return the supersessions that histories hold, and what was taken back of what they say."""
    edges: list[Edge] = []
    takes: list[Take] = []
    for fact, history in histories.items():
        for stem, seq, event, _ in history.acts:
            if isinstance(event, FactSuperseded):
                if event.id == fact:
                    edges.append((stem, seq, fact, event.new))
            elif isinstance(event, FactReinstated):
                takes += takes_of(stem, event)
    return edges, takes


def cut_of(histories: Mapping[str, History]) -> frozenset[Edge]:
    """Return the supersessions in the histories that do not count."""
    return cut_edges(*edges_and_takes(histories))


def cut_edges(edges: Iterable[Edge], takes: Iterable[Take] = ()) -> frozenset[Edge]:
    """Return the edges to leave out: those that were taken back, and what makes circles.

    The others enter in ledger order, and one that would close a circle is cut, so that no fact supersedes
    itself, however long the way: each circle loses its newest edge. Only the part of the graph that
    lies on circles is looked at edge by edge.
    """
    backs: dict[str, list[Take]] = {}
    for take in takes:
        backs.setdefault(take[0], []).append(take)
    edges = list(edges)
    cut = {edge for edge in edges if edge[2] in backs and taken(edge[0], backs[edge[2]])}
    if cut:
        edges = [edge for edge in edges if edge not in cut]
    suspect = _peel(_peel(edges, 2, 3), 3, 2)
    follows: dict[str, list[str]] = {}
    precedes: dict[str, list[str]] = {}
    for edge in sorted(suspect):
        _, _, old, new = edge
        if _reaches(follows, precedes, new, old):
            cut.add(edge)
        else:
            follows.setdefault(old, []).append(new)
            precedes.setdefault(new, []).append(old)
    return frozenset(cut)


def _peel(edges: list[Edge], source: int, target: int) -> list[Edge]:
    """Drop, in linear time, the edges out of facts that none (any more) leads into."""
    indegree = Counter([str(edge[target]) for edge in edges])
    leaving: dict[str, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(str(edge[source]), []).append(edge)
    ready = [fact for fact in leaving if not indegree[fact]]
    while ready:
        for edge in leaving.pop(ready.pop(), ()):
            end = str(edge[target])
            indegree[end] -= 1
            if not indegree[end]:
                ready.append(end)
    return [edge for rest in leaving.values() for edge in rest]


def _reaches(
    follows: Mapping[str, list[str]], precedes: Mapping[str, list[str]], start: str, goal: str
) -> bool:
    """Tell whether `goal` lies on a way from `start`.

    Looks from both ends in turn, an edge at a time, until one end has nothing more: a circle of n facts
    costs n log n steps in whatever order it was said, and not n² as from one end alone.
    """
    ahead, behind = {start}, {goal}
    if start == goal:
        return True
    for one, other in zip(
        _walk(follows, start, ahead), _walk(precedes, goal, behind), strict=False
    ):
        if one in behind or other in ahead:
            return True
    return False


def _walk(links: Mapping[str, list[str]], start: str, seen: set[str]) -> Iterator[str]:
    """Yield where each edge leads that lies on a way from `start`; `seen` gets every such fact."""
    todo = [start]
    while todo:
        for fact in links.get(todo.pop(), ()):
            if fact not in seen:
                seen.add(fact)
                todo.append(fact)
            yield fact


class Cuts:
    """Which supersessions do not count, at every place of a ledger.

    Greedy from old to new, so what is cut stays cut, until a person takes something back. Where no circle
    is, a fact's own history tells all.

    Args:
        histories: of all facts.
    """

    def __init__(self, histories: Mapping[str, History]) -> None:
        edges, _ = edges_and_takes(histories)
        self._first = cut_edges(edges)
        self._turns: list[str] = []
        self._later: list[frozenset[Edge]] = []
        if self._first:
            takes = [
                (stem, take)
                for _, history in histories.items()
                for stem, _, event, _ in history.acts
                if isinstance(event, FactReinstated)
                for take in takes_of(stem, event)
            ]
            self._turns = sorted({stem for stem, _ in takes})
            for turn in self._turns:
                known = [take for stem, take in takes if stem <= turn]
                self._later.append(cut_edges(edges, known))
        self._facts = {edge[2] for cut in (self._first, *self._later) for edge in cut}

    def turns(self, fact: str, limit: str) -> frozenset[str]:
        """Return the logs that may change what is cut of a fact without naming it."""
        if fact not in self._facts:
            return frozenset()
        return frozenset([turn for turn in self._turns if turn <= limit])

    def at(self, point: str, fact: str, history: History) -> frozenset[Edge]:
        """Return what is cut of a fact at a place, where this was its history."""
        if self._first:
            later = bisect_right(self._turns, point)
            return self._later[later - 1] if later else self._first
        edges, takes = edges_and_takes({fact: history})
        return cut_edges(edges, takes) if takes else frozenset()
