"""Run `diurna review --learn`: what could be learned."""

from __future__ import annotations

import click

from ledger.errors import NotFound, WrongUsage
from rituals.answers.json_objects import promotion_object, proposal_object
from rituals.cli.context import Invocation
from rituals.cli.output import Output, counted
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
    from rituals.decide.decision import Author

    if (text and not accept) or (accept and (ask or dry_run)):
        raise WrongUsage("--text goes with --accept, and --accept with no --ask and no --dry-run")
    memory, out = call.memory(), call.out
    plan = plan_learning(memory)
    outcome = Outcome(plan)
    asking = not (ask or accept or dry_run or call.json) and call.interactive()
    if accept:
        outcome = record_answers(memory, plan, accepted(plan, accept, text), Author(agent))
    elif ask:
        outcome = raise_threads(memory, plan, Author(agent), dry_run=dry_run)
    elif asking and (plan.proposals or plan.promotions):
        outcome = record_answers(memory, plan, walk(plan, out), Author(agent))
    call.landed = bool(outcome.receipt and outcome.receipt.commit)
    if call.json:
        out.answer(_learning_object(outcome, dry_run))
        return out.findings(outcome.findings)
    if ask or accept or (asking and (plan.proposals or plan.promotions)):
        _show_outcome(outcome, out, memory.home.branch, asked=ask)
    else:
        show(plan, out)
        if plan.proposals or plan.promotions:
            out.hint(
                "on a terminal `diurna review --learn` asks about each; --ask raises them as threads"
            )
    out.findings(outcome.findings)


def _learning_object(outcome: Outcome, dry_run: bool) -> dict[str, object]:
    plan, receipt = outcome.plan, outcome.receipt
    return {
        "tip": plan.tip,
        "code": plan.code,
        "proposals": [proposal_object(one) for one in plan.proposals],
        "more": plan.more,
        "promotions": [promotion_object(one) for one in plan.promotions],
        "raised": list(outcome.raised),
        "stem": receipt.stem if receipt else "",
        "commit": receipt.commit if receipt else "",
        "dry_run": dry_run,
    }


def show(plan: Plan, out: Output) -> None:
    """Print the proposals with what shows them, and their diffs."""
    steps: list[Proposal | Promotion] = [*plan.proposals, *plan.promotions]
    for number, step in enumerate(steps, 1):
        if number > 1:
            out.line()
        _show(step, f"{number}/{len(steps)}", out, out.line)
    if not steps:
        out.line("nothing to learn")
    if plan.more:
        out.line(f"{plan.more} more wait until these are answered")


def walk(plan: Plan, out: Output) -> dict[str, Answer]:
    """Ask a person about each proposal; return the answers by key."""
    given: dict[str, Answer] = {}
    steps: list[Proposal | Promotion] = [*plan.proposals, *plan.promotions]
    for number, step in enumerate(steps, 1):
        out.talk()
        _show(step, f"{number}/{len(steps)}", out, out.talk)
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
    steps: list[Proposal | Promotion] = [*plan.proposals, *plan.promotions]
    named = [one.key for one in steps if one.key.startswith(key)]
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


def _show(step: Proposal | Promotion, place: str, out: Output, line: object) -> None:
    say = out.line if line == out.line else out.talk
    if isinstance(step, Proposal):
        say((f"{place} {step.habit.source}", "bold"), f"  {step.key}")
        say(step.habit.text)
    else:
        say((f"{place} promotion", "bold"), f"  {step.key}")
        say(step.question.said)
    for evidence in step.question.evidence:
        say(f"  {evidence}")
    if isinstance(step, Promotion) and step.refused:
        say((f"  {step.path} can not be written: ", "red"), step.refused)
    for text in step.diff:
        colour = {"+": "green", "-": "red"}.get(text[:1], "dim")
        say((text, colour))


def _show_outcome(outcome: Outcome, out: Output, branch: str, *, asked: bool) -> None:
    receipt = outcome.receipt
    if receipt is None and not outcome.rejected:
        return out.line(
            "nothing new is to be asked"
            if asked
            else "nothing was answered, so nothing was recorded"
        )
    if receipt and (receipt.commit or receipt.waits):
        out.line((out.short(receipt.stem), "yellow"), f"  {receipt.place(branch)}")
    for name, listed in (
        ("Learned", outcome.facts), ("Rejected", outcome.rejected), ("Raised", outcome.raised),
        ("Written", outcome.written),
    ):  # fmt: skip
        for one in listed:
            dry = receipt is not None and not (receipt.commit or receipt.waits)
            out.line(f"would raise {one}" if dry else f"{name:<9} {one}")
    if outcome.written:
        out.hint("the file is not committed: look at it with `git diff`, and commit it yourself")
