"""Search the index for a question: look its words up, weigh them, and rank facts and passages, each apart.

One way for both: BM25 (Robertson and Zaragoza 2009) against a fixed length, words of the question that
stand side by side, and how much of it a text has. Rules and their weights stand in `memory.recall.rules`.
"""

from __future__ import annotations

from itertools import islice
from math import log

from ledger.model.record import TYPE_CHECKING, Record, tally
from memory.recall.fts_tables import AT_BITS, INSIDE_LETTERS, PLACE_BITS
from memory.recall.question import (
    ENGLISH,
    Word,
    as_indexed,
    bare_words,
    is_everyday,
    read_question,
)
from memory.recall.recall_values import COMMON_NOTES
from memory.recall.rules import ENOUGH, MEANING, RULES, SEEN, TELLING, Scored
from memory.recall.word_lookups import READ, Posted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memory.recall.word_lookups import Lookups

    Keeps = Callable[[int], bool]
    #: A word of a question with its forms in the index, what begins so, or what is spelled nearly so; and
    #: whether another spelling was looked for.
    _Found = tuple[Word, tuple[str, ...], bool]

#: How many texts are scored, those that have most of the question, and how many are told.
CANDIDATES, TOLD, FACTS_TOLD = 200, 200, 60


class Term(Record):
    """One word of a question as facts or passages have it."""

    raw: str  #: as typed
    weight: float  #: how much it tells
    posted: Posted  #: where in texts it stands
    near: set[int]  #: rows of what holds it, or it holds, or is spelled nearly so
    guessed: bool  #: another spelling was looked for


class Search(Record):
    """What a search gave."""

    facts: Iterable[Scored]  #: texts of facts that answer, best first, each made as it is asked for
    passages: tuple[Scored, ...]  #: best first
    notes: tuple[str, ...]  #: what to say of the question
    terms: tuple[Term, ...] = ()  #: its words, as facts have them
    total: float = 0.0  #: what these tell together
    likest: float | None = None  #: how alike the likest fact is in meaning, where that is known


def search(
    lookups: Lookups,
    text: str,
    keeps: Keeps | None = None,
    *,
    told: int = TOLD,
    cosines: Mapping[int, float] | None = None,
) -> Search:
    """Rank what answers a question: facts and passages of logs, each for themselves.

    Args:
        lookups: of the index.
        text: as typed; no text is wrong.
        keeps: tells whether a row may be among the hits; None for all.
        told: so many passages are told at most; 0 to rank facts alone.
        cosines: how alike facts are to the question in meaning, by row; None to weigh words alone.
    """
    question, notes = read_question(text, lookups.language), list[str]()
    lookups.counts.ready(lookups.stems(" ".join([one.indexed for one in question.words])))
    for phrase in question.phrases:
        rows = lookups.index.matching(lookups.stems(as_indexed(phrase)))
        if rows:
            keeps = _both(rows.__contains__, keeps)
        elif question.alone:
            said = f'nothing has the words "{phrase}" one after the other'
            return Search((), (), (said,))
        else:
            notes.append(f'nothing has "{phrase}" as it stands: its words alone were looked for')
    for phrase in question.unwanted:
        rows = lookups.index.matching(lookups.stems(as_indexed(phrase)))
        keeps = _both(rows.__contains__, keeps, without=True) if rows else keeps
    found = [_found(lookups, word, question.language, notes) for word in question.words]
    lookups.places[True].ready([stem for one in found for stem in one[1]])
    terms = [_term(lookups, one, question.language, facts=True) for one in found]
    passages: list[Scored] = []
    if told:
        read = _readable(lookups, found, notes)
        lookups.places[False].ready([stem for one in read for stem in one[1]])
        terms_of = [_term(lookups, one, question.language, facts=False) for one in read]
        passages = [*ranked(lookups, terms_of, keeps)]
        enough = max([one.covered for one in passages], default=0.0) >= ENOUGH
        passages = _around(terms_of, passages) if enough else []
    return Search(
        ranked(lookups, terms, keeps, cosines, FACTS_TOLD), tuple(passages[:told]), tuple(notes),
        tuple(terms), sum({one.raw: one.weight for one in terms}.values()),
        max(cosines.values()) if cosines else None,
    )  # fmt: skip


