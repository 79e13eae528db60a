"""Ask what facts are linked with, and what they are about: entities in any spelling."""

from __future__ import annotations

from functools import partial

from ledger.errors import NotFound
from memory.cache.cache_file import Cache
from memory.query.logs_around import commits_of
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.reader_marks import marks_at
from projection.fold.full_replay import State
from projection.graph.entities import Entity, EntityView, entities_of, view_of
from projection.graph.graph_neighbours import Graph, Links, folded, matches_entity, names_in

#: How many names a hint holds.
NEAR_NAMES = 3


def entities(cache: Cache) -> tuple[Entity, ...]:
    """List all entities, those with most facts first."""
    return entities_of([(names_in(value), facts, false) for value, facts, false in cache.abouts()])


def entity(cache: Cache, state: State, name: str) -> EntityView:
    """Gather what memory holds about an entity, in any spelling.

    Raises:
        NotFound: no fact is about it; the hint says which names are spelled alike.
    """
    about = [one for one in state.standings() if matches_entity(one.fact, name)]
    if not about:
        said = f"no fact is about {name.strip() or 'what has no name'}"
        raise NotFound(said, hint=_hint(cache, name))
    return view_of(name, about)


def links(snapshot: Snapshot, state: State, fact: str, hops: int = 2) -> Links:
    """Return the neighbourhood of a fact; nothing at all for an id that nobody names.

    `fact` may also be what facts point at in vain; `hops` is 1 to 3; the third tells commits too.
    """
    marks = snapshot.ask(partial(marks_at, snapshot.home))
    graph = Graph({one.fact.id: one for one in state.standings()}, marks.on)
    if hops > 2:
        served = graph.serving(fact, hops - 1)
        graph.add_commits(snapshot.ask(lambda cache: commits_of(cache, snapshot.home, served)))
    return graph.links(fact, hops)


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
