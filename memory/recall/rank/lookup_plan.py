"""Plan what is to be looked up of all passages that hold the same words of a question."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.recall.rank.rank_types import Term


#: What a session takes from the better one of those beside it: what is talked of one day is so the next.
NEXT = 0.1
#: Words follow each other if so few others stand between them, and themselves.
NEAR = 3


class Plan:
    """What is to be looked up of all passages that hold the same words.

    Args:
        terms: of the question.
        weights: of them.
        mask: which of them are held.
    """

    __slots__ = ("names", "pairs", "words")

    def __init__(self, terms: Sequence[Term], weights: Sequence[float], mask: int) -> None:
        held = [(n, mask >> (2 * n) & 3) for n in range(len(terms))]
        self.words = [
            (weights[n], terms[n].rows if two & 1 else None, terms[n].near if two & 2 else None)
            for n, two in held
            if two
        ]
        self.names = tuple([terms[n].raw for n, two in held if two])
        itself = [n for n, two in held if two & 1]
        self.pairs = [
            (terms[a].rows, terms[b].rows, (weights[a] + weights[b]) / 2)
            for a in itself
            for b in itself
            if terms[a].order + 1 == terms[b].order and terms[a].order >= 0
        ]


def follow(places: Sequence[int], others: Sequence[int]) -> bool:
    """Tell whether one of the others stands close behind one of the places."""
    for other in others:
        for place in places:
            if 0 < other - place <= NEAR:
                return True
    return False


def next_to(logs: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Add to logs, in their order, a share of the better one before or behind; return the best first."""
    sides = [0.0, *[score for _, score in logs], 0.0]
    found = [
        (number, score + NEXT * max(before, behind))
        for (number, score), before, behind in zip(logs, sides, sides[2:], strict=False)
    ]
    found.sort(key=lambda pair: (-pair[1], -pair[0]))
    return found
