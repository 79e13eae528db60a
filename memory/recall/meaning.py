"""Meaning: what likeness of meaning adds to a ranking by words, as a pure function.

The best passages by words are compared with the question, and each gains by how alike it is: a weighted
sum, so that what has the words stays ahead of what only sounds alike. It measured better than joining the
two orders by rank.
"""

from __future__ import annotations

from memory.recall.index import PLACE_BITS
from memory.recall.ranked import Ranking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: What the likest passage would gain, against the best score by words.
MEANING = 0.7
#: So many passages are compared.
COMPARED = 50


def with_meaning(ranking: Ranking, alike: Mapping[int, float]) -> Ranking:
    """Rank again by words and meaning together.

    Args:
        ranking: by words.
        alike: how alike to the question passages are, -1 to 1, by row; others gain nothing.
    """
    if not ranking.passages:
        return ranking
    unit = MEANING * ranking.passages[0].score
    passages = []
    of_log: dict[int, float] = {}
    for one in ranking.passages:
        if one.row in alike:
            gain = unit * max(0.0, alike[one.row])
            one = one._replace(score=one.score + gain, parts=(*one.parts, ("meaning", gain)))
        passages.append(one)
        number = one.row >> PLACE_BITS
        of_log[number] = max(of_log.get(number, 0.0), one.score)
    passages.sort(key=lambda one: (-one.score, one.row))
    best = MEANING * (ranking.sessions[0][1] if ranking.sessions else 0.0) / passages[0].score
    logs = [(number, score + best * of_log.get(number, 0.0)) for number, score in ranking.sessions]
    logs.sort(key=lambda pair: (-pair[1], pair[0]))
    return Ranking(tuple(passages), tuple(logs))
