"""Find the neighbours of a fact in the graph of entities, links and supersessions.

Also which entities facts are about. Pure. An entity is a name in the footer `entity` of a fact, several
parted by commas. Names that differ only in case, width, blanks, hyphens or underscores are one:
`Payments API`, `payments-api`.

Edges are supersessions, the footer `conflicts`, what a fact serves, what informed it, links in texts, an
entity that two facts share, unless so many share it that it says nothing, and the commits that a fact is
known to name. What helped in a log informed what was born there, and what else helped in it, unless that
were too many, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ledger.model.record import Record
from projection.document.fact_remarks import PLAIN, Mark, Met, mark_of
from projection.fold.fact_history import Fact
from projection.fold.fact_links import (
    LINK,
    SERVES,
    entity_names,
    folded,
    named,
    served,
)
from projection.fold.falsity import CONFLICTS
from projection.fold.live_view import Standing

SUPERSEDES, INFORMED, ENTITY = "supersedes", "informed-by", "entity"
#: Kinds of edges, in the order in which they are told.
EDGES = (SUPERSEDES, CONFLICTS, SERVES, INFORMED, LINK, ENTITY)
OUT, IN, BOTH = "out", "in", "both"
_DIRECTIONS = (OUT, IN, BOTH)
#: Facts that share an entity, or helped in one log, are neighbours as long as no more than so many do.
CROWD_FACTS = 100
#: So many edges of a fact are printed.
NEAR = 100


class Neighbour(Record):
    """The other end of an edge."""

    id: str  #: of the other fact, or of a commit
    kind: str  #: of the edge, one of `EDGES`
    direction: str  #: `out` from here, `in` from there, or `both`
    entity: str = ""  #: the name of the entity that both share, "" for other kinds
    #: where the other fact stands, None where there is no such fact: the edge dangles
    standing: Standing | None = None
    mark: Mark = PLAIN  #: of the other fact: whether it is closed or false, and what stands instead

    @property
    def instead(self) -> tuple[str, ...]:
        """What stands in its place, where it is superseded."""
        return self.mark.instead


class Links(Record):
    """The neighbourhood of a fact."""

    id: str  #: of the fact
    #: where it stands, None where there is no such fact and others only name it
    standing: Standing | None
    near: tuple[Neighbour, ...]  #: the edges to others, by kind, direction, entity and id
    #: entities that too many facts share to be edges, with how many
    crowds: tuple[tuple[str, int], ...] = ()
    mark: Mark = PLAIN  #: of the fact
    #: how many edges there are beside those that are near, where a part of them was enough
    more: int = 0
    purpose: tuple[str, ...] = ()  #: what it serves, what that serves, and so on to the last


class Graph:
    """The edges among facts.

    Args:
        standings: facts where they stand, by id.
        marked: adds to the mark of a fact what a reader has to know of it beside.
    """

    def __init__(
        self,
        standings: Mapping[str, Standing],
        marked: Callable[[Mark, Fact | None], Mark] = lambda mark, _: mark,
    ) -> None:
        self._marked = marked
        self._standings = standings
        self._edges: dict[str, set[tuple[str, str, str, str]]] = {}
        self._sharing: dict[str, list[str]] = {}
        self._met: Met = {}
        helped: dict[str, list[str]] = {}
        for fact, standing in standings.items():
            for help in standing.fact.helps:
                helped.setdefault(help.stem, []).append(fact)
        for some in helped.values():
            if len(some) > CROWD_FACTS:
                some.clear()
        for fact, standing in standings.items():
            here = standing.fact
            for kind, target in named(here):
                self._join(fact, kind, target)
            for old in here.supersedes:
                self._join(fact, SUPERSEDES, old)
            for new in here.superseded_by:
                self._join(new, SUPERSEDES, fact)
            for other in helped.get(here.origin, ()) if helped else ():
                self._join(fact, INFORMED, other)
            for other in [one for help in here.helps for one in helped[help.stem]]:
                self._join(fact, INFORMED, other, both=True)
            for name in entity_names(here):
                self._sharing.setdefault(folded(name), []).append(fact)

    def links(self, fact: str, most: int | None = None) -> Links:
        """Return what a fact is linked with, and what it is for; `most`: so many edges are enough."""
        found = set(self._edges.get(fact, ()))
        counts = [(name, self._count(name)) for name in self._names(fact)]
        for name in [name for name, count in counts if count <= CROWD_FACTS]:
            found.update((ENTITY, BOTH, name, other) for other in self._sharing[folded(name)])
        edges = sorted(
            [edge for edge in found if edge[3] != fact],
            key=lambda it: (EDGES.index(it[0]), _DIRECTIONS.index(it[1]), folded(it[2]), it[3]),
        )
        near = []
        for kind, direction, entity, other in edges[:most]:
            there = self._standings.get(other)
            near.append(Neighbour(other, kind, direction, entity, there, self._mark(other)))
        crowds = tuple([pair for pair in counts if pair[1] > CROWD_FACTS])
        here, purpose, now = self._standings.get(fact), dict[str, None](), self._fact(fact)
        while now and (up := [one for one in served(now) if one not in (fact, *purpose)]):
            purpose[up[0]], now = None, self._fact(up[0])
        more = len(edges) - len(near)
        return Links(fact, here, tuple(near), crowds, self._mark(fact), more, tuple(purpose))

    def _join(self, source: str, kind: str, target: str, *, both: bool = False) -> None:
        out, back = (BOTH, BOTH) if both or kind == CONFLICTS else (OUT, IN)
        self._edges.setdefault(source, set()).add((kind, out, "", target))
        self._edges.setdefault(target, set()).add((kind, back, "", source))

    def _names(self, fact: str) -> tuple[str, ...]:
        standing = self._standings.get(fact)
        return () if standing is None else entity_names(standing.fact)

    def _count(self, name: str) -> int:
        return len(self._sharing.get(folded(name), ()))

    def _mark(self, name: str) -> Mark:
        fact = self._fact(name)
        return self._marked(mark_of(fact, self._fact, self._met), fact)

    def _fact(self, fact: str) -> Fact | None:
        standing = self._standings.get(fact)
        return None if standing is None else standing.fact
