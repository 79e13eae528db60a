"""Draw what is linked with a fact: itself on the left, then what is one hop away, then two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from projection.fold.projection_state import Standing
from projection.graph.graph_neighbours import BOTH, ENTITY, IN, Links, Neighbour

#: How many are drawn of each; the list beside the picture has all.
_NEAR, _FAR = 14, 16
_ROW, _WIDTH = 30, 760
#: Where the three columns stand.
_HERE_X, _NEAR_X, _FAR_X = 12, 290, 552
_NAME_CHARS, _KIND_CHARS = 25, 16
#: About what a character takes, where a name begins beside its dot, and what is left free behind it.
_CHAR, _BESIDE, _FREE = 6.6, 11, 8
_ARROWS = {BOTH: "–", IN: "←"}


def neighbours(links: Links, address: Callable[[str], str]) -> str:
    """Draw the neighbourhood of a fact, from its links two hops far.

    `address` gives that of the page of a fact, "" where there is none.
    """
    near = list({one.id: one for one in links.near[::-1]}.values())[::-1][:_NEAR]
    far = [one for one in links.far if one.via in {other.id for other in near}][:_FAR]
    height = _ROW * max(len(near), len(far), 1)
    places = {links.id: height / 2} | _spread(near, height)
    edges = [_edge(links.id, _HERE_X, height / 2, _NEAR_X, places[one.id]) for one in near]
    edges += [
        _edge(one.via, _NEAR_X, places[one.via], _FAR_X, y, "dim")
        for one, y in zip(far, _spread(far, height).values(), strict=True)
    ]
    nodes = [_node(address, links.id, links.standing, _HERE_X, places[links.id])]
    nodes += [_node(address, one.id, one.standing, _NEAR_X, places[one.id]) for one in near]
    nodes += [
        _node(address, one.id, one.standing, _FAR_X, y)
        for one, y in zip(far, _spread(far, height).values(), strict=True)
    ]
    kinds = [_kind(one, places[one.id]) for one in near]
    return (
        f'<svg class="links" viewBox="0 0 {_WIDTH} {height}" role="group" '
        f'aria-label="what is linked with {escape(links.id)}">{"".join([*edges, *kinds, *nodes])}</svg>'
    )


def _spread(ones: Sequence[Neighbour], height: float) -> dict[str, float]:
    return {one.id: (at + 0.5) * height / len(ones) for at, one in enumerate(ones)}


def _edge(name: str, x: float, y: float, to_x: float, to_y: float, style: str = "") -> str:
    """Draw an edge from behind a name to before a dot."""
    start = x + _BESIDE + _FREE + _CHAR * min(len(name), _NAME_CHARS)
    end = to_x - _FREE
    middle = (start + end) / 2
    drawn = f"M{start:g} {y:.4g}C{middle:g} {y:.4g} {middle:g} {to_y:.4g} {end:g} {to_y:.4g}"
    return f'<path class="{style}" d="{drawn}"/>' if style else f'<path d="{drawn}"/>'


def _kind(one: Neighbour, y: float) -> str:
    said = f"{one.entity if one.kind == ENTITY else one.kind} {_ARROWS.get(one.direction, '→')}"
    return f'<text class="edge" x="{_NEAR_X - 12}" y="{y - 5:.4g}">{_cut(said, _KIND_CHARS)}</text>'


def _node(
    address: Callable[[str], str], name: str, standing: Standing | None, x: float, y: float
) -> str:
    tier = standing.tier if standing else "none"
    drawn = (
        f'<title>{escape(name)}</title><circle class="t-{tier}" cx="{x}" cy="{y:.4g}" r="5"/>'
        f'<text x="{x + _BESIDE}" y="{y + 4:.4g}">{_cut(name, _NAME_CHARS)}</text>'
    )
    to = address(name)
    return f'<a href="{escape(to)}">{drawn}</a>' if to else f"<g>{drawn}</g>"


def _cut(said: str, chars: int) -> str:
    return escape(said if len(said) <= chars else f"{said[: chars - 1]}…")
