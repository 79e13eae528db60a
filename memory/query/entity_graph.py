"""Ask what facts are linked with, and what they are about: entities in any spelling."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ledger.codec.log import decode
from ledger.errors import NotFound
from ledger.home import Home
from ledger.model.order import is_sealed
from ledger.model.session import WORKING
from memory.cache.cache_file import Cache
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.read_logs import read_bytes
from memory.replay.reader_marks import marks_at
from projection.fold.full_replay import State
from projection.graph.entities import Entity, EntityView, entities_of, view_of
from projection.graph.graph_neighbours import Graph, Links, folded, matches_entity, names_in
from projection.text.claims import commits_in

#: The header key of the commit that a log was written at.
COMMIT_KEY = "commit"
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


def commits_of(cache: Cache, home: Home, facts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the commits of facts by id, those of texts first; a beginning counts as the whole."""
    histories = cache.some_histories(facts)
    stems = sorted({act.stem for history in histories.values() for act in history.acts})
    refs = [cache.log_ref(stem) for stem in stems]
    headers = {
        ref.key: log.get(COMMIT_KEY)
        for ref, data in read_bytes(home, [ref for ref in refs if ref is not None])
        if (log := decode(data, sealed=is_sealed(ref.stem), file=ref.path)[0]).type in WORKING
    }
    named: dict[str, tuple[str, ...]] = {}
    for id, history in histories.items():
        fact = cache.fact(id)
        if fact is not None:
            texts = [] if fact.redacted else [head.text for head in fact.heads]
            commits = [commit for text in texts for commit in commits_in(text)]
            commits += [commit for act in history.acts if (commit := headers.get(act.stem))]
            named[id] = _once(commits)
    return named


def _once(named: list[str]) -> tuple[str, ...]:
    """Return commits, each once, by the longest of its names."""
    longest: dict[str, str] = {}  # by the name that was met first
    for commit in dict.fromkeys(named):
        size = len(commit)
        alike = (key for key, one in longest.items() if one[:size] == commit[: len(one)])
        key = next(alike, commit)
        longest[key] = max(longest.get(key, ""), commit, key=len)
    return tuple(longest.values())


def _hint(cache: Cache, name: str) -> str:
    """Say which entities have a name that holds this one, or is spelled nearly like it."""
    from projection.text.normalize import nearest

    wanted = folded(name)
    known = {folded(one.name): one.name for one in entities(cache)}
    holding = [one for one in known if wanted and f" {wanted} " in f" {one} "]
    alike = dict.fromkeys([*holding, *nearest(wanted, list(known), NEAR_NAMES)])
    if alike:
        return f"did you mean {' or '.join([known[one] for one in list(alike)[:NEAR_NAMES]])}?"
    return "`diurna show --about` lists all" if known else "a fact's footer says `entity: NAME`"
