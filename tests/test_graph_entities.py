"""What memory holds about an entity, and the summary that is made of it."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from projection.fold.fact_history import Version
from projection.fold.projection_state import Standing
from projection.graph.entities import Entity, entities_of, summarised, view_of
from projection.graph.graph_neighbours import names_in
from tests.test_graph_neighbours import fact


def stands(
    id: str, text: str = "", created: str = "2026-11-21", uses: int = 1, about: str = "Redis"
) -> Standing:
    """Return a live fact."""
    one = fact(id, text, entity=about)
    return Standing(one._replace(created=created, uses=uses), "active")


def test_entities_are_counted_over_all_spellings() -> None:
    """Spellings of one name are one entity, shown as most often written; most facts first."""
    counts = [
        ("Payments API, Redis", 2, 1),
        ("payments-api", 3, 0),
        ("redis", 2, 0),
        ("orders", 4, 4),
    ]
    found = entities_of([(names_in(value), facts, false) for value, facts, false in counts])
    assert found == (
        Entity("payments-api", 5, 1, ("payments-api", "Payments API")),
        Entity("orders", 4, 4, ("orders",)),
        Entity("Redis", 4, 1, ("Redis", "redis")),
    )
    assert entities_of([]) == ()


def test_summary_says_what_stands_newest_and_most_used_first() -> None:
    """Ranks of age and of use are added; three lines; what is archived, done or withheld is left out."""
    old = stands("old", "Old and used.", "2026-01-01", 9)
    new = stands("new", "New and used.", "2026-11-20", 9)
    fresh = stands("fresh", "Newest, unused.", "2026-11-21", 0)
    idle = stands("idle", "Old, unused.", "2026-01-01", 0)
    gone = stands("gone", "Gone.", "2026-11-21", 99)._replace(tier="archived", reason="faded")
    done = stands("done", "Done.", "2026-11-21", 99)
    done = done._replace(fact=done.fact._replace(closed=True))
    hidden = stands("hidden", "Hidden.", "2026-11-21", 99)
    hidden = hidden._replace(fact=hidden.fact._replace(redacted=True))
    everything = [idle, old, gone, fresh, done, new, hidden]
    assert summarised(everything) == ("New and used.", "Newest, unused.", "Old and used.")
    assert summarised([gone, done, hidden]) == ()
    # a reworded fact is as new as its text, an imported one as old as its birth
    reworded = idle.fact.heads[0]._replace(parents=("0" * 8,))
    idle = idle._replace(fact=idle.fact._replace(heads=(reworded,), uses=9))
    assert summarised([idle, old, new])[0] == "Old, unused."


def test_a_dispute_is_said_with_every_side() -> None:
    """No side of a contradiction is chosen."""
    one = stands("a")
    two = Version("1" * 8, "The other side.", "2026-11-21-100000000-0123456789ab")
    one = one._replace(fact=one.fact._replace(heads=(*one.fact.heads, two)))
    assert summarised([one]) == ("a. / The other side.",)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdefgh"), st.sampled_from(("2026-01-01", "2026-11-20", "2026-11-21")),
            st.integers(0, 3), st.booleans(), st.sampled_from(("Redis", "redis", "x, REDIS")),
        ),
        min_size=1, unique_by=lambda row: row[0],
    ),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_a_view_is_a_function_of_the_set(
    rows: list[tuple[str, str, int, bool, str]], rng: random.Random
) -> None:
    """Every fact stands in it once, the live ones first, newest first; arrival does not matter."""
    standings = [
        stands(id, "", created, uses, about)._replace(reason="" if live else "faded")
        for id, created, uses, live, about in rows
    ]
    found = view_of("redis", standings)
    rng.shuffle(standings)
    assert view_of("REDIS", standings) == found
    assert sorted(one.fact.id for one in found.standings) == sorted(row[0] for row in rows)
    assert sum(count for _, count in found.kinds) == len(rows)
    for part in (True, False):
        dates = [one.fact.created for one in found.standings if one.live == part]
        assert dates == sorted(dates, reverse=True)
    assert [one.live for one in found.standings] == sorted([row[3] for row in rows], reverse=True)
    assert {line[0] for line in found.summary} <= {row[0] for row in rows if row[3]}
