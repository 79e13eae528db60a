"""Find the circles of a graph, in time that grows with it and no faster, however deep it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def circles(follows: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return each node that lies on a circle, with a number that the nodes of its circles share.

    Tarjan's algorithm for strongly connected components (1972), with a stack of its own. `follows` is
    what each node leads to; what leads nowhere may be left out.
    """
    search = _Search(follows)
    for start in follows:
        if start not in search.order:
            search.walk_from(start)
    return search.found


class _Search:
    """One search through a graph: the nodes met, in their order, and the way that is open."""

    def __init__(self, follows: Mapping[str, Sequence[str]]) -> None:
        self._follows = follows
        self.found: dict[str, int] = {}
        self.order: dict[str, int] = {}
        self._low: dict[str, int] = {}
        self._open: dict[str, None] = {}

    def walk_from(self, start: str) -> None:
        """Visit all that can be reached from a node and was not met before."""
        way = [self._enter(start)]
        while way:
            node, ahead = way[-1]
            other = next(ahead, None)
            if other is None:
                way.pop()
                if way:
                    above = way[-1][0]
                    self._low[above] = min(self._low[above], self._low[node])
                if self._low[node] == self.order[node]:
                    self._leave(node)
            elif other not in self.order:
                way.append(self._enter(other))
            elif other in self._open:
                self._low[node] = min(self._low[node], self.order[other])

    def _enter(self, node: str) -> tuple[str, Iterator[str]]:
        self.order[node] = self._low[node] = len(self.order)
        self._open[node] = None
        return node, iter(self._follows.get(node, ()))

    def _leave(self, node: str) -> None:
        """Take a component off the way that is open; one node alone is a circle if it leads to itself."""
        members: list[str] = []
        while not members or members[-1] != node:
            members.append(self._open.popitem()[0])
        if len(members) > 1 or node in self._follows.get(node, ()):
            self.found.update(dict.fromkeys(members, self.order[node]))
