"""Say what can be answered to a question of the review, and read an answer: of a page, or of a file."""

from __future__ import annotations

from ledger.errors import DiurnaError, WrongUsage
from ledger.model import event as verbs
from rituals.review.review_plan import Plan
from rituals.review.review_question import (
    INVARIANT_DUE,
    OVERRULED,
    STALLED_RULES,
    Question,
    own_thread,
)
from rituals.review.review_record import ACCEPT, LATER, REJECT, Answer

#: What can be said beside `ACCEPT`, `REJECT` and `LATER`: it is false, it holds in other words, or
#: somebody has to find out.
FALSE, REWORD, ASK = "false", "reword", "ask"
#: What accepting is called where its rule says it, not what it records.
_ACCEPT = {OVERRULED: "I want it so", "branch-dropped": "The work was abandoned"}
#: Else by the first that it records; a new text where it is all.
_RECORDS: dict[type[verbs.Event], str] = {
    verbs.FactVerified: "It still holds",
    verbs.ThreadClosed: "Close it",
    verbs.FactMoved: "Cancel it",
    verbs.FactInvalidated: "It is false now",
    verbs.FactPromoted: "Make it core",
    verbs.FactUpdated: "Shorten it",
}
#: What rejecting is called; where a rule is not named, that it stays as it is.
_REJECT = {
    INVARIANT_DUE: "Ask again later",
    OVERRULED: "What was decided holds",
    "overlap": "Keep both",
    "promotion": "Not worth it",
    "obsolete": "Not yet",
    **dict.fromkeys(STALLED_RULES.values(), "It is still open"),
    "branch-dropped": "The work is still open",
}
_STAYS = "Leave it as it is"
_GONE = "is not asked any more: it was answered meanwhile, or what it is about is not so any more"


class NotAsked(DiurnaError):
    """It is not asked any more: somebody answered before, or there is no reason to ask."""

    def __init__(self, what: str = "this question") -> None:
        super().__init__(f"{what} {_GONE}")


def accepting(question: Question) -> str:
    """Say what accepting a proposal is called, "" where there is nothing to accept."""
    if question.swaps:
        return "Put that right"
    if question.rule in _ACCEPT:
        return _ACCEPT[question.rule]
    for event in question.accept:
        if isinstance(event, verbs.FactSuperseded):
            return f"Keep {event.new}"
        if type(event) in _RECORDS and (
            type(event) is not verbs.FactUpdated or len(question.accept) == 1
        ):
            return _RECORDS[type(event)]
    return "Accept" if question.acceptable else ""


def rejecting(question: Question) -> str:
    """Say what rejecting a proposal is called."""
    return _REJECT.get(question.rule, _STAYS)


def answer_of(plan: Plan, key: str, word: str, text: str = "", id: str = "") -> Answer:
    """Read an answer against what is asked now.

    `key` is of a question, or the id of a settled thread; `id` says of which of its facts `text` is, ""
    of the first.

    Raises:
        NotAsked: it is not asked any more.
        WrongUsage: it can not be answered so.
    """
    settled = key in [one.id for one in plan.settled]
    question = next((one for one in plan.questions if one.key == key), None)
    if question is None and not settled:
        raise NotAsked
    if word == LATER or (word == ACCEPT and (settled or (question and question.acceptable))):
        return word
    if question is not None:
        if word == REJECT:
            return REJECT
        if word in (FALSE, REWORD, ASK):
            return _own_words(plan, question, word, text, id)
    hint = "the page of the review shows what is asked now"
    raise WrongUsage(f"the question can not be answered by {word[:20]!r}", hint=hint)


def _own_words(plan: Plan, question: Question, word: str, text: str, id: str) -> verbs.Event:
    """Return what a person says holds instead of what was proposed."""
    if word == ASK:
        if not text:
            raise WrongUsage("the question is empty", hint="say what is to be found out")
        return own_thread(question, text)
    id = id or next(iter(question.facts), "")
    fact = plan.state.fact(id)
    if id not in question.facts or fact is None:
        hint = "the page of the review shows what is asked now"
        raise WrongUsage("the question is about another fact", hint=hint)
    if word == FALSE:
        return verbs.FactInvalidated(id)
    if not text or (text == fact.text and len(fact.heads) == 1):
        said = "the text is as it was" if text else "the new text is empty"
        raise WrongUsage(said, hint="write in the form what holds")
    return verbs.FactUpdated(id, text)
