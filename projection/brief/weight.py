"""Weigh facts by what somebody said they are worth, by when they were used last, and by what is near.

Half of a weight is the footer `salience`, half is recency, whose half-life is counted in work days,
and what has to do with the branch or the changed files gets up to three tenths more. Whole numbers only,
so the order is the same everywhere. Tiers know nothing of it.
"""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from projection.fold.fact_history import Fact

SALIENCE = "salience"
_LEAST, USUAL, _MOST = 1, 5, 10
#: How many work days halve what recency counts, and behind how many it hardly does.
HALF_LIFE = 8
DAYS = 8 * HALF_LIFE
_DAY_CHARS = 10
_SALIENCE_SHARE, _RECENCY_SHARE, _NEAR_SHARE = 500_000, 500_000, 300_000
#: 2 to the power of -n/8, in millionths.
_DECAY = (1_000_000, 917_004, 840_896, 771_105, 707_107, 648_420, 594_604, 545_254)
#: How fast nearness falls with the place among what is near: the k of `projection.brief.relevance`.
_K = 60


def weights(
    facts: Iterable[Fact], days: Sequence[str], score: Mapping[str, float]
) -> dict[str, int]:
    """Return the weight of each fact, by id.

    `days` are the newest that have a work log, at least `DAYS` where there are so many, oldest first;
    `score` is how much a fact has to do with what is about to be done, by id.
    """
    near = sorted(score, key=lambda fact: (-score[fact], fact))
    nearness = {fact: _NEAR_SHARE * _K // (_K + place) for place, fact in enumerate(near)}
    found = {}
    for fact in facts:
        age = len(days) - bisect_right(days, fact.anchor[:_DAY_CHARS])
        worth = _SALIENCE_SHARE * salience(fact) // _MOST
        found[fact.id] = (
            worth + _RECENCY_SHARE * recency(age) // 1_000_000 + nearness.get(fact.id, 0)
        )
    return found


def salience(fact: Fact) -> int:
    """Return what a fact's footer says it is worth, from 1 to 10; 5 where it says nothing of the sort."""
    for key, value in fact.meta:
        if key == SALIENCE and value.isascii() and value.isdigit():
            return min(_MOST, max(_LEAST, int(value[:9])))
    return USUAL


def recency(age: int) -> int:
    """Return what is left of a million after so many work days."""
    age = min(age, DAYS)
    return _DECAY[age % HALF_LIFE] >> age // HALF_LIFE
