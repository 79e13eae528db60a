"""Run `diurna review --learn`: what could be learned."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ledger.errors import NotFound, WrongUsage
from rituals.answers.json_objects import promotion_object, proposal_object
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import Line, Output, counted
from rituals.cli.terminal.review_walk_text import chosen
from rituals.review.learning_plan import (
    ACCEPT,
    REJECT,
    Answer,
    Outcome,
    Plan,
    Proposal,
    plan_learning,
    raise_threads,
    record_answers,
)
from rituals.review.promotions import Promotion

_EDIT, _LATER, _QUIT = "edit", "later", "quit"
#: letter -> (name, what it does); the name has the letter in it.
_ANSWERS = {
    "a": (ACCEPT, "record it as the diff shows it"),
    "e": (_EDIT, "record it in your words"),
    "r": (REJECT, "it is not worth keeping; do not ask again"),
    "l": (_LATER, "leave it; ask again next time"),
    "q": (_QUIT, "record what is answered, and leave the rest"),
}


def learn(call: Invocation, ask: bool, accept: str, text: str, agent: str, dry_run: bool) -> None:
    """Propose what sessions taught, and record what is answered."""
    if (text and not accept) or (accept and (ask or dry_run)):
        raise WrongUsage("--text goes with --accept, and --accept with no --ask and no --dry-run")
    memory = call.memory()
    plan = plan_learning(memory)
    outcome = Outcome(plan)
    asking = not (ask or accept or dry_run or call.json) and call.interactive()
    if accept:
        outcome = record_answers(memory, plan, accepted(plan, accept, text), agent)
    elif ask:
        outcome = raise_threads(memory, plan, agent, dry_run=dry_run)
    elif asking and plan.steps:
        outcome = record_answers(memory, plan, walk(plan, call.out), agent)
    answered = bool(ask or accept or (asking and plan.steps))
    lines = _outcome_lines(call, outcome, asked=ask) if answered else _plan_lines(plan)
    receipt = outcome.receipt
    call.landed = bool(receipt and receipt.commit)
    values = {
        **fields_of(plan, "tip code more"),
        "proposals": [proposal_object(one) for one in plan.proposals],
        "promotions": [promotion_object(one) for one in plan.promotions],
        "raised": outcome.raised,
        "stem": receipt.stem if receipt else "",
        "commit": receipt.commit if receipt else "",
        "dry_run": dry_run,
    }
    how = "on a terminal `diurna review --learn` asks about each; --ask raises them as threads"
    hints = (how,) if plan.steps and not answered else ()
    if outcome.written:
        hints = ("the file is not committed: look at it with `git diff`, and commit it yourself",)
    call.answer(values, lines, findings=outcome.findings, hints=hints)


def _plan_lines(plan: Plan) -> Iterator[Line]:
    """Yield the proposals with what shows them, and their diffs."""
    for number, step in enumerate(plan.steps, 1):
        if number > 1:
            yield ""
        yield from _step_lines(step, f"{number}/{len(plan.steps)}")
    if not plan.steps:
        yield "nothing to learn"
    if plan.more:
        yield f"{plan.more} more wait until these are answered"


def walk(plan: Plan, out: Output) -> dict[str, Answer]:
    """Ask a person about each proposal; return the answers by key."""
    given: dict[str, Answer] = {}
    for number, step in enumerate(plan.steps, 1):
        out.talk()
        out.lines(_step_lines(step, f"{number}/{len(plan.steps)}"), beside=True)
        refused = not isinstance(step, Proposal) and step.refused
        letters = "rlq" if refused else "aerlq"
        answer = chosen({letter: _ANSWERS[letter] for letter in letters}, "l", out)
        if answer == _QUIT:
            break
        if answer == _EDIT:
            text = _edited(step.habit.text if isinstance(step, Proposal) else step.text)
            if text:
                given[step.key] = Answer(ACCEPT, text)
            else:
                out.talk("there is no text: it is asked again the next time")
        elif answer != _LATER:
            given[step.key] = Answer(answer)
    return given


def accepted(plan: Plan, key: str, text: str) -> dict[str, Answer]:
    """Return the answer that lets in the one proposal whose key begins so, in other words where given.

    Raises:
        NotFound: there is none, or more than one.
    """
    named = [one.key for one in plan.steps if one.key.startswith(key)]
    if len(named) != 1:
        raise NotFound(
            f"{counted(len(named), 'proposal')} of now begin with {key!r}",
            hint="diurna review --learn lists them",
        )
    return {named[0]: Answer(ACCEPT, text.strip())}


def _edited(before: str) -> str:
    said: str = click.prompt(
        "in your words (Enter opens an editor)", "", show_default=False, err=True
    )
    return (said or click.edit(before, extension=".md") or "").strip()


def _step_lines(step: Proposal | Promotion, place: str) -> Iterator[Line]:
    name, said, refused = "promotion", step.question.said, ""
    if isinstance(step, Proposal):
        name, said = step.habit.source, step.habit.text
    else:
        refused = step.refused and f"  {step.path} can not be written: {step.refused}"
    yield (f"{place} {name}", "bold"), f"  {step.key}"
    yield said
    yield from [f"  {evidence}" for evidence in step.question.evidence]
    if refused:
        yield ((refused, "red"),)
    for text in step.diff:
        yield ((text, {"+": "green", "-": "red"}.get(text[:1], "dim")),)


def _outcome_lines(call: Invocation, outcome: Outcome, *, asked: bool) -> Iterator[Line]:
    receipt = outcome.receipt
    if receipt is None and not outcome.rejected:
        none = "nothing was answered, so nothing was recorded"
        yield "nothing new is to be asked" if asked else none
        return
    dry = receipt is not None and not (receipt.commit or receipt.waits)
    if receipt and not dry:
        place = receipt.place(call.memory().home.branch)
        yield (call.out.short(receipt.stem), "yellow"), f"  {place}"
    for name, listed in (
        ("Learned", outcome.facts), ("Rejected", outcome.rejected), ("Raised", outcome.raised),
        ("Written", outcome.written),
    ):  # fmt: skip
        yield from [f"would raise {one}" if dry else f"{name:<9} {one}" for one in listed]
