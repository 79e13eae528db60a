"""Draw how many facts stood in each tier over time: areas, one upon the other."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

_WIDTH = 860
#: Room for the numbers on the left, above, on the right, and for the dates below.
_LEFT, _TOP, _RIGHT, _BELOW = 48, 8, 4, 24
#: How many points are drawn and how many dates are written at most.
_POINTS, _DATES = 120, 6


def tier_areas(
    dates: Sequence[str], tiers: Sequence[tuple[str, Sequence[int]]], height: int
) -> str:
    """Draw tiers as areas; the first one lies at the bottom.

    Dates go from the oldest on; a tier has its name, and a count for each date. The height is in the
    picture's own pixels.
    """
    chosen = evenly(len(dates), _POINTS)
    sums = [0] * len(chosen)
    edges: list[tuple[str, int, list[int]]] = []
    for name, row in tiers:
        sums = [under + row[place] for under, place in zip(sums, chosen, strict=True)]
        edges.append((name, row[-1] if row else 0, sums))
    top = max([1, *sums])
    right, bottom = _WIDTH - _RIGHT, height - _BELOW
    across = [
        _LEFT + (right - _LEFT) * number // max(len(chosen) - 1, 1) for number in range(len(chosen))
    ]
    if len(chosen) == 1:
        across, edges = [_LEFT, right], [(name, now, row * 2) for name, now, row in edges]

    def level(count: int) -> int:
        return round(bottom - count * (bottom - _TOP) / top)

    areas = []
    for name, now, row in reversed(edges):  # each one covers what lies below it
        line = "L".join([f"{x} {level(count)}" for x, count in zip(across, row, strict=True)])
        areas.append(
            f'<path class="t-{name}" d="M{_LEFT} {bottom}L{line}V{bottom}z">'
            f"<title>{name}: {now:,} now</title></path>"
        )
    grid = "".join(
        f'<path class="grid" d="M{_LEFT} {level(count)}H{right}"/>'
        f'<text x="{_LEFT - 6}" y="{level(count) + 4}" text-anchor="end">{count:,}</text>'
        for count in steps(top)
    )
    return (
        f'<svg class="areas" viewBox="0 0 {_WIDTH} {height}" role="img"'
        f' aria-label="Facts by tier over time; the table below has the numbers">'
        f"{''.join(areas)}{grid}{_said([dates[place] for place in chosen], across, height - 6)}</svg>"
    )


def evenly(count: int, most: int) -> list[int]:
    """Choose at most so many of some places, the first and the last one among them."""
    points = min(count, most)
    return [(count - 1) * point // max(points - 1, 1) for point in range(points)]


def steps(top: int) -> range:
    """Return round numbers up to another one, six of them at most: 0, 20, 40, 60."""
    unit = 10 ** int(log10(top))
    step = next(one for one in (unit // 5, unit // 2, unit, 2 * unit) if one and top // one <= 5)
    return range(0, top + 1, step)


def _said(dates: Sequence[str], across: Sequence[int], y: int) -> str:
    """Write some of the dates below, each once."""
    chosen = evenly(len(dates), _DATES)
    last = len(chosen) - 1
    anchors = {last: "end", 0: "start"}
    written = ""
    found = []
    for at, place in enumerate(chosen):
        if dates[place] != written:
            written = dates[place]
            found.append(
                f'<text x="{across[place]}" y="{y}" '
                f'text-anchor="{anchors.get(at, "middle")}">{written}</text>'
            )
    return "".join(found)
