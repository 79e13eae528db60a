"""Entities, links and the graph that they make."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from projection.fold.fact_history import Fact, Version
from projection.fold.projection_state import Standing
from projection.graph.graph_neighbours import (
    CROWD_FACTS,
    EDGES,
    Graph,
    entity_names,
    folded,
    instead_of,
    matches_entity,
    matches_tag,
    tags,
)
from tests.conftest import each_row


def fact(id: str, text: str = "", **meta: str) -> Fact:
    """Return a fact that stands."""
    head = Version("0" * 8, text or f"{id}.", "2026-11-21-090000000-0123456789ab")
    return Fact(
        id, "fact", (head,), tuple(meta.items()), "2026-11-21", head.stem, "2026-11-21", 1,
        head.stem, head.stem,
    )  # fmt: skip


# ---- names ----------------------------------------------------------------------------------------


@each_row(
    "value, names",
    [
        ("", ()),
        ("Payments API", ("Payments API",)),
        ("Payments API, Redis", ("Payments API", "Redis")),
        (" payments-api ,Payments API,, Redis,", ("payments-api", "Redis")),
        ("`orders`, [[Redis]], @ada", ("orders", "Redis", "@ada")),
        ("C++, C#, .NET", ("C++", "C#", ".NET")),
        (", ,", ()),
        ("Straße, STRASSE", ("Straße",)),
        ("\uff21cme, acme", ("\uff21cme",)),
    ],
)
def test_names_of_a_footer(value: str, names: tuple[str, ...]) -> None:
    """Names are parted by commas; what people put around them is left out, and each stands once."""
    assert entity_names(fact("a", entity=value)) == names
    assert tags(fact("a", tags=value)) == names
    assert entity_names(fact("a", tags=value)) == ()


def test_names_are_compared_without_what_says_nothing() -> None:
    """Case, width, blanks, hyphens, underscores and a mark before it make no other name; parts do."""
    one = fact("a", entity="Payments API, @ada, C#", tags="#ops, On-Call")
    for name in (
        "payments api",
        "PAYMENTS_API",
        "payments-api",
        "`Payments  API`",
        "[[payments-api]]",
    ):
        assert matches_entity(one, name), name
    for name in ("payments", "API", "", " ", "#", "Payments API, Redis", "C"):
        assert not matches_entity(one, name), name
    assert matches_entity(one, "ada") and matches_entity(one, "c#")
    assert matches_tag(one, "ops") and matches_tag(one, "#OPS") and matches_tag(one, "on call")
    assert not matches_tag(one, "Payments API") and not matches_entity(one, "ops")
    assert not matches_entity(fact("b"), "ada") and not matches_tag(fact("b"), "")


@given(st.text(max_size=30))
def test_folding_twice_changes_nothing(name: str) -> None:
    """The form in which names are compared is its own form."""
    once = folded(name)
    assert folded(once) == once


@given(st.lists(st.text(max_size=8), max_size=5))
def test_a_fact_is_about_each_name_that_it_shows(parts: list[str]) -> None:
    """Every name that is shown finds the fact again; none is shown twice."""
    one = fact("a", entity=",".join(parts))
    shown = entity_names(one)
    assert all(matches_entity(one, name) for name in shown)
    assert len({folded(name) for name in shown}) == len(shown)
    assert {folded(name) for name in shown} == {
        known for part in parts for one_part in part.split(",") if (known := folded(one_part))
    }


# ---- edges ----------------------------------------------------------------------------------------

IDS = tuple("abcdefgh")
NAMES = ("Payments API", "payments-api", "Redis", "orders")


@st.composite
def grounds(draw: st.DrawFn) -> dict[str, Standing]:
    """Facts that name each other and what is not there, share entities and supersede one another."""
    there = draw(st.lists(st.sampled_from(IDS), min_size=1, unique=True))
    found = {}
    others = st.lists(st.sampled_from(IDS), max_size=3)
    for id in there:
        text = "Text " + " ".join(f"[[{other}]]" for other in draw(others))
        meta = {
            "entity": ", ".join(draw(st.lists(st.sampled_from(NAMES), max_size=2))),
            "serves": ", ".join(draw(others)),
            "conflicts": ", ".join(draw(others)),
        }
        old = tuple(sorted({other for other in draw(others) if other < id}))
        found[id] = fact(id, text, **meta)._replace(supersedes=old)
    for id, one in found.items():
        after = tuple(sorted(other for other in found if id in found[other].supersedes))
        found[id] = one._replace(superseded_by=after)
    return {id: Standing(one, "superseded" if one.false else "active") for id, one in found.items()}


_BACK = {"out": "in", "in": "out", "both": "both"}


@given(grounds())
def test_every_edge_has_two_ends(ground: dict[str, Standing]) -> None:
    """Where a leads to b, b leads back to a, by the same kind, in the other direction."""
    graph = Graph(ground)
    for id in IDS:
        for one in graph.neighbours(id):
            assert one.id != id
            back = {(o.kind, o.direction, folded(o.entity), o.id) for o in graph.neighbours(one.id)}
            assert (one.kind, _BACK[one.direction], folded(one.entity), id) in back


@given(grounds(), st.randoms(use_true_random=False))
def test_two_hops_are_neighbours_of_neighbours(
    ground: dict[str, Standing], rng: random.Random
) -> None:
    """What is far is near something near, each once; the order of the facts changes nothing."""
    graph = Graph(ground)
    shuffled = list(ground.items())
    rng.shuffle(shuffled)
    for id in IDS:
        found = graph.links(id)
        near = {one.id for one in found.near}
        assert found.near == graph.neighbours(id)
        assert graph.links(id, hops=1) == found._replace(far=())
        beyond = {two.id for one in near for two in graph.neighbours(one)} - near - {id}
        assert sorted(one.id for one in found.far) == sorted(beyond)
        for one in found.far:
            ways = graph.neighbours(one.via)
            assert one.via in near and one._replace(via="") in ways
        assert Graph(dict(shuffled)).links(id) == found


@given(grounds())
def test_order_ends_in_an_id(ground: dict[str, Standing]) -> None:
    """Edges stand by kind, direction, entity and id, and no two are the same."""
    graph = Graph(ground)
    for id in IDS:
        keys = [
            (EDGES.index(one.kind), ("out", "in", "both").index(one.direction), folded(one.entity), one.id)
            for one in graph.neighbours(id)
        ]  # fmt: skip
        assert keys == sorted(set(keys))


@given(grounds())
def test_what_dangles_and_what_stands_instead(ground: dict[str, Standing]) -> None:
    """An edge to nothing has no standing; in the place of what is superseded stands what is true."""
    for id in IDS:
        for one in Graph(ground).links(id).near:
            assert one.standing == ground.get(one.id)
            assert bool(one.instead) <= bool(one.standing and one.standing.fact.superseded_by)
            for other in one.instead:
                assert not ground[other].fact.false


def test_instead_of_a_chain() -> None:
    """A chain of supersessions ends at what stands; where that is false too, nothing does."""
    chain = {
        "a": fact("a")._replace(superseded_by=("b", "x")),
        "b": fact("b")._replace(superseded_by=("c", "a")),
        "c": fact("c"),
    }
    assert instead_of(chain["a"], chain.get) == ("c",)
    chain["c"] = chain["c"]._replace(invalidated_at="2026-11-21-090000000-0123456789ab")
    assert instead_of(chain["a"], chain.get) == ()
    assert instead_of(chain["c"], chain.get) == ()


def test_a_crowd_is_counted_and_no_edge() -> None:
    """An entity that a hundred facts share joins them; one that more share joins nobody."""
    ground = {
        f"f{n:03}": Standing(fact(f"f{n:03}", entity="All"), "active") for n in range(CROWD_FACTS)
    }
    found = Graph(ground).links("f000")
    assert (len(found.near), found.far, found.crowds) == (CROWD_FACTS - 1, (), ())
    ground["g"] = Standing(fact("g", entity="all, Few"), "active")
    ground["h"] = Standing(fact("h", entity="few"), "active")
    found = Graph(ground).links("g")
    assert [(one.id, one.entity) for one in found.near] == [("h", "Few")]
    assert found.crowds == (("all", CROWD_FACTS + 1),)
    assert Graph(ground, {"few": 500}).links("h").crowds == (("few", 500),)
