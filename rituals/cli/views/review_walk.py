"""Walk through the questions of a review on a terminal: accept, reject, later, one by one."""

from __future__ import annotations

import click

from ledger.model.event import VERB_OF, Event, written
from rituals.cli.output import Output, counted
from rituals.review.apply import ACCEPT, LATER, REJECT
from rituals.review.question import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.review.plan import Plan
    from rituals.review.question import Question

_QUIT = "quit"
_CHOICES = {"a": ACCEPT, "r": REJECT, "l": LATER, "q": _QUIT}
_SHOWN_LINES = 6


def walk(plan: Plan, out: Output) -> dict[str, str]:
    """Ask a person about each question; return the answers by key (or id of a settled thread).

    Args:
        plan: with the questions to ask.
        out: where to talk.
    """
    given: dict[str, str] = {}
    total = len(plan.questions) + len(plan.settled)
    if total:
        out.talk(f"{counted(total, 'question')}; what you leave for later stays open as a thread")
    for number, question in enumerate(plan.questions, 1):
        out.talk()
        out.talk((f"{number}/{total} {RULES[question.rule]}", "bold"))
        _show(plan, question, out)
        answer = _asked(question.acceptable, out)
        if answer == _QUIT:
            return given
        given[question.key] = answer
    for number, thread in enumerate(plan.settled, len(plan.questions) + 1):
        out.talk()
        out.talk((f"{number}/{total} Settled", "bold"))
        out.talk(f"{thread.id} stands open, and what it asks does not arise any more.")
        out.talk(("accept:", "cyan"), f" Closed: {thread.id}")
        answer = _asked(True, out)
        if answer == _QUIT:
            return given
        given[thread.id] = LATER if answer == REJECT else answer
    return given


def _show(plan: Plan, question: Question, out: Output) -> None:
    """Show a question with its evidence, the text it is about, and what accepting it says."""
    out.talk(question.said)
    for line in question.evidence:
        out.talk(f"  {line}")
    for name in question.facts:
        fact = plan.state.fact(name)
        lines = fact.text.split("\n") if fact else []
        if len(question.facts) > 1 and fact:
            out.talk((f"  {name}", "bold"))
        for line in lines[:_SHOWN_LINES]:
            out.talk(("  │ ", "dim"), line)
        if len(lines) > _SHOWN_LINES:
            out.talk(("  │ ", "dim"), f"… {counted(len(lines) - _SHOWN_LINES, 'more line')}")
    if question.proposal:
        out.talk(("proposal:", "cyan"), f" {question.proposal}")
    if question.acceptable:
        said = [_said(event) for event in question.accept]
        said += [f"Updated: {question.facts[0]} ({old} → {new})" for old, new in question.swaps]
        out.talk(("accept:", "cyan"), f" {'; '.join(said)}")


def _said(event: Event) -> str:
    return f"{VERB_OF[type(event)]}: {written(event)}"


def _asked(acceptable: bool, out: Output) -> str:
    letters = "arlq" if acceptable else "rlq"
    shown = ", ".join(f"[{letter}]{_CHOICES[letter][1:]}" for letter in letters)
    out.flush()
    answer = click.prompt(
        shown, type=click.Choice(list(letters), case_sensitive=False), default="l",
        show_choices=False, err=True,
    )  # fmt: skip
    return _CHOICES[str(answer).lower()]
