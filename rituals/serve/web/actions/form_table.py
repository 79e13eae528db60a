"""Record what a person answers to a review, list what forms can record, and remember what they did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from ledger.codec.fact_blocks import tidy
from ledger.errors import NotFound, WrongUsage
from ledger.model.event import VERB_OF, Event, FactCreated, FactVerified, written
from memory.api import Memory
from projection.lifecycle.review_threads import THREAD_PREFIX
from rituals.decide.decision import Author, record
from rituals.decide.log_undo import step_back_from
from rituals.review.learning_plan import Answer as Word
from rituals.review.learning_plan import Plan as LearnPlan
from rituals.review.learning_plan import plan_learning, record_answers
from rituals.review.review_answers import NotAsked, answer_of
from rituals.review.review_plan import Plan
from rituals.review.review_record import ACCEPT, REJECT, Answer, review
from rituals.serve.web.actions.form_fields import Action, Fields, Recorded
from rituals.serve.web.actions.form_plan import LEARN, REVIEW, recording
from rituals.serve.web.actions.form_shapes import AT_ONCE, FORMS

#: Gives the plan of a memory as it stands, None where it has to be made.
Kept = Callable[[Memory], Plan | None]
Learnable = Callable[[Memory], LearnPlan | None]


def answer(memory: Memory, fields: Fields, kept: Kept = lambda memory: None) -> Recorded:
    """Record the same answer to questions of the review, as whoever leaves the review behind them.

    `kept` gives a plan that stands for what a review asks now, None where it has to be made.

    Raises:
        WrongUsage: one can not be answered so, or none is named.
        NotAsked: none of several is asked any more.
        DiurnaError: as `diurna review`.
    """
    keys = fields.ticked("key")
    given: dict[str, Answer] = {}

    def ask(plan: Plan) -> dict[str, Answer]:
        if not given:  # else another writer was faster, and it is answered
            said = fields.one("say"), tidy(fields.one("text")), fields.one("id")
            for key in keys:
                with suppress(NotAsked):
                    given[key] = answer_of(plan, key, *said)
            if not given:
                raise NotAsked("this question" if len(keys) == 1 else "each of these questions")
        return given

    try:
        outcome = review(memory, ask=ask, kept=kept(memory))
    except NotAsked as known:
        return Recorded(already=known.message)
    if not outcome.stem:
        return Recorded(already="it is known, and there is nothing to record")
    events = outcome.events
    title = f"Answer to {len(given)} questions" if len(given) > 1 else "Answer to a question"
    return Recorded(
        (outcome.stem,), (outcome.commit,), _said(events), "", title, REVIEW,
        outcome.findings, not any(isinstance(event, FactVerified) for event in events),
        bool(outcome.unasked),
    )  # fmt: skip


def undo(memory: Memory, fields: Fields) -> Recorded:
    """Take back what a log did that was recorded a moment ago; of an undo that is to do it again.

    Raises:
        DiurnaError: as `diurna undo`; or another log of the same agent came behind it.
    """
    memory.drain()
    found = step_back_from(memory, fields.one("stem"))
    decision, receipt = found.decision, record(memory, found.decision, Author())
    if receipt is None:
        return Recorded(already=decision.already)
    return Recorded(
        (receipt.stem,), (receipt.commit,), decision.does, "", decision.title,
        "diurna undo --redo" if found.undo else "diurna undo", receipt.findings,
    )  # fmt: skip


def learn(memory: Memory, fields: Fields, kept: Learnable = lambda memory: None) -> Recorded:
    """Record that what `review --learn` proposes is accepted, in its words or one's own, or rejected.

    `kept` gives a plan of what could be learned now, None where it has to be made.

    Raises:
        WrongUsage: it can not be answered so.
        DiurnaError: as `diurna review --learn`.
    """
    key, word, text = fields.one("key"), fields.one("say"), tidy(fields.one("text"))
    if word not in (ACCEPT, REJECT):
        raise WrongUsage(f"a proposal is accepted or rejected, and not {word[:20]!r}")
    plan = kept(memory)
    if plan is None or plan.tip != memory.home.tip():
        plan = plan_learning(memory)
    keys = {*[one.key for one in plan.proposals], *[one.key for one in plan.promotions]}
    if key not in keys:
        return Recorded(already=NotAsked("this proposal").message)
    outcome = record_answers(memory, plan, {key: Word(word, text if word == ACCEPT else "")})
    if outcome.receipt is None:
        return Recorded(already=NotAsked("this proposal").message)
    done = outcome.receipt
    does = tuple([f"{verb}: {', '.join(ids)}" for verb, ids in done.did])
    files = tuple([f"{path} is written, and not committed" for path in outcome.written])
    return Recorded(
        (done.stem,), (done.commit,), (*does, *files), "", "Answer to a proposal", LEARN,
        outcome.findings,
    )  # fmt: skip


def _said(events: tuple[Event, ...]) -> tuple[str, ...]:
    """Say what a log records: of a thread by which a question is known, what it says."""
    lines = []
    for event in events:
        if isinstance(event, FactCreated) and event.id.startswith(THREAD_PREFIX):
            first = (event.text or "").partition("\n")[0]
            lines.append(f"{first} (known as {event.id})")
        else:
            lines.append(f"{VERB_OF[type(event)]}: {written(event)}")
    return tuple(lines)


#: By the name in the address that a form is posted to: what appends the log.
ACTIONS: dict[str, Action] = {
    **{name: recording(shape.plan) for name, shape in (FORMS | AT_ONCE).items()},
    "answer": answer,
    "learn": learn,
    "undo": undo,
}
#: So many are remembered: pages of many tabs, looked at again.
_KEPT = 50


class NoSuchForm(NotFound):
    """Nothing is recorded under a name."""

    def __init__(self) -> None:
        super().__init__("there is no such form", hint="go back to the page, and load it anew")


class Notices:
    """What this process recorded, by the stems of the logs; an address with another stem says nothing.

    Args:
        actions: what can be recorded, by name.
    """

    def __init__(self, actions: Mapping[str, Action] = ACTIONS) -> None:
        self._actions = actions
        self._kept: dict[str, Recorded] = {}

    def record(self, memory: Memory, name: str, fields: Fields) -> Recorded:
        """Do what the form of an action says.

        Raises:
            NoSuchForm: there is no such action.
            DiurnaError: it is refused; nothing changed.
        """
        action = self._actions.get(name)
        if action is None:
            raise NoSuchForm
        recorded = action(memory, fields)
        for stem in recorded.stems:
            self._kept[stem] = recorded
        while len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]
        return recorded

    def of(self, stem: str) -> Recorded | None:
        """Return what was recorded by a log of ours, once; None for any other, and when it was said."""
        return self._kept.pop(stem, None)
