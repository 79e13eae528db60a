"""Searching: a question put to the index: its words looked up, weighed, and ranked."""

from __future__ import annotations

from ledger.values import Record
from memory.recall.question import Question, read_question
from memory.recall.rank import NAME, Asked, Ranking, Term, rank, weight_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory.recall.index import Index
    from memory.recall.question import Word

#: Words are looked up, the rarest first, until so many places are read: the rest is too common to tell.
PLACES_READ = 8000
#: Words of at least so many letters may be misspelled.
_SPELLED_FROM = 4


class Search(Record):
    """What a search gave: passages best first, and what to say of the question."""

    ranking: Ranking
    notes: tuple[str, ...]


def search(index: Index, text: str, keeps: Callable[[int], bool] | None = None) -> Search:
    """Rank what answers a question.

    Args:
        index: of the ledger.
        text: as typed.
        keeps: tells whether a row may be among the hits; None for all.
    """
    question = read_question(text)
    notes: list[str] = []
    asked = _asked(index, question, notes)
    if not asked.terms:
        return Search(Ranking((), ()), tuple(notes))
    inside = [index.matching(index.stems(phrase)) for phrase in question.phrases]
    outside = [index.matching(index.stems(phrase)) for phrase in question.unwanted]
    tests = keeps

    if inside or outside:

        def tests(row: int) -> bool:
            return (
                all(row in rows for rows in inside)
                and not any(row in rows for rows in outside)
                and (keeps is None or keeps(row))
            )

    return Search(rank(asked, index.totals, index.log, tests), tuple(notes))


def _asked(index: Index, question: Question, notes: list[str]) -> Asked:
    passages = index.totals.passages
    counted: list[tuple[int, int, Word, tuple[str, ...]]] = []
    total = 0.0
    for order, word in enumerate(question.words):
        stems, count = _stems(index, word, notes)
        name = index.speaks(word.raw)
        total += weight_of(count, passages) * (NAME if name else 1.0)
        if count:
            counted.append((count, order, word, stems))
    terms: list[Term] = []
    read = 0
    for count, order, word, stems in sorted(counted):
        if terms and read + count > PLACES_READ:
            notes.append(f"too common to tell anything here: {word.raw}")
            continue
        read += count
        found = index.found(stems[0])
        if len(stems) > 1:
            found = sorted([place for stem in stems for place in index.found(stem)])
            count = len({row for row, _ in found})
        name = index.speaks(word.raw)
        weight = weight_of(count, passages) * (NAME if name else 1.0)
        terms.append(Term(word.raw, weight, found, count, order, name))
    terms.sort(key=lambda term: term.order)
    return Asked(
        tuple(terms), total or 1.0, question.named, question.year, question.month, question.day
    )


def _stems(index: Index, word: Word, notes: list[str]) -> tuple[tuple[str, ...], int]:
    """Return the words of the index that count as one of the question, and how many passages have them."""
    if word.beginning:
        found = index.beginning(word.raw)
        return tuple([stem for stem, _ in found]), sum([count for _, count in found])
    stems = {stem: index.count(stem) for stem in index.stems(" ".join(word.forms))}
    there = tuple([stem for stem, count in stems.items() if count])
    return there, sum(stems.values())
