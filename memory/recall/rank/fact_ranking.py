"""Rank the facts that answer a question: what holds, apart from what was once said.

A fact is one text, so nothing is taken from its neighbours. Its score is BM25 over the whole text, times
how much of the question it covers at all, times how much of it one stretch of the text covers: a long
fact holds every word somewhere, and answers only where they stand together. Its id, entity, tags and
first words say what it is about, and count once more. A question behind which a session used it is a text
of it, too, where it is like the one that is asked (FORMAT.md, W13). Constants are round numbers; none is
fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from memory.recall.index.fts_file import Totals
from memory.recall.index.rows import PLACE_BITS, PLACES, is_question
from memory.recall.query.postings import Turns
from memory.recall.rank.bm25 import RELATED
from memory.recall.rank.rank_types import Asked, Keeps, Plan, Scored, Term, follow

#: Facts differ in length more than passages do, and their length tells nothing good.
K1, B = 1.2, 0.75
#: How much covering the whole question adds, anywhere in the text and in one stretch of it.
COVERAGE, TOGETHER = 1.0, 1.0
#: The number of words in one stretch.
STRETCH = 60
#: How many words at the front of a text say what it is about, and what each adds there.
LEAD, OF_LEAD = 30, 0.5
#: How much a fact gains that means just what the question does, against what all its words tell.
MEANING = 4.0
#: A fact without any word of the question that is less alike than this has nothing to do with it.
UNLIKE = 0.4
#: A question that was asked before covers so much of one at least that asks for the same fact.
ASKED_BEFORE = 0.3
#: How many facts are scored, those that cover most, and how many of them answer.
CANDIDATES, TOLD = 400, 60
IN_ONE_STRETCH = "covered in one stretch"
PARTS = ("words", "word after word", "of the question covered", IN_ONE_STRETCH, "subject")


def rank_facts(
    asked: Asked,
    totals: Totals,
    log_of: Callable[[int], Turns | None],
    keeps: Callable[[int], bool] | None = None,
    alike: Mapping[int, float] | None = None,
) -> tuple[Scored, ...]:
    """Rank the texts of facts that answer a question, best first; ties go to the newer text.

    `log_of` gives a log by its number; `keeps` tells whether a row may be among the hits, None for all.
    `alike` is row -> how alike a text is to the question in meaning, -1 to 1; None to weigh words
    alone.
    """
    average = max(1.0, totals.chars / max(1, totals.passages))
    weights = [term.weight for term in asked.terms]
    plans: dict[int, Plan] = {}
    found = []
    for row, mask in _candidates(asked, keeps, alike or {}):
        log = log_of(row >> PLACE_BITS)
        piece = None if log is None else log.log.at(row & PLACES)
        if piece is None:
            continue
        if mask not in plans:
            plans[mask] = Plan(asked.terms, weights, mask)
        before = is_question(row)  # its length tells nothing, and its first words are about nothing
        norm = K1 if before else K1 * (1 - B + B * piece.chars / average)
        scored = _scored(asked, row, mask, plans[mask], norm, 0 if before else LEAD)
        found.append(
            scored if alike is None else _meant(asked, scored, max(0.0, alike.get(row, 0.0)))
        )
    found.sort(key=lambda one: (-one.score, -one.row))
    return tuple(found)


def _meant(asked: Asked, scored: Scored, alike: float) -> Scored:
    gain = MEANING * asked.total * alike
    parts = (*scored.parts, ("meaning", gain))
    return scored._replace(score=scored.score + gain, parts=parts, alike=alike)


def _candidates(
    asked: Asked, keeps: Callable[[int], bool] | None, alike: Mapping[int, float]
) -> list[tuple[int, int]]:
    """Return the rows of facts that hold or mean most of the question, each with its mask of terms."""
    never = keeps.never if isinstance(keeps, Keeps) else set()
    masks: dict[int, int] = {}
    for number, term in enumerate(asked.terms):
        for bit, rows in ((1 << 2 * number, term.rows), (2 << 2 * number, term.near)):
            for row in rows.keys() - never if never else rows:
                masks[row] = masks.get(row, 0) | bit
    for row, share in alike.items():
        if share >= UNLIKE and row not in never:
            masks.setdefault(row, 0)
    covers = {mask: _cover(asked, mask) for mask in set(masks.values())}
    by_cover: dict[float, list[int]] = {}  # few shares, and thousands of facts
    for row, mask in masks.items():
        by_cover.setdefault(covers[mask] + alike.get(row, 0.0), []).append(row)
    kept: list[tuple[int, int]] = []
    for row in _newest_of_best(by_cover):
        if is_question(row) and covers[masks[row]] < ASKED_BEFORE:
            continue
        if keeps is None or keeps(row):
            kept.append((row, masks[row]))
            if len(kept) == CANDIDATES:
                break
        else:
            never.add(row)
    return kept


def _newest_of_best(by_cover: Mapping[float, list[int]]) -> Iterator[int]:
    for share in sorted(by_cover, reverse=True):
        yield from sorted(by_cover[share], reverse=True)


def _cover(asked: Asked, mask: int, related: float = RELATED) -> float:
    """Return how much of the question some words of it are, 0 to 1; a related one for a share."""
    known = 0.0
    for number, term in enumerate(asked.terms):
        two = mask >> (2 * number) & 3
        if two:
            known += term.weight * term.sure * (1.0 if two & 1 else related)
    return known / asked.total


def _scored(asked: Asked, row: int, mask: int, plan: Plan, norm: float, lead: int) -> Scored:
    words = 0.0
    for weight, places, near in plan.words:
        times = (len(places[row]) if places else 0.0) + (near[row] if near else 0.0)
        words += weight * times / (times + norm)
    words *= K1 + 1
    pairs = sum([weight for a, b, weight in plan.pairs if follow(a[row], b[row])])
    held = [term for number, term in enumerate(asked.terms) if mask >> (2 * number) & 1]
    covered, together = _cover(asked, mask), _stretch(held, row) / asked.total
    subject = OF_LEAD * sum([term.weight for term in held if min(term.rows[row]) < lead])
    score = (words + pairs) * (1 + COVERAGE * covered) * (1 + TOGETHER * together) + subject
    parts = zip(PARTS, (words, pairs, covered, together, subject), strict=True)
    return Scored(row, score, plan.names, tuple(parts), covered, _cover(asked, mask, 1.0))


def _stretch(terms: Sequence[Term], row: int) -> float:
    """Return the most that the different words in one stretch of a text tell together."""
    places = sorted([(at, n) for n, term in enumerate(terms) for at in term.rows[row]])
    best, start = 0.0, 0
    inside = [0] * len(terms)
    told = 0.0
    for at, number in places:
        if not inside[number]:
            told += terms[number].weight
        inside[number] += 1
        while at - places[start][0] > STRETCH:
            gone = places[start][1]
            inside[gone] -= 1
            if not inside[gone]:
                told -= terms[gone].weight
            start += 1
        best = max(best, told)
    return best
