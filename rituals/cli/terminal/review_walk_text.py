"""Walk through the questions of a review on a terminal, one by one, back where somebody wants to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from ledger.model.event import VERB_OF, FactInvalidated, FactUpdated, written
from projection.lifecycle.review_due import Raised, remarks
from rituals.cli.output import Line, Output, counted
from rituals.review.questions import INVARIANT_DUE, RULES, Question
from rituals.review.review_answers import ACCEPT, LATER, REJECT, Answer
from rituals.review.review_plan import Plan

_BACK, _QUIT = "back", "quit"
_SHOWN_LINES = 6
#: letter -> (name, what it does); the name has the letter in it.
_ANSWERS = {
    "a": (ACCEPT, "record what stands behind `accept:`"),
    "r": (
        REJECT,
        "the proposal is not right: record what stands behind `reject:`, if anything; for an "
        "invariant, say what holds instead",
    ),
    "l": (LATER, "leave it open as a thread; the next review asks again"),
    "b": (_BACK, "to the question before this one"),
    "q": (
        _QUIT,
        "keep what is answered, and leave the rest unasked: the review does not count as held",
    ),
}
_INSTEAD = {
    "i": ("invalidate", "it is false now, and nothing replaces it"),
    "w": ("reword", "it holds in other words"),
    "t": ("thread", "somebody has to find out: an open thread asks it in your words"),
    "n": ("not now", "it is not confirmed, and asked again after as many sessions more"),
    "b": (_BACK, "to the question itself"),
}


def walk(plan: Plan, out: Output) -> dict[str, Answer]:
    """Ask a person about each question; return the answers by key (or id of a settled thread)."""
    given: dict[str, Answer] = {}
    steps: list[Question | Raised] = [*plan.questions, *plan.settled]
    if steps:
        number = counted(len(plan.unanswered), "question")
        more = f" and {counted(len(plan.settled), 'thread')} to close" if plan.settled else ""
        out.talk(f"{number}{more}; what you leave for later stays open as a thread")
    at = 0
    while at < len(steps):
        step, place = steps[at], f"{at + 1}/{len(steps)}"
        key, begin = (step.id, "a") if isinstance(step, Raised) else (step.key, "r")
        out.talk()
        if isinstance(step, Raised):
            out.lines(_settled(step, place), beside=True)
        else:
            out.lines(_question(plan, step, place), beside=True)
            begin = "ar" if step.acceptable else "r"
        choices = {letter: _ANSWERS[letter] for letter in begin + ("lbq" if at else "lq")}
        before = given.get(key, LATER)
        default = [letter for letter, (name, _) in choices.items() if name == before]
        answer: Answer = chosen(choices, default[0] if default else "r", out)
        if answer == REJECT and isinstance(step, Question) and step.rule == INVARIANT_DUE:
            answer = _instead(plan, step, out)
            if answer == _BACK:
                continue
        if answer == _QUIT:
            break
        if answer == _BACK:
            at -= 1
        else:
            given[key] = answer
            at += 1
    return given


def _settled(thread: Raised, place: str) -> Iterator[Line]:
    yield ((f"{place} Settled", "bold"),)
    yield f"{thread.id} stands open, and what it asks does not arise any more."
    yield ("accept:", "cyan"), f" Closed: {thread.id}"


def _question(plan: Plan, question: Question, place: str) -> Iterator[Line]:
    """Yield a question with its evidence, the text it is about, and what accepting it says."""
    yield ((f"{place} {RULES[question.rule].heading}", "bold"),)
    yield question.said
    yield from [f"  {line}" for line in question.evidence]
    bar = ("  │ ", "dim")
    for line in question.before.split("\n")[:_SHOWN_LINES] if question.before else ():
        yield bar, f"was: {line}"
    for name in question.facts:
        fact = plan.state.fact(name)
        if fact is None:
            continue
        lines = fact.text.split("\n")
        if len(question.facts) > 1:
            yield ((f"  {name}", "bold"),)
        yield from [(bar, line) for line in lines[:_SHOWN_LINES]]
        yield from [(bar, f"{key}: {value}") for key, value in remarks(fact).items()]
        if len(lines) > _SHOWN_LINES:
            yield bar, f"… {counted(len(lines) - _SHOWN_LINES, 'more line')}"
    if question.proposal:
        yield ("proposal:", "cyan"), f" {question.proposal}"
    if question.acceptable:
        yield ("accept:", "cyan"), f" {'; '.join(question.does)}"
    if question.reject:
        said = [f"{VERB_OF[type(event)]}: {written(event)}" for event in question.reject]
        yield ("reject:", "cyan"), f" {'; '.join(said)}"


def chosen(
    choices: Mapping[str, tuple[str, str]], default: str | None, out: Output, ask: str = ""
) -> str:
    """Ask for one of some letters and return its name; `?` explains them and asks again.

    It is asked with the names, or with `ask`.
    """
    shown = [name.replace(letter, f"[{letter}]", 1) for letter, (name, _) in choices.items()]
    while True:
        out.flush()
        letter = click.prompt(
            ask or ", ".join([*shown, "[?]"]), type=click.Choice([*choices, "?"], case_sensitive=False),
            default=default, show_choices=False, err=True,
        ).lower()  # fmt: skip
        if letter in choices:
            return choices[letter][0]
        for one, (name, does) in choices.items():
            out.talk((f"  {one}  {name}", "bold"), f": {does}")


def _instead(plan: Plan, question: Question, out: Output) -> Answer:
    """Ask what is to follow where an invariant does not hold as it stands."""
    name = question.facts[0]
    while True:
        match chosen(_INSTEAD, "t", out):
            case "invalidate":
                return FactInvalidated(name)
            case "thread":
                asks = f"Does {name} still hold?"
                return question.thread(click.prompt("what is to be found out", asks, err=True))
            case "not now":
                return REJECT
            case "back":
                return _BACK
        fact = plan.state.fact(name)
        before = fact.text if fact else ""
        said = click.prompt("new text (Enter opens an editor)", "", show_default=False, err=True)
        text = (said or click.edit(before, extension=".md") or "").strip()
        if text and text != before:
            return FactUpdated(name, text)
        out.talk("the text is as it was")
