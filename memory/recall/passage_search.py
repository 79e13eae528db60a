"""Search the index for a question: look its words up, weigh them, and rank the passages."""

from __future__ import annotations

from ledger.model.record import Record
from memory.recall.index.rows import FACTS_FROM, NUMBERED, PLACES
from memory.recall.index.unspaced import has_unspaced
from memory.recall.query.postings import NEWEST, NO_POSTINGS, TOO_COMMON, Lookups
from memory.recall.query.query_parser import Question, Word, as_indexed, read_question
from memory.recall.query.stopwords import COUNTED, FORMS, MONTHS, StateWords, state_words
from memory.recall.query.widening import EVERYDAY, everyday, related_to, respelled
from memory.recall.rank.bm25 import NAME, RELATED, TOLD, rank, weight_of
from memory.recall.rank.fact_ranking import TOLD as FACTS_TOLD
from memory.recall.rank.fact_ranking import rank_facts
from memory.recall.rank.rank_types import NOTHING, Asked, Ranking, Scored, Term
from memory.recall.recall_values import COMMON_NOTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memory.recall.index.fts_file import Index
    from memory.recall.rank.meaning_store import Meanings

#: How many places are read (words are looked up, the rarest first, and the rest is too common to tell),
#: how many at most of related words, and of words that are all too common.
PLACES_READ, RELATED_READ, COMMON_READ = 4500, 1000, 20_000
#: The number of passages that tell how common a word is.
_TELLING = 1000
#: How sure it is that a word was meant that is spelled nearly like the one that was typed.
#: A short word has many neighbours.
_RESPELLED, _RESPELLED_SHORT, _SHORT = 0.5, 0.25, 5


class Search(Record):
    """What a search gave."""

    ranking: Ranking  #: passages, best first
    facts: tuple[Scored, ...]  #: facts that answer, best first, by their texts alone
    state: StateWords  #: what the question says of the state that it asks for
    notes: tuple[str, ...]  #: what to say of the question
    subject: bool = True  #: it says something else, too
    weights: Mapping[str, float] = {}
    worded: tuple[Scored, ...] = ()  #: all facts with words of it, those that answer among them
    stems: frozenset[str] = frozenset()  #: what was looked for, as the index has it
    typed: tuple[str, ...] = ()  #: what of it is writing without blanks, as it was typed


class _Found(Record):
    """A word of a question with its forms in the index."""

    word: Word  #: of the question
    #: of its forms, or of what it is a misspelling of, those that passages hold
    stems: tuple[str, ...]
    meant: tuple[str, ...]  #: all stems of its forms
    held: int  #: how many passages hold any, about
    order: int  #: its number among the words
    name: bool  #: somebody who speaks is called so
    respelled: bool  #: the stems are not those of the word, but of words spelled nearly so


def search(
    index: Index,
    text: str,
    keeps: Callable[[int], bool] | None = None,
    *,
    lookups: Lookups | None = None,
    explain: bool = False,
    told: int = TOLD,
    meanings: Meanings | None = None,
) -> Search:
    """Rank what answers a question: facts and passages of logs, each for themselves.

    Args:
        index: of the ledger.
        text: as typed; no text is wrong.
        keeps: tells whether a row may be among the hits; None for all.
        lookups: remembers words between questions.
        explain: keep the parts of each score.
        told: so many passages are told at most; 0 to rank facts alone.
        meanings: of the facts; None to weigh words alone.
    """
    lookups = (lookups or Lookups()).of(index)
    question = _question(text, lookups.language)
    state = state_words(question.named)
    notes: list[str] = []
    phrases: list[tuple[str, frozenset[int]]] = []
    for phrase in question.phrases:
        rows = index.matching(lookups.stems(as_indexed(phrase)))
        if rows:
            phrases.append((phrase, rows))
        elif question.alone:
            return Search(
                NOTHING, (), state, (f'nothing has the words "{phrase}" one after the other',)
            )
        else:
            notes.append(f'nothing has "{phrase}" as it stands: its words alone were looked for')
    asked = _asked(lookups, question, phrases, notes)
    if not asked.terms and meanings is None:
        return Search(NOTHING, (), state, tuple(notes))
    outside = [index.matching(lookups.stems(as_indexed(one))) for one in question.unwanted]
    test = _both(keeps, [rows for _, rows in phrases], [rows for rows in outside if rows])
    passages = rank(asked, index.totals, lookups.turns, test, explain, told) if told else NOTHING
    unsaid = state.words | (COUNTED if question.hints & NUMBERED else frozenset())
    for_facts = _for_facts(asked.without(unsaid), index.totals.passages)
    alike = None if meanings is None else meanings.likeness(_meant(question, state))
    worded = rank_facts(for_facts, index.totals, lookups.turns, test, alike)
    subject = any(word.raw not in state.words for word in question.words)
    stems = _stems(lookups, question) if explain else frozenset()
    typed = tuple([word.raw for word in question.words if explain and has_unspaced(word.raw)])
    return Search(
        passages,
        worded[:FACTS_TOLD],
        state,
        tuple(notes),
        subject,
        for_facts.weights,
        worded,
        stems,
        typed,
    )


