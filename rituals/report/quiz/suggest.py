"""Propose questions about facts that no question of the quiz reaches, by rules alone."""

from __future__ import annotations

from ledger.model.record import Record
from memory.api import Memory
from projection.document.fact_remarks import instead_of
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.lifecycle.review_threads import is_raised
from projection.policy import model
from rituals.report.quiz.quiz_questions import EXPECT_KEY
from rituals.report.quiz.score import FIRST, Score, ask

#: The most questions that are proposed at once.
MOST = 10
#: What people ask about a fact of a kind.
_FORMS = {
    model.VISION_KIND: "Where is {} going?",
    "invariant": "Which invariant holds for {}?",
    "stack": "What do we use for {}?",
    "decision": "What was decided about {}?",
    "convention": "What is the convention for {}?",
    model.STATE_KIND: "What is the state of {}?",
    model.PATTERN_KIND: "What did we learn about {}?",
    model.TASK_KIND: "How far is the task {}?",
    model.HANDOFF_KIND: "What was handed over about {}?",
    model.THREAD_KIND: "What is open about {}?",
    model.ATTEMPT_KIND: "What was tried for {}, and did it work?",
    model.FINDING_KIND: "What was found about {}?",
    "preference": "What is preferred about {}?",
    "reference": "Where does it stand about {}?",
}
_ANY = "What do we know about {}?"


class Suggestion(Record):
    """A question that is proposed."""

    expect: str  #: the id of the fact that no question reaches
    text: str  #: the question
    answered: bool  #: whether memory answers it as it stands

    @property
    def line(self) -> str:
        """The question as `diurna note` takes it."""
        return f"{model.QUESTION_KIND}: {EXPECT_KEY}={self.expect} {self.text}"


def suggestions(memory: Memory, found: Score) -> tuple[Suggestion, ...]:
    """Propose questions about live facts that no question reaches, ten at most.

    A fact is reached when a question of the ledger expects it, or what it stands for, or when it is among
    the first three facts that recall gives to one.
    """
    state = memory.state()
    reached = _reached(state, found)
    rank = {kind.name: number for number, kind in enumerate(state.policy.kinds)}
    facts = [
        one.fact
        for one in state.standings()
        if one.live and one.fact.id not in reached and one.fact.kind != model.QUESTION_KIND
        if not (one.fact.closed or one.fact.redacted or is_raised(one.fact))  # these answer nothing
    ]
    facts.sort(key=lambda fact: (rank.get(fact.kind, len(rank)), -fact.uses, fact.id))
    proposed = [(fact.id, question_about(fact)) for fact in facts[:MOST]]
    return tuple(
        Suggestion(id, text, id in [hit.id for hit in ask(memory, text, FIRST).facts])
        for id, text in proposed
    )


def question_about(fact: Fact) -> str:
    """Ask about a fact in a few words: those of its id, but for one in front that names its kind."""
    words = fact.id.replace(".", "-").split("-")
    if len(words) > 1 and len(words[0]) > 1 and fact.kind.startswith(words[0]):
        del words[0]
    return _FORMS.get(fact.kind, _ANY).format(" ".join(words))


def _reached(state: State, found: Score) -> set[str]:
    """Return the ids of the facts that questions reach."""
    reached: set[str] = set()
    met: dict[str, tuple[str, ...]] = {}
    for result in found.own.results:
        reached.update(result.given[:FIRST], result.asked.expect)
        for id in result.asked.expect:
            fact = state.fact(id)
            if fact is not None and fact.false:
                reached.update(instead_of(fact, state.fact, met))
    return reached