def weight_of(count: int, texts: int) -> float:
    """Return how much a word tells that so many of all texts hold (BM25's idf, never negative)."""
    return log(1 + (texts - count + 0.5) / (count + 0.5))


def _both(one: Keeps, other: Keeps | None, *, without: bool = False) -> Keeps:
    """Return what tells whether a row is one of some, or of no such, and another one, too."""
    return lambda row: one(row) != without and (other is None or other(row))


def _found(lookups: Lookups, word: Word, language: str, notes: list[str]) -> _Found:
    if word.beginning:
        start = word.indexed
        start = start if start.isascii() else (*lookups.stems(start), start)[0]
        return word, lookups.begun(start), False
    stems = lookups.stems(word.indexed)
    if language != ENGLISH or not word.raw.isascii():
        stems += (*lookups.alike(word.raw), *bare_words(word.raw))
    if lookups.as_spelled or any(lookups.counts[stem] for stem in stems):
        return word, tuple(dict.fromkeys(stems)), False
    if len(stems) == 1 and len(stems[0]) >= INSIDE_LETTERS and (longer := lookups.begun(stems[0])):
        return word, longer, False
    other: tuple[str, ...] = ()
    if not (lookups.inside(word.raw, stems) or is_everyday(word.raw, language)):
        other = lookups.respelled(word.raw, stems)
    if other:
        notes.append(f"looked for {' or '.join(other)} instead of {word.raw}")
    return word, other or stems, bool(other)


def _readable(lookups: Lookups, found: Sequence[_Found], notes: list[str]) -> list[_Found]:
    """Return the words that are read of passages: the rarest, and others as long as there is room."""
    counts = {one: [lookups.counts[stem] for stem in one[1]] for one in found}
    read, kept = 0, set[object]()
    for one in sorted(found, key=lambda one: sum(counts[one])):
        if read and read + sum(counts[one]) > READ:
            notes.append(COMMON_NOTES[0] + one[0].raw)
            continue
        kept.add(one)
        read += sum(counts[one])
        if max(counts[one], default=0) > READ:
            notes.append(COMMON_NOTES[1] + one[0].raw)
    return [one for one in found if one in kept]


def _term(lookups: Lookups, found: _Found, language: str, *, facts: bool) -> Term:
    """Weigh a word as facts, or passages, have it: an everyday one less, as its absence says nothing."""
    (word, stems, guessed), totals = found, lookups.index.totals
    posted, other = lookups.posted(facts, () if guessed else stems), stems if guessed else ()
    texts = totals.facts if facts else totals.passages
    # of passages in English none is looked for inside of others: it joins few words
    if not guessed and len(word.raw) >= INSIDE_LETTERS and (facts or language != ENGLISH):
        if not (word.beginning or lookups.as_spelled):
            other = lookups.inside(word.raw, stems, facts)
    near = lookups.posted(facts, other).rows
    share = RULES.everyday if is_everyday(word.raw, language) else 1.0
    held = min(len(posted.rows) or len(near), texts)
    return Term(word.raw, share * weight_of(held, max(texts, TELLING)), posted, near, guessed)


