"""Put the quiz to recall, and say which questions memory does not answer, and what is missing.

A question of the ledger is answered when one of the facts that it expects is among the first three facts
that `recall` gives to its text: a fact that is live, that is, in `continuity.md`; in the place of a
superseded one what stands there now. A general question expects no id but kinds: it is asked as
`recall --kind` asks it, and answered when one of the first three facts is live. Questions themselves
answer none. Recall weighs words alone here, so the score is a function of logs and policy, and the same
on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ledger.model.record import Record
from memory.api import Memory
from memory.recall.recall_values import FACTS, Answer, Filters
from projection.document.fact_remarks import instead_of
from projection.fold.full_replay import State
from projection.fold.projection_state import ARCHIVED_TIERS
from rituals.report.quiz.quiz_questions import GENERAL, Asked, questions_of

#: A question is answered by one of so many facts, the first that recall gives.
FIRST = 3
#: So many facts are asked for, so that it can be said where an expected one comes.
RANKED = 10
#: Why an expected fact does not answer.
UNKNOWN, WITHHELD, FALSE, ARCHIVED, LATE, ABSENT, NOTHING = (
    "unknown", "withheld", "false", "archived", "late", "absent", "nothing",
)  # fmt: skip


class Lack(Record):
    """Why an expected fact does not answer a question."""

    id: str  #: that the question expects, "" where it expects kinds or nothing at all
    #: `unknown`, `withheld`, `false`, `archived`; `late` for a live one that comes behind the first
    #: three, `absent` for one that recall does not give; `nothing` where no id is expected
    why: str
    place: int = 0  #: in the ranking, from 1; 0 where it is not among the first ten
    instead: str = ""  #: what stands in its place, "" for itself


class Result(Record):
    """How memory answers one question."""

    asked: Asked  #: the question
    given: tuple[str, ...]  #: ids of the facts that recall gives, best first
    place: int  #: of the first fact that answers it, from 1; 0 where none does
    #: of a question that is not answered: what is missing, for each id that it expects
    lacks: tuple[Lack, ...] = ()


class Score(Record):
    """How memory answers a quiz: the general questions, then those of the ledger, by id."""

    results: tuple[Result, ...]

    @property
    def asked(self) -> int:
        """How many questions were asked."""
        return len(self.results)

    @property
    def answered(self) -> int:
        """How many of them memory answers."""
        return self.asked - len(self.missed)

    @property
    def missed(self) -> tuple[Result, ...]:
        """What it does not answer."""
        return tuple([one for one in self.results if not one.place])

    @property
    def general(self) -> Score:
        """The part of it that is asked of any project."""
        return Score(tuple([one for one in self.results if one.asked.general]))

    @property
    def own(self) -> Score:
        """The part of it that the ledger asks itself."""
        return Score(tuple([one for one in self.results if not one.asked.general]))


def score(memory: Memory, progress: Callable[[int, int], None] | None = None) -> Score:
    """Put all questions to the memory of a home; progress is told how many of how many are put."""
    state = memory.state()
    found = [_of_kinds(one, ask(memory, one.text, RANKED, one.kinds)) for one in GENERAL]
    own = questions_of([standing.fact for standing in state.standings()])
    for number, one in enumerate(own):
        if progress is not None and not number % 16:
            progress(number, len(own))
        found.append(_of_ids(one, ask(memory, one.text, RANKED), state))
    return Score(tuple(found))


def ask(memory: Memory, text: str, limit: int, kinds: tuple[str, ...] = ()) -> Answer:
    """Ask recall for the facts that answer a question, by words alone."""
    only = Filters(kinds) if kinds else Filters(within=FACTS)
    return memory.recall(text, limit=limit, filters=only, vectors=False)


def _of_kinds(asked: Asked, answer: Answer) -> Result:
    """Hold an answer against the kinds that a general question expects."""
    given = tuple([hit.id for hit in answer.facts])
    live = [n for n, hit in enumerate(answer.facts, 1) if hit.tier not in ARCHIVED_TIERS]
    if live and live[0] <= FIRST:
        return Result(asked, given, live[0])
    why = LATE if live else ARCHIVED if given else ABSENT
    lack = Lack(given[live[0] - 1], why, live[0]) if live else Lack(given[0] if given else "", why)
    return Result(asked, given, 0, (lack,))


def _of_ids(asked: Asked, answer: Answer, state: State) -> Result:
    """Hold an answer against the ids that a question of the ledger expects."""
    given = tuple([hit.id for hit in answer.facts])
    lacks = tuple([lack for id in asked.expect for lack in _lacks(id, given, state)])
    best = min([lack.place for lack in lacks if lack.why == LATE], default=0)
    if 0 < best <= FIRST:
        return Result(asked, given, best)
    return Result(asked, given, 0, lacks or (Lack("", NOTHING),))


def _lacks(id: str, given: Sequence[str], state: State) -> list[Lack]:
    """Say where an expected fact stands, and each that stands in its place; `late` as if it came late."""
    fact = state.fact(id)
    if fact is None:
        return [Lack(id, UNKNOWN)]
    if fact.redacted:
        return [Lack(id, WITHHELD)]
    standing = [id] if not fact.false else list(instead_of(fact, state.fact))
    if not standing:
        return [Lack(id, FALSE)]
    found = []
    for one in standing:
        place = given.index(one) + 1 if one in given else 0
        there = state.get(one)
        instead = "" if one == id else one
        if there is None or there.fact.redacted:
            why = WITHHELD
        elif not there.live:
            why = ARCHIVED
        else:
            why = LATE if place else ABSENT
        found.append(Lack(id, why, place, instead))
    return found
