"""Compare a question with passages by what they mean, where there are vectors."""

from __future__ import annotations

from collections.abc import Mapping

from memory.recall.passage_search import PLACES_READ
from memory.recall.query.postings import NO_POSTINGS, Lookups
from memory.recall.query.query_parser import read_question, wanted_text, words_in
from memory.recall.rank.bm25 import NAME, weight_of
from memory.recall.rank.fuse import lacking
from memory.recall.rank.vectors import TEXT_CHARS, nearest, similarities


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