def ranked(
    lookups: Lookups,
    terms: Sequence[Term],
    keeps: Keeps | None = None,
    cosines: Mapping[int, float] | None = None,
    most: int = CANDIDATES,
) -> Iterator[Scored]:
    """Rank the texts that hold words of a question, best first; ties go to the newer text."""
    rules, total = RULES, sum([term.weight for term in terms]) or 1.0
    rows = _candidates(terms, keeps, cosines or {})
    there = {row: found[1] for row in rows if (found := lookups.index.at(row)) is not None}
    k1, b, inside = rules.k1, rules.b, rules.inside
    norms = {row: k1 * (1 - b + b * one.chars / rules.usual) for row, one in there.items()}
    words, pairs = dict.fromkeys(there, 0.0), dict[int, float]()
    before, had, worth = Posted(set(), []), set[int](), 0.0
    for _, weight, posted, near, _ in terms:
        gain, here = weight * (k1 + 1), there.keys() & posted.rows
        for row in here:
            said = (posted.once or len(posted.at(row)) or 1) + inside * (row in near)
            words[row] += gain * said / (said + norms[row])
        for row in here & had:
            if not {at + 1 for at in before.at(row)}.isdisjoint(posted.at(row)):
                pairs[row] = pairs.get(row, 0.0) + rules.pairs * (worth + weight) / 2
        for row in (there.keys() & near) - posted.rows:
            words[row] += gain * inside / (inside + norms[row])
        before, had, worth = posted, here, weight
    # a fact that has no vector yet is as alike as half of the others
    usual = sorted(cosines.values())[len(cosines) // 2] if cosines else 0.0
    share = rules.meaning * total
    alike = {row: share * max(0.0, cosines.get(row, usual)) for row in there if cosines is not None}

    def scored(score: float, row: int) -> Scored:
        parts = [("words", words[row]), ("word after word", pairs.get(row, 0.0))]
        parts += [(MEANING, alike.get(row, 0.0))] * bool(alike)
        parts += [("listed", rules.listed)] * there[row].listed
        held, covered, heaviest, lacked = list[str](), 0.0, 0.0, 0.0
        for raw, weight, posted, near, guessed in terms:
            has = row in posted.rows
            if has or row in near:
                held.append(raw)
                covered += weight if has else weight * inside
                heaviest = max(heaviest, weight * (inside if guessed else 1.0))
            if weight > lacked and (guessed or not (has or row in near)):
                lacked = weight
        return Scored(row, score, tuple(held), tuple(parts), covered / total, heaviest, lacked)

    sums = [(words[row] + pairs.get(row, 0.0) + alike.get(row, 0.0), row) for row in there]
    scores = [(one * rules.listed if there[row].listed else one, row) for one, row in sums]
    return (scored(*one) for one in sorted(scores, reverse=True)[:most])


def _around(terms: Sequence[Term], found: Sequence[Scored]) -> list[Scored]:
    """Rank passages anew by what is around them: how they begin, their neighbours, and their whole log."""
    logs: dict[int, float] = dict.fromkeys([one.row >> PLACE_BITS for one in found], 0.0)
    for term in terms:
        times = tally([row >> PLACE_BITS for row in term.posted.rows])
        for number in logs.keys() & times.keys():
            logs[number] += term.weight * times[number] / (times[number] + RULES.k1)
    own = {one.row: one.score for one in found}
    beside, scores = {}, {}
    for row, score in own.items():
        near = own.get(row - 1, 0.0) + own.get(row + 1, 0.0)
        far = own.get(row - 2, 0.0) + own.get(row + 2, 0.0)
        beside[row] = RULES.beside * (near + far / 2)
        begins = any(row << AT_BITS in term.posted.at(row) for term in terms)
        scores[row] = (score + beside[row]) * (RULES.begins if begins else 1.0)
    share = RULES.session * max(scores.values()) / (max(logs.values()) or 1.0)
    made = []
    for one in found:
        whole = share * logs[one.row >> PLACE_BITS]
        parts = (*one.parts, ("neighbours", beside[one.row]), ("session", whole))
        made.append(one._replace(score=scores[one.row] + whole, parts=parts))
    return sorted(made, key=lambda one: (-one.score, -one.row))


def _candidates(
    terms: Sequence[Term], keeps: Keeps | None, cosines: Mapping[int, float]
) -> list[int]:
    """Return the rows that have most of a question, the newer first among equals."""
    likest = sorted(cosines, key=lambda row: cosines[row], reverse=True)[:FACTS_TOLD]
    told = dict.fromkeys([row for row in likest if cosines[row] > SEEN], 0.0)
    some = [(term.weight, term.posted.rows) for term in terms]
    some += [(term.weight * RULES.inside, term.near) for term in terms]
    for weight, rows in sorted(some, key=lambda one: len(one[1])):
        both = told.keys() & rows
        # so common a word finds nothing by itself, and what all have tells nothing
        common = keeps is None and CANDIDATES < len(told) < len(rows)
        for row in () if common and len(both) == len(told) else both:
            told[row] += weight
        if not common:
            told |= dict.fromkeys(rows - both, weight)
    least = sorted(told.values())[-CANDIDATES:][0] if told and keeps is None else 0.0
    likely = [row for row, value in told.items() if value >= least]
    best = sorted(sorted(likely, reverse=True), key=told.__getitem__, reverse=True)
    return [*islice(filter(keeps, best) if keeps else best, CANDIDATES)]
