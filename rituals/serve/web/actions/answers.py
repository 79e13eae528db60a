"""Record what a person answers: to a question of the review, or to a proposal of `diurna learn`."""

from __future__ import annotations

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError, WrongUsage
from ledger.model.event import (
    VERB_OF,
    Event,
    FactCreated,
    FactInvalidated,
    FactUpdated,
    FactVerified,
    written,
)
from projection.lifecycle.review_threads import THREAD_PREFIX
from rituals.review.apply import ACCEPT, REJECT, review
from rituals.review.learning.apply import Answer as Word
from rituals.review.learning.apply import record_answers
from rituals.review.learning.plan import plan_learning
from rituals.review.question import own_thread
from rituals.serve.web.actions import commands
from rituals.serve.web.actions.action import Recorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from rituals.review.apply import Answer
    from rituals.review.plan import Plan
    from rituals.review.question import Question
    from rituals.serve.web.actions.fields import Fields

#: What can be said to a question beside `ACCEPT` and `REJECT`: it is false, it holds in other words, or
#: somebody has to find out.
FALSE, REWORD, ASK = "false", "reword", "ask"
_GONE = "is not asked any more: it was answered meanwhile, or what it is about is not so any more"
_LOOK = "the page of the review shows what is asked now"


class _Gone(DiurnaError):
    """It is not asked any more: somebody answered before, or there is no reason to ask."""


def answer(memory: Memory, fields: Fields) -> Recorded:
    """Record the answer to one question of the review, as whoever leaves the review behind it.

    Raises:
        WrongUsage: it can not be answered so.
        DiurnaError: as `diurna review`.
    """
    key = fields.one("key")
    given: dict[str, Answer] = {}

    def ask(plan: Plan) -> dict[str, Answer]:
        if not given:  # else another writer was faster, and it is answered
            given[key] = _answer(plan, key, fields)
        return given

    try:
        outcome = review(memory, ask=ask)
    except _Gone as known:
        return Recorded(already=known.message)
    if not outcome.stem:
        return Recorded(already="it is known, and there is nothing to record")
    return Recorded(
        (outcome.stem,), (outcome.commit,), _said(outcome.events), "", "Answer to a question",
        commands.REVIEW, outcome.findings,
        not any(isinstance(event, FactVerified) for event in outcome.events),
    )  # fmt: skip


def learn(memory: Memory, fields: Fields) -> Recorded:
    """Record that a proposal of `diurna learn` is accepted, in its words or one's own, or rejected.

    Raises:
        WrongUsage: it can not be answered so.
        DiurnaError: as `diurna learn`.
    """
    key, word, text = fields.one("key"), fields.one("say"), tidy(fields.one("text"))
    if word not in (ACCEPT, REJECT):
        raise WrongUsage(f"a proposal is accepted or rejected, and not {word[:20]!r}")
    plan = plan_learning(memory)
    keys = {*[one.key for one in plan.proposals], *[one.key for one in plan.promotions]}
    if key not in keys:
        return Recorded(already=f"this proposal {_GONE}")
    outcome = record_answers(memory, plan, {key: Word(word, text if word == ACCEPT else "")})
    if outcome.receipt is None:
        gone = "is not offered again on this machine" if outcome.rejected else _GONE
        return Recorded(already=f"this proposal {gone}")
    done = outcome.receipt
    does = tuple([f"{verb}: {', '.join(ids)}" for verb, ids in done.did])
    files = tuple([f"{path} is written, and not committed" for path in outcome.written])
    return Recorded(
        (done.stem,), (done.commit,), (*does, *files), "", "Answer to a proposal", commands.LEARN,
        outcome.findings,
    )  # fmt: skip


def _answer(plan: Plan, key: str, fields: Fields) -> Answer:
    """Read an answer against what is asked now.

    Raises:
        _Gone: it is not asked any more.
        WrongUsage: it can not be answered so.
    """
    word = fields.one("say")
    if key in [one.id for one in plan.settled] and word == ACCEPT:
        return ACCEPT
    question = next((one for one in plan.questions if one.key == key), None)
    if question is None:
        raise _Gone(f"this question {_GONE}")
    if word == ACCEPT and question.acceptable:
        return ACCEPT
    if word == REJECT:
        return REJECT
    if word in (FALSE, REWORD, ASK):
        return _own_words(plan, question, word, fields)
    raise WrongUsage(f"the question can not be answered by {word[:20]!r}", hint=_LOOK)


def _own_words(plan: Plan, question: Question, word: str, fields: Fields) -> Event:
    """Return what a person says holds instead of what was proposed.

    Raises:
        WrongUsage: nothing is said, or of another fact.
    """
    text = tidy(fields.one("text"))
    if word == ASK:
        if not text:
            raise WrongUsage("the question is empty", hint="say what is to be found out")
        return own_thread(question, text)
    id = fields.one("id") or next(iter(question.facts), "")
    fact = plan.state.fact(id)
    if id not in question.facts or fact is None:
        raise WrongUsage("the question is about another fact", hint=_LOOK)
    if word == FALSE:
        return FactInvalidated(id)
    if not text or (text == fact.text and len(fact.heads) == 1):
        said = "the text is as it was" if text else "the new text is empty"
        raise WrongUsage(said, hint="write in the form what holds")
    return FactUpdated(id, text)


def _said(events: tuple[Event, ...]) -> tuple[str, ...]:
    """Say what a log records: of a thread by which a question is known, what it says."""
    return tuple(
        [_thread(event) or f"{VERB_OF[type(event)]}: {written(event)}" for event in events]
    )


def _thread(event: Event) -> str:
    if not isinstance(event, FactCreated) or not event.id.startswith(THREAD_PREFIX):
        return ""
    said = (event.text or "").partition("\n")[0]
    return f"{said} (known as {event.id})"
