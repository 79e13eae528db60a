"""Read what a person answers to a review, and say it in the ordinary events of a log."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ledger.errors import DiurnaError, WrongUsage
from ledger.model.event import Event, FactInvalidated, FactUpdated, ThreadClosed
from rituals.review.questions import Question, answered_keys, is_raising, threads_for
from rituals.review.review_plan import Plan

ACCEPT, REJECT, LATER = "accept", "reject", "later"
#: What can be said beside those: it is false, it holds in other words, or somebody has to find out.
FALSE, REWORD, ASK = "false", "reword", "ask"
#: One of the first three, or what holds instead: `Invalidated`, `Updated`, or an open thread.
Answer = str | Event
_GONE = "is not asked any more: it was answered meanwhile, or what it is about is not so any more"
_PAGE = "the page of the review shows what is asked now"


class NotAsked(DiurnaError):
    """It is not asked any more: somebody answered before, or there is no reason to ask."""

    def __init__(self, what: str = "this question") -> None:
        super().__init__(f"{what} {_GONE}")


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
    raise WrongUsage(f"the question can not be answered by {word[:20]!r}", hint=_PAGE)


def _own_words(plan: Plan, question: Question, word: str, text: str, id: str) -> Event:
    """Return what a person says holds instead of what was proposed."""
    if word == ASK:
        if not text:
            raise WrongUsage("the question is empty", hint="say what is to be found out")
        return question.thread(text)
    id = id or next(iter(question.facts), "")
    fact = plan.state.fact(id)
    if id not in question.facts or fact is None:
        raise WrongUsage("the question is about another fact", hint=_PAGE)
    if word == FALSE:
        return FactInvalidated(id)
    if not text or (text == fact.text and len(fact.heads) == 1):
        said = "the text is as it was" if text else "the new text is empty"
        raise WrongUsage(said, hint="write in the form what holds")
    return FactUpdated(id, text)


def events_of(plan: Plan, given: Mapping[str, Answer], *, left: bool = False) -> tuple[Event, ...]:
    """Return what the log of a review says.

    `given` has answers by key of a question or id of a settled thread; `left`: a person left before the
    end, and what was not asked is not raised.
    """
    own = {key: answer for key, answer in given.items() if isinstance(answer, Event)}
    put_off = {key for key, answer in own.items() if is_raising(answer)}
    answered = {key for key, answer in given.items() if answer != LATER} - put_off
    accepted = [one for one in plan.unanswered if given.get(one.key) == ACCEPT]
    rejected = [one for one in plan.unanswered if given.get(one.key) == REJECT]
    back = [event for one in rejected for event in one.reject]
    events = _accepted(plan, accepted, [*own.values(), *back])
    done, arising = answered | answered_keys(plan.raised), {one.key for one in plan.questions}
    closing = {event.id for event in events if isinstance(event, ThreadClosed)}
    covered: set[str] = set()
    for thread in plan.raised:
        asked = set(thread.keys)
        settled = asked & answered and asked & arising <= done
        open_now = not (thread.closed or thread.id in closing)
        if open_now and (settled or given.get(thread.id) == ACCEPT):
            events.append(ThreadClosed(thread.id))
            covered.update(asked)
    events += [one.answered() for one in rejected if not (one.reject or one.key in covered)]
    # an accepted question whose cause its events do not take away must not be asked again either
    raising = (given.keys() if left else {one.key for one in plan.fresh}) - answered - own.keys()
    return (*events, *threads_for([one for one in plan.fresh if one.key in raising]))


def _accepted(plan: Plan, accepted: list[Question], own: list[Event]) -> list[Event]:
    """Return the events of answers; several changes of one text become one, a person's own goes first."""
    events: dict[tuple[type[Event], str], Event] = {(type(one), one.id): one for one in own}
    swaps: dict[str, list[tuple[str, str]]] = {}
    for question in accepted:
        for event in question.accept:
            events.setdefault((type(event), event.id), event)
        if question.swaps:
            swaps.setdefault(question.facts[0], []).extend(question.swaps)
    for name, pairs in swaps.items():
        fact = plan.state.fact(name)
        if fact is None or (FactInvalidated, name) in events or (FactUpdated, name) in events:
            continue
        text = fact.text
        for old, new in pairs:
            whole = rf"(?<![\w/.-]){re.escape(old)}(?![\w/-])"
            text = re.sub(whole, new.replace("\\", r"\\"), text)
        events[FactUpdated, name] = FactUpdated(name, text)
    return list(events.values())
