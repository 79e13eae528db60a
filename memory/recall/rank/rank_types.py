"""Define what a ranking takes and gives: the words of a question as the index has them, and scores.

And what passages that hold the same words of a question are asked: the same for passages and for facts.
"""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory.recall.query.query_parser import Named

#: What a session takes from the better one of those beside it: what is talked of one day is so the next.
NEXT = 0.1
#: Words follow each other if so few others stand between them, and themselves.
NEAR = 3


class Term(Record):
    """One word of a question as the index has it."""

    raw: str  #: as typed
    weight: float  #: how much it tells
    rows: Mapping[int, tuple[int, ...]]  #: row of a passage -> where in it the word stands
    #: row -> how often related words stand there, each counted as `RELATED`
    near: Mapping[int, float]
    #: number of a log -> how often its prose has the word, related ones counted so too
    logs: Mapping[int, float]
    #: its number among the words that tell something; negative for what stands beside none
    order: int
    name: bool  #: somebody who speaks is called so
    #: how sure it is that this word was meant: less than 1 where another spelling was looked for
    sure: float = 1.0
    #: row of a fact's text -> where in it the word stands; of all facts, however many
    facts: Mapping[int, tuple[int, ...]] = {}
    facts_near: Mapping[int, float] = {}  #: the same as `near`, of facts
    held: int = 0  #: how many passages and facts have the word, or else related ones

    def of_facts(self, weight: float) -> Term:
        """Return the word as facts have it, with what it tells there."""
        return self._replace(weight=weight, rows=self.facts, near=self.facts_near)


class Asked(Record):
    """A question as the ranking takes it: its terms, names and date (`question.Question`)."""

    terms: tuple[Term, ...]  #: its words that the index has
    total: float  #: what all of its words tell, those too that the index does not have
    named: frozenset[str]  #: every word, to be compared with who speaks
    date: Named  #: that is named
    hints: int  #: the marks of a passage that holds what is asked for
    #: what each of its words tells, those too that the index does not have, by word
    weights: Mapping[str, float] = {}

    def without(self, words: frozenset[str]) -> Asked:
        """Return the question without some words, as it is where nothing else would be left of it."""
        terms = tuple([term for term in self.terms if term.raw not in words])
        if not terms:
            return self
        weights = {word: weight for word, weight in self.weights.items() if word not in words}
        gone = sum(self.weights.values()) - sum(weights.values())
        return self._replace(terms=terms, total=(self.total - gone) or 1.0, weights=weights)


class Scored(Record):
    """A passage or a fact's text with its score and, where they were asked for, the parts of it.

    Of a fact alone: `covered` is how much of the question it covers, 0 to 1; `said` the same with related
    words counted whole; `alike` how alike it is in meaning, 0 to 1, None where that is not weighed.
    """

    row: int
    score: float
    words: tuple[str, ...] = ()
    parts: tuple[tuple[str, float], ...] = ()
    covered: float = 0.0
    said: float = 0.0
    alike: float | None = None


class Ranking(Record):
    """Passages and sessions, best first; `sessions` are (number of the log, score)."""

    passages: tuple[Scored, ...]
    sessions: tuple[tuple[int, float], ...]


NOTHING = Ranking((), ())


class Keeps:
    """Tells whether a row may be a hit, for all questions of one reading.

    Args:
        test: says it of a row.
    """

    def __init__(self, test: Callable[[int], bool]) -> None:
        self._test = test
        #: rows of facts that were found to be none, so that nobody looks at them again
        self.never: set[int] = set()

    def __call__(self, row: int) -> bool:
        """Tell it of one."""
        return self._test(row)


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
