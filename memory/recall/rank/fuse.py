"""Add likeness of meaning to a ranking by words, as a pure function.

The best passages by words are compared with the question in two ways: each as a whole, and, for the
words of the question that a passage lacks, by the nearest word that it has. A passage gains a weighted
sum of both, so that what has the words stays ahead of what only sounds alike. That measured better than
joining two orders by rank; the first way finds more, the second costs no order among the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory.recall.index.rows import PLACE_BITS
from memory.recall.rank.rank_types import Ranking

#: What a passage that is alike as a whole gains, and one that has words like all that it lacks: shares of
#: the best score by words.
WHOLE, LACKING = 0.2, 1.5
#: Words less alike than this have nothing to do with each other.
UNLIKE = 0.3
#: What the best passage of a session adds to it, against the best session.
OF_SESSION = 0.3
#: How many passages are compared.
COMPARED = 50


def lacking(words: Iterable[tuple[float, bool]], nearest: Iterable[float], total: float) -> float:
    """Return how much of a question a passage says in other words, 0 to 1.

    Args:
        words: of the question: how much each tells, and whether the passage has it.
        nearest: how alike the nearest word of the passage is to each, -1 to 1.
        total: what all words of the question tell.
    """
    said = [
        weight * (alike - UNLIKE)
        for (weight, there), alike in zip(words, nearest, strict=True)
        if not there and alike > UNLIKE
    ]
    return sum(said) / total if total else 0.0


def with_meaning(ranking: Ranking, alike: Mapping[int, tuple[float, float]]) -> Ranking:
    """Rank again by words and meaning together.

    Args:
        ranking: by words.
        alike: by row, how alike a passage is to the question as a whole, -1 to 1, and in the words that it
            lacks, 0 to 1; others gain nothing.
    """
    if not ranking.passages:
        return ranking
    top = ranking.passages[0].score
    passages = []
    of_log: dict[int, float] = {}
    for one in ranking.passages:
        if one.row in alike:
            whole, other = alike[one.row]
            gains = (
                ("meaning", top * WHOLE * max(0.0, whole)),
                ("other words", top * LACKING * other),
            )
            score = one.score + gains[0][1] + gains[1][1]
            one = one._replace(score=score, parts=(*one.parts, *gains))
        passages.append(one)
        number = one.row >> PLACE_BITS
        of_log[number] = max(of_log.get(number, 0.0), one.score)
    passages.sort(key=lambda one: (-one.score, one.row))
    best = OF_SESSION * (ranking.sessions[0][1] if ranking.sessions else 0.0) / passages[0].score
    logs = [(number, score + best * of_log.get(number, 0.0)) for number, score in ranking.sessions]
    logs.sort(key=lambda pair: (-pair[1], pair[0]))
    return Ranking(tuple(passages), tuple(logs))
