"""Ask the cache about entities and the neighbours of facts.

Only the facts that an answer is about are read; what is made of them is pure
(`projection.graph.graph_neighbours`, `projection.graph.entities`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.errors import NotFound
from ledger.home import Home
from ledger.model.event import FactCreated, FactHelped, FactUpdated
from memory.cache.cache_file import Cache
from memory.replay.reader_marks import NOTHING_MARKED, marks_at
from projection.fold.decay import Decay
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.fold.tiers import never_decaying, stand
from projection.graph.entities import Entity, EntityView, entities_of, view_of
from projection.graph.fact_links import pointed
from projection.graph.graph_neighbours import (
    CROWD_FACTS,
    Graph,
    Links,
    entity_names,
    folded,
    names_in,
)

#: How many names a hint holds.
NEAR_NAMES = 3


def entities(cache: Cache) -> tuple[Entity, ...]:
    """List all entities, those with most facts first."""
    return entities_of([(names_in(value), facts, false) for value, facts, false in cache.abouts()])


def entity(cache: Cache, name: str) -> EntityView:
    """Gather what memory holds about an entity, in any spelling.

    Raises:
        NotFound: no fact is about it; the hint says which names are spelled alike.
    """
    facts = _Facts(cache)
    values = facts.values.get(folded(name), ())
    if not values:
        raise NotFound(
            f"no fact is about {name.strip() or 'what has no name'}", hint=_hint(cache, name)
        )
    return view_of(name, facts.read(cache.facts_about([value for value, _ in values])))


def links(cache: Cache, fact: str, hops: int = 2, home: Home | None = None) -> Links:
    """Return the neighbourhood of a fact; nothing at all for an id that nobody names.

    `fact` may also be what facts point at in vain; `hops` is 1 to 3; `home` is where logs are read and
    what is gone; the third hop tells commits too, where it is given.
    """
    facts = _Facts(cache)
    pointing: dict[str, list[str]] = {}
    for source, targets in cache.pointing():
        for target in targets.split():
            pointing.setdefault(target, []).append(source)
    ring = {fact}
    for _ in range(hops):
        facts.read(ring)
        further: set[str] = set()
        for one in ring:
            further.update(pointing.get(one, ()))
            standing = facts.known.get(one)
            if standing is not None:
                further.update(pointed(standing.fact))
                further.update(facts.sharing(standing))
                further.update(facts.informing(standing.fact))
        ring |= further
    facts.read(ring)
    facts.read_successors()
    marks = marks_at(home, cache) if home is not None else NOTHING_MARKED
    graph = Graph(facts.known, facts.crowds, marks.on)
    if hops > 2 and home is not None:
        from memory.query.logs_around import commits_of

        graph.add_commits(commits_of(cache, home, graph.serving(fact, hops - 1)))
    return graph.links(fact, hops)


class _Facts:
    """The facts that were read so far.

    Args:
        cache: where they are read.
    """

    def __init__(self, cache: Cache) -> None:
        self.known: dict[str, Standing] = {}
        #: how many facts share an entity, for those that too many share
        self.crowds: dict[str, int] = {}
        #: by the folded name of an entity the footers that hold it, each with its number of facts
        self.values: dict[str, list[tuple[str, int]]] = {}
        self._cache = cache
        self._clock = cache.clock()
        self._lasting = never_decaying(cache.policy)
        self._decay: Decay | None = None
        self._sharing: dict[str, list[str]] = {}
        self._informed: dict[str, set[str]] = {}
        for value, facts, _ in cache.abouts():
            for name in names_in(value):
                self.values.setdefault(folded(name), []).append((value, facts))

    def read(self, facts: Iterable[str]) -> list[Standing]:
        """Read facts that were not read yet; return all of them that there are, by id."""
        found = []
        for fact in sorted(facts):
            standing = self.known.get(fact)
            if standing is None:
                value = self._cache.fact(fact)
                if value is None:
                    continue
                standing = self.known[fact] = self._stand(value)
            found.append(standing)
        return found

    def read_successors(self) -> None:
        """Read what took the place of the superseded among them, to the end."""
        found = list(self.known.values())
        while found:
            news = {new for standing in found for new in standing.fact.superseded_by}
            found = self.read(news - self.known.keys())

    def sharing(self, standing: Standing) -> list[str]:
        """Return the facts that share an entity with one; a crowd is only counted."""
        found: list[str] = []
        for name in entity_names(standing.fact):
            known = folded(name)
            values = self.values[known]
            count = sum(facts for _, facts in values)
            if count > CROWD_FACTS:
                self.crowds[known] = count
            elif known not in self._sharing:
                self._sharing[known] = self._cache.facts_about([value for value, _ in values])
            found += self._sharing.get(known, ())
        return found

    def informing(self, fact: Fact) -> set[str]:
        """Return what may have informed a fact, or be informed by it: what its logs name so."""
        found: set[str] = set()
        for stem in {fact.origin, *(help.stem for help in fact.helps)}:
            found |= self._informed_in(stem)
        return found

    def _informed_in(self, stem: str) -> set[str]:
        """Return what one log names so; a log of many facts is asked for each of them, and read once."""
        known = self._informed.get(stem)
        if known is None:
            entry = self._cache.entry(stem) if stem else None
            acts = entry.acts if entry is not None else ()
            known = {act.id for act in acts if isinstance(act, FactHelped)}
            if len(known) > CROWD_FACTS:
                self.crowds[stem], known = len(known), set()
            if known:
                known |= {act.id for act in acts if isinstance(act, FactCreated | FactUpdated)}
            self._informed[stem] = known
        return known

    def _stand(self, fact: Fact) -> Standing:
        """Place a fact; the page of a faded one asks for the stems of all work logs."""
        cache = self._cache
        standing = stand(fact, self._clock, self._lasting, self._decay)
        if standing.reason and not standing.quarter:
            self._decay = Decay(cache.work_stems(), cache.policy.windows)
            standing = stand(fact, self._clock, self._lasting, self._decay)
        return standing


def _hint(cache: Cache, name: str) -> str:
    """Say which entities have a name that holds this one, or is spelled nearly like it."""
    from projection.text.fuzzy import nearest

    wanted = folded(name)
    known = {folded(one.name): one.name for one in entities(cache)}
    holding = [one for one in known if wanted and f" {wanted} " in f" {one} "]
    alike = dict.fromkeys([*holding, *nearest(wanted, list(known), NEAR_NAMES)])
    if alike:
        return f"did you mean {' or '.join([known[one] for one in list(alike)[:NEAR_NAMES]])}?"
    return "`diurna show --about` lists all" if known else "a fact's footer says `entity: NAME`"
