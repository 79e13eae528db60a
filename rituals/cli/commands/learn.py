"""Run `diurna review --learn`: what could be learned."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ledger.errors import NotFound, WrongUsage
from rituals.answers.json_objects import learning_object
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import Line, Output, counted
from rituals.cli.terminal.review_walk_text import chosen
from rituals.review.learning_plan import (
    ACCEPT,
    REJECT,
    Outcome,
    Plan,
    Step,
    plan_learning,
    raise_threads,
    record_answers,
)

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
    """Propose what sessions taught, and record what is answered.

    Raises:
        NotFound: no proposal has the key, or more than one.
    """
    if (text and not accept) or (accept and (ask or dry_run)):
        raise WrongUsage("--text goes with --accept, and --accept with no --ask and no --dry-run")
    memory = call.memory()
    plan, outcome = plan_learning(memory), Outcome()
    asking = bool(plan.steps) and not (ask or dry_run or call.json) and call.interactive()
    if accept:
        named = [one.key for one in plan.steps if one.key.startswith(accept)]
        if len(named) != 1:
            said = f"{counted(len(named), 'proposal')} of now begin with {accept!r}"
            raise NotFound(said, hint="diurna review --learn lists them")
        outcome = record_answers(memory, plan, {named[0]: (ACCEPT, text.strip())}, agent)
    elif ask:
        outcome = raise_threads(memory, plan, agent, dry_run=dry_run)
    elif asking:
        outcome = record_answers(memory, plan, walk(plan, call.out), agent)
    answered = bool(ask or accept or asking)
    receipt = outcome.receipt
    call.landed = bool(receipt and receipt.commit)
    values = {
        **fields_of(plan, "tip code"),
        **learning_object(plan),
        "raised": outcome.raised,
        "stem": receipt.stem if receipt else "",
        "commit": receipt.commit if receipt else "",
        "dry_run": dry_run,
    }
    how = "on a terminal `diurna review --learn` asks about each; --ask raises them as threads"
    hints = (how,) if plan.steps and not answered else ()
    if outcome.written:
        hints = ("the file is not committed: look at it with `git diff`, and commit it yourself",)
    lines = _outcome_lines(call, outcome, asked=ask) if answered else _plan_lines(plan)
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


def walk(plan: Plan, out: Output) -> dict[str, tuple[str, str]]:
    """Ask a person about each proposal; return the answers by key."""
    given: dict[str, tuple[str, str]] = {}
    for number, step in enumerate(plan.steps, 1):
        out.talk()
        out.lines(_step_lines(step, f"{number}/{len(plan.steps)}"), beside=True)
        letters = "rlq" if step.refused else "aerlq"
        answer = chosen({letter: _ANSWERS[letter] for letter in letters}, "l", out)
        if answer == _QUIT:
            break
        if answer == _EDIT:
            if text := _edited(step.text):
                given[step.key] = ACCEPT, text
            else:
                out.talk("there is no text: it is asked again the next time")
        elif answer != _LATER:
            given[step.key] = answer, ""
    return given


def _edited(before: str) -> str:
    said: str = click.prompt(
        "in your words (Enter opens an editor)", "", show_default=False, err=True
    )
    return (said or click.edit(before, extension=".md") or "").strip()


def _step_lines(step: Step, place: str) -> Iterator[Line]:
    yield (f"{place} {step.source}", "bold"), f"  {step.key}"
    yield step.question.said if step.path else step.text
    yield from [f"  {evidence}" for evidence in step.question.evidence]
    if step.refused:
        yield ((f"  {step.path} can not be written: {step.refused}", "red"),)
    for text in step.diff:
        yield ((text, {"+": "green", "-": "red"}.get(text[:1], "dim")),)


def _outcome_lines(call: Invocation, outcome: Outcome, *, asked: bool) -> Iterator[Line]:
    receipt = outcome.receipt
    if receipt is None:
        none = "nothing was answered, so nothing was recorded"
        yield "nothing new is to be asked" if asked else none
        return
    dry = not (receipt.commit or receipt.waits)
    if not dry:
        place = receipt.place(call.memory().home.branch)
        yield (call.out.short(receipt.stem), "yellow"), f"  {place}"
    for name, listed in (
        ("Learned", outcome.facts), ("Rejected", outcome.rejected), ("Raised", outcome.raised),
        ("Written", (outcome.written,) if outcome.written else ()),
    ):  # fmt: skip
        yield from [f"would raise {one}" if dry else f"{name:<9} {one}" for one in listed]
