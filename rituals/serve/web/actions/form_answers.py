"""Record what a person answers to a review, list what forms can record, and remember what they did."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ledger.codec.fact_blocks import tidy
from ledger.errors import NotFound
from ledger.model.event import (
    VERB_OF,
    Event,
    FactCreated,
    FactInvalidated,
    FactMoved,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    ThreadClosed,
    written,
)
from projection.fold.fact_history import THREAD_PREFIX
from rituals.decide.undo_redo import step_back_from
from rituals.review.review_answers import Answer, NotAsked, answer_of
from rituals.review.review_plan import Plan
from rituals.review.review_record import review
from rituals.serve.web.actions.form_fields import REVIEW, Fields, FormPlan, planned, recorded
from rituals.serve.web.actions.form_table import AT_ONCE, FORMS
from rituals.serve.web.tip_view import TipView

#: What an answer is called by what it records: the first of these.
_DID: dict[type[Event], str] = {
    FactSuperseded: "Kept {one.new}; {one.id} is superseded", FactInvalidated: "{one.id} is false now",
    FactUpdated: "{one.id} is reworded", FactVerified: "{one.id} still holds",
    FactMoved: "{one.id} is {one.state}", ThreadClosed: "{one.id} is closed",
}  # fmt: skip
#: Appends the log that a form asks for; a refusal is a `DiurnaError`, and has changed nothing.
Action = Callable[[TipView, Fields], FormPlan]


def answer(tip: TipView, fields: Fields) -> FormPlan:
    """Record the same answer to questions of the review, as whoever leaves the review behind them.

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
        outcome = review(tip.memory, ask=ask, kept=tip.plan)
    except NotAsked as known:
        return FormPlan(already=known.message)
    if not outcome.stem:
        return FormPlan(already="it is known, and there is nothing to record")
    events = outcome.events
    title = f"Answer to {len(given)} questions"
    if len(given) == 1:
        said = [_DID[type(one)].format(one=one) for one in events if type(one) in _DID]
        title = said[0] if said else "It stays as it is"
    pairs = [f"{one.id}={one.new}" for one in events if isinstance(one, FactSuperseded)]
    command = "append" + "".join([f" --supersede {pair}" for pair in pairs])
    return FormPlan(
        title=title, does=_said(events), findings=outcome.findings, stem=outcome.stem,
        commit=outcome.commit, command=f"diurna {command}" if len(pairs) == len(events) else REVIEW,
        publishes=bool(outcome.unasked),
    )  # fmt: skip


def undo(tip: TipView, fields: Fields) -> FormPlan:
    """Take back what a log did that was recorded a moment ago; of an undo that is to do it again.

    Raises:
        DiurnaError: as `diurna undo`; or another log of the same agent came behind it.
    """
    tip.memory.drain()
    found = step_back_from(tip.memory, fields.one("stem"))
    plan = planned(tip.memory, found.decision)
    command = "diurna undo --redo" if found.undo else "diurna undo"
    return recorded(tip.memory, plan._replace(command=command))


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


#: What no form of ours plans.
_ANSWERS: dict[str, Action] = {"answer": answer, "undo": undo}


class NoSuchForm(NotFound):
    """Nothing is recorded under a name."""

    def __init__(self) -> None:
        super().__init__("there is no such form", hint="go back to the page, and load it anew")


def recorded_by(tip: TipView, name: str, fields: Fields, *, dry_run: bool = False) -> FormPlan:
    """Do what the form of a name says, or with `dry_run` say what it would do, where it is one of ours.

    Raises:
        NoSuchForm: there is none.
        DiurnaError: it is refused; nothing changed.
    """
    shape = FORMS.get(name) or (None if dry_run else AT_ONCE.get(name))
    if shape is not None:
        return recorded(tip.memory, shape.plan(tip.memory, fields), dry_run=dry_run)
    if name not in _ANSWERS or dry_run:
        raise NoSuchForm
    return _ANSWERS[name](tip, fields)
