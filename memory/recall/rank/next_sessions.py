"""Let sessions that lie next to each other in time answer together."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: What a session takes from the better one of those beside it: what is talked of one day is so the next.
NEXT = 0.1


def next_to(logs: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Add to logs, in their order, a share of the better one before or behind; return the best first."""
    sides = [0.0, *[score for _, score in logs], 0.0]
    found = [
        (number, score + NEXT * max(before, behind))
        for (number, score), before, behind in zip(logs, sides, sides[2:], strict=False)
    ]
    found.sort(key=lambda pair: (-pair[1], -pair[0]))
    return found