def _stems(lookups: Lookups, question: Question) -> frozenset[str]:
    """Return what the words of a question are in the index: their forms, and what begins so."""
    found = [_find(lookups, word, 0, []).stems for word in question.words]
    quoted = [lookups.stems(as_indexed(phrase)) for phrase in question.phrases]
    return frozenset([stem for stems in (*found, *quoted) for stem in stems])


def _question(text: str, language: str) -> Question:
    """Read a question in the language of its ledger, or in that which it is asked in."""
    question = read_question(text)
    if not language and text.isascii() and (not question.words or question.small):
        return question
    from memory.recall.query.languages import beginning_of, inflected, plainly, says_nothing, spoken

    language = language or spoken(text)
    question = read_question(plainly(text, language))
    words = [word for word in question.words if not says_nothing(word.raw, language)]
    forms = [
        word
        if word.beginning
        else word._replace(
            forms=(*word.forms, *inflected(word.raw, language)),
            root=beginning_of(word.raw, language),
        )
        for word in words or question.words
    ]
    return question._replace(words=tuple(forms))


def _meant(question: Question, state: StateWords) -> Mapping[str, float]:
    """Return the words of a question that say what it means, with their weights."""
    words = [word.raw for word in question.words if not word.beginning]
    from memory.recall.rank.meaning_store import weighed

    return weighed([word for word in words if word not in state.words] or words)


def _for_facts(asked: Asked, passages: int) -> Asked:
    """Weigh the words of a question as facts need it.

    In a ledger of some size, as a small one does not tell which words are common; and everyday words,
    whose absence says nothing, for less.
    """

    def weighed(raw: str, weight: float, held: int) -> float:
        if passages < _TELLING:
            weight = weight_of(held, _TELLING)
        return weight * (EVERYDAY if everyday(raw) else 1.0)

    terms = tuple(
        [term.of_facts(weighed(term.raw, term.weight, term.held)) for term in asked.terms]
    )
    found = {term.raw: term.weight for term in terms}
    weights = {
        raw: found.get(raw) or weighed(raw, weight, 0) for raw, weight in asked.weights.items()
    }
    total = sum(weights.values()) + sum([term.weight for term in terms if term.raw not in weights])
    return asked._replace(terms=terms, total=total or 1.0, weights=weights)


def _both(
    keeps: Callable[[int], bool] | None, inside: list[frozenset[int]], outside: list[frozenset[int]]
) -> Callable[[int], bool] | None:
    if not inside and not outside:
        return keeps

    def test(row: int) -> bool:
        return (
            all(row in rows for rows in inside)
            and not any(row in rows for rows in outside)
            and (keeps is None or keeps(row))
        )

    return test


