"""Compare a question with passages by what they mean, where there are vectors, and rank them again.

The best passages by words are compared with the question in two ways: each as a whole, and, for the
words of the question that a passage lacks, by the nearest word that it has. A passage gains a weighted
sum of both, so that what has the words stays ahead of what only sounds alike. That measured better than
joining two orders by rank; the first way finds more, the second costs no order among the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory.recall.index.rows import PLACE_BITS
from memory.recall.passage_search import PLACES_READ
from memory.recall.query.postings import NO_POSTINGS, Lookups
from memory.recall.query.query_parser import read_question, wanted_text, words_in
from memory.recall.rank.bm25 import NAME, weight_of
from memory.recall.rank.rank_types import Ranking
from memory.recall.rank.vectors import TEXT_CHARS, nearest, similarities

#: What a passage that is alike as a whole gains, and one that has words like all that it lacks: shares of
#: the best score by words.
WHOLE, LACKING = 0.2, 1.5
#: Words less alike than this have nothing to do with each other.
UNLIKE = 0.3
#: What the best passage of a session adds to it, against the best session.
OF_SESSION = 0.3
#: How many passages are compared.
COMPARED = 50


def compared(
    lookups: Lookups, query: str, texts: Mapping[int, str]
) -> dict[int, tuple[float, float]] | None:
    """Return how alike passages are to a question, as `meaning.with_meaning` takes it.

    `lookups` knows what words the passages have; `query` is as typed; `texts` are passages, by row.

    Returns:
        By row, as a whole and in the words that it lacks; None without the extra.
    """
    whole = similarities(wanted_text(query), list(texts.values()))
    words = _telling(lookups, query)
    near = nearest(
        [word for word, _, _ in words], [words_in(text[:TEXT_CHARS]) for text in texts.values()]
    )
    if whole is None or near is None:
        return None
    total = sum([weight for _, weight, _ in words])
    found = {}
    for row, alike, others in zip(texts, whole, near, strict=True):
        there = [(weight, row in rows) for _, weight, rows in words]
        found[row] = alike, lacking(there, others, total)
    return found


def _telling(lookups: Lookups, query: str) -> list[tuple[str, float, Mapping[int, object]]]:
    """Return the words of a question, what each tells, and the passages that have it."""
    passages = lookups.index.totals.passages
    found: list[tuple[str, float, Mapping[int, object]]] = []
    for word in read_question(query).words:
        stems = lookups.stems(" ".join(word.forms))
        held = [stem for stem in dict.fromkeys(stems) if lookups.count(stem)]
        if word.beginning or sum([lookups.count(stem) for stem in held]) > PLACES_READ:
            continue  # no word, or one that tells nothing here
        here = lookups.together(tuple(held)) if held else NO_POSTINGS
        weight = weight_of(here.held, passages) * (NAME if lookups.speaks(word.raw) else 1.0)
        found.append((word.raw, weight, here.rows))
    return found


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
