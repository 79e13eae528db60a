"""Entities, links and the graph that they make."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projection.fact import Fact, Version
from projection.graph import entity_names, folded, matches_entity, matches_tag, tags


def fact(id: str, text: str = "", **meta: str) -> Fact:
    """Return a fact that stands."""
    head = Version("0" * 8, text or f"{id}.", "2026-11-21-090000000-0123456789ab")
    return Fact(
        id, "fact", (head,), tuple(meta.items()), "2026-11-21", head.stem, "2026-11-21", 1,
        head.stem, head.stem,
    )  # fmt: skip


# ---- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "names"),
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