def _asked(
    lookups: Lookups,
    question: Question,
    phrases: list[tuple[str, frozenset[int]]],
    notes: list[str],
) -> Asked:
    passages = lookups.index.totals.passages
    lookups.stems(" ".join([form for word in question.words for form in word.forms]))  # all at once
    found = [_find(lookups, word, order, notes) for order, word in enumerate(question.words)]
    date = question.date
    dated = (
        {*MONTHS, date.year, str(date.day), f"{date.day:02d}"} if date.year or date.month else ()
    )
    terms = _whole(lookups, question.names, phrases)
    total = sum([term.weight for term in terms])
    weights: dict[str, float] = {}
    read, room = 0, PLACES_READ
    left = RELATED_READ
    every = {stem for one in found for stem in one.stems}
    for one in sorted(found, key=lambda one: (one.held, one.order)):
        common = any(lookups.count(stem) > TOO_COMMON for stem in one.stems)
        cost = NEWEST if common else one.held
        if not read and common:
            room = COMMON_READ  # nothing in the question is rare
        if read and read + cost > room:
            notes.append(COMMON_NOTES[0] + one.word.raw)
            weights[one.word.raw] = weight = weight_of(min(one.held, passages), passages)
            terms.append(_in_facts_alone(one, weight, lookups.in_facts(one.stems)))
            continue
        read += cost
        if common:
            notes.append(COMMON_NOTES[1] + one.word.raw)
        here = lookups.together(one.stems) if one.stems else NO_POSTINGS
        near: dict[int, float] = {}
        facts_near, logs = near, here.logs
        if not one.name and not one.word.beginning:
            others = [
                stem
                for stem in related_to(lookups, one.word.raw, one.meant)
                if stem not in every and 0 < lookups.count(stem) <= left
            ]
            if others:
                near, facts_near, logs, counted = _near(lookups, others, logs, left)
                left -= counted
        there = here.held or bool(near or facts_near)
        count = min(one.held, passages) if common else here.held
        count = count or len(near) + len(facts_near)
        weight = weight_of(count, passages) * (NAME if one.name else 1.0)
        if there or one.word.raw not in dated:
            weights[one.word.raw] = weight  # a date may be that of the session, and in no text
        if there:
            terms.append(
                Term(one.word.raw, weight, here.rows, near, logs, one.order, one.name,
                     _sureness(one), here.facts, facts_near, count)
            )  # fmt: skip
    terms.sort(key=lambda term: term.order)
    total += sum(weights.values())
    return Asked(tuple(terms), total or 1.0, question.named, question.date, question.hints, weights)


def _in_facts_alone(one: _Found, weight: float, facts: Mapping[int, tuple[int, ...]]) -> Term:
    """Return a word that so many passages have that only facts are looked at for it."""
    return Term(
        one.word.raw, weight, {}, {}, {}, one.order, False, _sureness(one), facts, held=one.held
    )


def _sureness(one: _Found) -> float:
    if not one.respelled:
        return 1.0
    return _RESPELLED_SHORT if len(one.word.raw) <= _SHORT else _RESPELLED


def _find(lookups: Lookups, word: Word, order: int, notes: list[str]) -> _Found:
    """Find what the index has of a word: its forms, what begins so, or what is spelled nearly so."""
    if word.beginning:
        (start,) = word.forms
        stems = lookups.begun(start if start.isascii() else (*lookups.stems(start), start)[0])
    else:
        stems = lookups.stems(" ".join(word.forms))
        stems += tuple([one for root in lookups.stems(word.root) for one in lookups.begun(root)])
    there = tuple([stem for stem in dict.fromkeys(stems) if lookups.count(stem)])
    name, other = lookups.speaks(word.raw), False
    exact = lookups.as_spelled or word.beginning
    if not there and not exact and not related_to(lookups, word.raw, stems):
        there = respelled(lookups, word.raw, stems if word.raw in FORMS else stems[:1])
        other = bool(there)
        if there:
            notes.append(f"looked for {' or '.join(there)} instead of {word.raw}")
    count = sum([lookups.count(stem) for stem in there])
    return _Found(word, there, there or stems, count, order, name, other)


def _whole(
    lookups: Lookups, names: Iterable[str], phrases: list[tuple[str, frozenset[int]]]
) -> list[Term]:
    """Return what has to stand there as a whole: what was quoted, and names of several words."""
    index = lookups.index
    found = list(phrases)
    for name in names:
        rows = index.matching(lookups.stems(name))
        if rows:
            found.append((name, rows))
    return [
        Term(
            f'"{name}"',
            weight_of(len(rows), index.totals.passages),
            {row: (0,) for row in rows if row & PLACES < FACTS_FROM},
            {},
            {},
            -2 * number - 2,
            False,
            facts={row: (0,) for row in rows if row & PLACES >= FACTS_FROM},
            held=len(rows),
        )
        for number, (name, rows) in enumerate(found)
    ]


def _near(
    lookups: Lookups, stems: Iterable[str], logs: Mapping[int, float], room: int
) -> tuple[dict[int, float], dict[int, float], dict[int, float], int]:
    """Count related words as a share of the word itself, as long as there is room."""
    near: dict[int, float] = {}
    facts: dict[int, float] = {}
    by_log = dict(logs)
    read = 0
    for stem in stems:
        count = lookups.count(stem)
        if read + count > room:
            continue
        read += count
        found = lookups.postings(stem)
        for counted, rows in ((near, found.rows), (facts, found.facts)):
            for row, places in rows.items():
                counted[row] = counted.get(row, 0.0) + RELATED * len(places)
        for number, times in found.logs.items():
            by_log[number] = by_log.get(number, 0.0) + RELATED * times
    return near, facts, by_log, read
