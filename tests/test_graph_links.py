"""What a link is in a text, and what a fact names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ledger.model.ids import is_fact_id
from projection.graph.fact_links import links_in, named, pointed, served, serves_in
from tests.conftest import each_row
from tests.test_graph_neighbours import fact

STEM = "2026-11-21-090000000-0123456789ab"


@each_row("text, ids",
    [
        ("See [[a]] and [[b.c-d|the other]], [[a]] again.", ("a", "b.c-d")),
        ("No [a], no [[A]], no [[a b]], no [[]], no [[a\nb]], no [[a--b]].", ()),
        (f"A log is no fact: [[{STEM}]], nor is a day: [[2026-11-21]].", ()),
        ("Escaped \\[[a]], the words of a link [[b]](https://example.invalid), [[[c]]", ("c",)),
        ("`[[a]]` ``x ` [[b]]`` [[c]]", ("c",)),
        ("One back-tick ` hides nothing: [[a]].", ("a",)),
        ("Two `` and one ` are no pair: [[a]].", ("a",)),
        ("A span over `two\nlines [[a]]` ends: [[b]].", ("b",)),
        ("A span ends `with\n\nits paragraph: [[a]]`.", ("a",)),
        ("```\n[[a]]\n```\n[[b]]", ("b",)),
        ("  ~~~~ toml\n  [[a]]\n  ~~~\n  ~~~~\n[[b]]", ("b",)),
        ("- item\n\n  ```sh\n  [[ -f x ]]\n  [[a]]\n  ```\n- [[b]]", ("b",)),
        ("```\nnever closed hides nothing\n[[a]]", ("a",)),
        ("``` one line ``` [[a]]", ("a",)),
        ("]] [[ [[a]] ]]", ("a",)),
        ("[[", ()),
    ],
)  # fmt: skip
def test_links_in(text: str, ids: tuple[str, ...]) -> None:
    """An id in double brackets is a link, but not in code, escaped, or as the words of a link."""
    assert links_in(text) == ids


@each_row(
    "text, ids",
    [
        ("We cache. → serves: goal", ("goal",)),
        ("→ serves: a, b\nMore -> serves: d.", ("a", "b", "d")),
        ("→ serves: [[a]]", ("a",)),
        ("It → serves: the people well", ()),
        ("This serves: goal", ()),
        ("→ serves: a; and more → serves: b", ("b",)),
        ("`→ serves: a`\n```\n→ serves: b\n```\n→ serves: c", ("c",)),
        ("→ serves:", ()),
        ("→ serves: a, b (faithful (port)).", ("a", "b")),
        ("→ serves: a (it goes on", ()),
        ("→ serves: A b", ()),
        ("Done. → serves:\n  goal (it is a claim, not a fact)", ("goal",)),
        ("→ serves: goal (a fix must\n  reach those who\n  run it)\nMore.", ("goal",)),
        ("→ serves: `goal`, `b-c` (`d`)", ("goal", "b-c")),
        ("A `span → serves: a` and → serves: `goal`", ("goal",)),
        ("A `span over\nlines → serves: a`", ()),
        ("→ serves:\n\ngoal", ()),
        ("→ serves:\nThe people.", ()),
    ],
)
def test_serves_in(text: str, ids: tuple[str, ...]) -> None:
    """The end of a line says what the fact serves, but not in code and not where other words stand there."""
    assert serves_in(text) == ids
    one = fact("x", text)
    assert served(one) == ids
    assert {target for kind, target in named(one) if kind == "serves"} == set(ids)
    assert set(ids) <= set(pointed(one))


@given(st.text(alphabet="ab-`~[]|\\ \n(1", max_size=60))
def test_any_text_is_read(text: str) -> None:
    """Whatever a text is, what is found in it are ids that stand in it, each once."""
    found = links_in(text)
    assert len(set(found)) == len(found)
    assert all(is_fact_id(one) and one in text for one in found)


@given(st.lists(st.sampled_from(("a", "b-c", "d.1", "x")), max_size=6))
def test_every_link_is_found(ids: list[str]) -> None:
    """Links between words are found in the order in which they are met."""
    text = " and ".join(f"[[{one}]]" for one in ids)
    assert links_in(text) == tuple(dict.fromkeys(ids))


def test_what_a_fact_names() -> None:
    """Footers and texts name others; a fact does not name itself, and a withheld text names nothing."""
    one = fact("a", "[[a]] [[b]] [[c]]", serves="c, a", conflicts="d e, not an id!", entity="[[f]]")
    assert set(named(one)) == {
        ("serves", "c"), ("conflicts", "d"), ("conflicts", "e"),
        ("conflicts", "not"), ("conflicts", "an"),
        ("link", "b"), ("link", "c"),
    }  # fmt: skip
    assert set(pointed(one._replace(superseded_by=("z",)))) == {
        "b",
        "c",
        "d",
        "e",
        "not",
        "an",
        "z",
    }
    assert named(one._replace(redacted=True)) == tuple(
        edge for edge in named(one) if edge[0] != "link"
    )
