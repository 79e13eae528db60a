"""Ask what facts are linked with, and what they are about: entities in any spelling."""

from __future__ import annotations

from ledger.errors import NotFound
from memory.cache.cache_file import Cache
from memory.replay.reader_marks import marks_at
from projection.graph.entities import Entity, EntityView, entities_of, view_of
from projection.graph.graph_neighbours import Graph, Links, matches_entity, names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.reader import Reader


def entities(cache: Cache) -> tuple[Entity, ...]:
    """List all entities, those with most facts first."""
    return entities_of([(names_in(value), facts, false) for value, facts, false in cache.abouts()])


def entity(reader: Reader, name: str) -> EntityView:
    """Gather what memory holds about an entity, in any spelling.

    Raises:
        NotFound: no fact is about it.
    """
    about = [one for one in reader.state().standings() if matches_entity(one.fact, name)]
    if not about:
        said = f"no fact is about {name.strip() or 'what has no name'}"
        raise NotFound(
            said, hint="`diurna show --about` lists all; a fact's footer says `entity: NAME`"
        )
    return view_of(name, about)


def links(reader: Reader, fact: str) -> Links:
    """Return what is one hop away from a fact, and what is two.

    `fact` is its id, or the start of it; also what facts name and that does not exist.

    Raises:
        NotFound: there is no such fact and nothing names it.
    """
    marks = reader.ask(lambda cache: marks_at(reader.home, cache))
    graph = Graph({one.fact.id: one for one in reader.state().standings()}, marks.on)
    found = graph.links(reader.named(fact))
    if found.standing is None and not found.near:
        raise NotFound(f"there is no fact {fact}", hint=reader.near_hint(fact))
    return found
