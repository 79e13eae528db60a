"""The cache knows of links and entities what a replay says."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.codec.log import entry_of
from ledger.model.event import (
    Event,
    FactCreated,
    FactHelped,
    FactInvalidated,
    FactRedacted,
    FactSuperseded,
    FactUpdated,
)
from ledger.model.layout import log_path
from ledger.model.logset import LogRef
from ledger.model.session import Entry, SessionLog
from ledger.model.sha256 import blob_id
from memory.cache.rebuild import build
from memory.query.entity_graph import entities, entity, links
from memory.replay.replayed_state import state_from
from projection.graph.entities import view_of
from projection.graph.graph_neighbours import Graph, folded, matches_entity
from projection.policy.model import Policy, Windows
from tests.conftest import examples

IDS = tuple("abcdefg")
META = st.sampled_from(
    (
        (), (("entity", "Payments API, Redis"),), (("entity", "payments-api"),), (("serves", "a"),),
        (("entity", "redis"), ("conflicts", "b c")), (("kind", "decision"), ("entity", " ,REDIS,")),
    )
)  # fmt: skip
TEXTS = st.sampled_from(
    (
        "Plain.",
        "See [[a]] and [[z]].",
        "`[[b]]` [[c|it]]",
        "[[d]] [[e]] [[f]]",
        "So. → serves: c, d",
    )
)
ids = st.sampled_from(IDS)
acts = st.one_of(
    st.builds(FactCreated, ids, TEXTS, st.just(""), META),
    st.builds(FactCreated, ids, TEXTS, st.just(""), META),
    st.builds(FactUpdated, ids, TEXTS, st.none(), st.just(""), META),
    st.builds(FactSuperseded, ids, st.sampled_from((*IDS, "y"))).filter(lambda one: one.id != one.new),
    st.builds(lambda id: _any(FactInvalidated(id)), ids),
    st.builds(lambda id: _any(FactHelped(id, "src/a.py:7")), ids),
    st.builds(lambda id: _any(FactRedacted(id)), ids),
)  # fmt: skip


def _any(event: Event) -> Event:
    return event


def logged(number: int, events: list[Event]) -> tuple[LogRef, Entry]:
    """Return a log and what the fold gets of it."""
    stem = f"2026-11-21-10{number:02}00000-0123456789ab"
    data = f"{number}".encode()
    return LogRef(stem, log_path(stem), blob_id(data)), entry_of(
        stem, SessionLog((("agent", "ada"),), "T", "", tuple(events))
    )


@settings(max_examples=examples(10, 30))
@given(
    st.lists(st.lists(acts, max_size=4, unique=True), min_size=1, max_size=12),
    st.integers(0, 12),
    st.randoms(use_true_random=False),
)
def test_the_cache_answers_as_a_replay(
    ledger: list[list[Event]], cold: int, rng: random.Random
) -> None:
    """Read cold, or log by log in any order: neighbours and entities are those of all facts together."""
    logs = [logged(number, events) for number, events in enumerate(ledger)]
    policy = Policy(project="links", windows=Windows(1, 2, 3))
    state = state_from([ref for ref, _ in logs], [entry for _, entry in logs], policy)
    rng.shuffle(logs)
    first, later = logs[:cold], logs[cold:]
    cache = build(
        "", "0", [ref for ref, _ in first], [entry for _, entry in first], (), ("", policy, "")
    )
    for number, (ref, entry) in enumerate(later):
        assert cache.advance(str(number), str(number + 1), [ref], [entry], ())
    standings = {one.fact.id: one for one in state.standings()}
    graph = Graph(standings)
    for hops in (1, 2, 3):
        for id in (*IDS, "y", "z", "nobody"):
            assert links(cache, id, hops) == graph.links(id, hops)
    known = {folded(one.name): one for one in entities(cache)}
    for name in ("payments_api", "Redis"):
        about = [one for one in standings.values() if matches_entity(one.fact, name)]
        assert (folded(name) in known) == bool(about)
        if about:
            assert entity(cache, name) == view_of(name, about)
            one = known[folded(name)]
            assert (one.facts, one.false) == (len(about), sum(s.fact.false for s in about))
    cache.close()
