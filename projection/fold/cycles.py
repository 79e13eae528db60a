"""Tell which supersessions close a circle and do not count, at every place of the ledger (F6)."""

from __future__ import annotations

from bisect import bisect_right

from ledger.model.event import FactReinstated, FactSuperseded
from projection.fold.fact import History
from projection.fold.fold import Edge, cut_edges
from projection.fold.truth import Take, takes_in, takes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Cuts:
    """Which supersessions do not count, at every place of a ledger.

    Greedy from old to new, so what is cut stays cut, until a person takes something back. Where no circle
    is, a fact's own history tells all.

    Args:
        histories: of all facts.
    """

    def __init__(self, histories: Mapping[str, History]) -> None:
        edges: list[Edge] = []
        takes: list[tuple[str, Take]] = []
        for fact, history in histories.items():
            for stem, seq, event in history.acts:
                if isinstance(event, FactSuperseded) and event.id == fact:
                    edges.append((stem, seq, fact, event.new))
                elif isinstance(event, FactReinstated):
                    takes += [(stem, take) for take in takes_of(stem, event)]
        self._first = cut_edges(edges)
        self._turns: list[str] = []
        self._later: list[frozenset[Edge]] = []
        if self._first:
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
        takes = takes_in(fact, history)
        if not takes:
            return frozenset()
        own = [
            (stem, seq, fact, event.new)
            for stem, seq, event in history.acts
            if isinstance(event, FactSuperseded) and event.id == fact
        ]
        return cut_edges(own, takes)
