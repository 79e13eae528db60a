"""Pictures are small, the same for the same values, and say in words what they show."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from projection.graph.fact_links import LINK
from projection.graph.graph_neighbours import ENTITY, SUPERSEDES, Links, Neighbour
from rituals.serve.web.pictures.neighbour_picture import neighbours
from rituals.serve.web.pictures.sparkline_picture import sparkline


def read(picture: str) -> ElementTree.Element:
    """Read a picture as a browser would, strictly."""
    return ElementTree.fromstring(picture)  # noqa: S314 - our own


def address(name: str) -> str:
    """Write an address as pages do; `lost` has no page."""
    return "" if name == "lost" else f"/fact/{name}"


@given(st.lists(st.integers(0, 499), unique=True), st.integers(500, 20_000))
def test_a_bar_stands_for_each_time_of_use(uses: list[int], sessions: int) -> None:
    """As many bars as parts of the ledger with a use; the most used is as high as the picture."""
    picture = read(sparkline(uses, sessions))
    bars = re.findall(r"M(\d+) 18v-(\d+)", picture[0].attrib["d"])
    assert len(bars) == len({number * 24 // sessions for number in uses})
    assert all(0 < int(x) < 72 and 2 <= int(height) <= 18 for x, height in bars)
    assert not uses or max(int(height) for _, height in bars) == 18
    assert picture.attrib["aria-label"] == f"used in {len(uses)} of {sessions} sessions"
    assert len(sparkline(uses, sessions)) < 500


def test_a_fact_that_nobody_used_has_an_empty_line() -> None:
    """Also where there is no session yet."""
    for sessions in (0, 1):
        assert read(sparkline((), sessions))[0].attrib["d"] == ""


def test_neighbours_stand_in_columns_and_lead_to_their_pages() -> None:
    """Itself, one hop, two hops: a node and a link each; an edge to each from what leads there."""
    links = Links(
        "here", None,
        (Neighbour("old", SUPERSEDES, "out"), Neighbour("api", ENTITY, "both", "Payments API"),
         Neighbour("api", LINK, "in")),
        (Neighbour("far", LINK, "out", via="api"), Neighbour("off", LINK, "out", via="nowhere"),
         Neighbour("lost", LINK, "out", via="old")),
    )  # fmt: skip
    drawn = neighbours(links, address)
    picture = read(drawn)
    nodes = [(one.attrib["href"], float(one[1].attrib["cx"])) for one in picture.iter("a")]
    assert [href for href, _ in nodes] == ["/fact/here", "/fact/old", "/fact/api", "/fact/far"]
    assert len({x for _, x in nodes}) == 3
    assert [one.text for one in picture.iter("title")] == ["here", "old", "api", "far", "lost"]
    assert len(list(picture.iter("path"))) == 4
    assert [one.text for one in picture.iter("text") if one.get("class")] == [
        "supersedes →",
        "Payments API –",
    ]
    assert picture.attrib["aria-label"] == "what is linked with here"
    assert drawn == neighbours(links, address)


def test_a_crowd_of_neighbours_is_cut() -> None:
    """The picture stays small; the list beside it has all."""
    near = tuple([Neighbour(f"near-{number}", LINK, "out") for number in range(50)])
    far = tuple([Neighbour(f"far-{number}", LINK, "out", via="near-3") for number in range(50)])
    drawn = neighbours(Links("here", None, near, far), address)
    assert drawn.count("<a ") == 1 + 14 + 16
    assert len(drawn) < 10_000


def test_names_are_escaped_and_cut() -> None:
    """A name is text, however long."""
    hostile = "</text><script>alert(1)</script>" * 9
    links = Links("here", None, (Neighbour("x", ENTITY, "both", hostile),))
    texts = [one.text or "" for one in read(neighbours(links, address)).iter("text")]
    assert any(one.startswith("</text><scr") for one in texts)
    assert all(len(one) <= 25 for one in texts)
