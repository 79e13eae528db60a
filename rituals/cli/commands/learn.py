"""Run `diurna review --learn`: what could be learned."""

from __future__ import annotations

from typing import Any

from ledger.errors import NotFound, WrongUsage
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.dialog import chosen
from rituals.cli.layout import Layout
from rituals.cli.output import counted
from rituals.review.learning_plan import (
    ACCEPT,
    REJECT,
    Outcome,
    plan_learning,
    raise_threads,
    record_answers,
)

_LATER, _QUIT = "later", "quit"
_PROPOSAL = "key=question.key source text places evidence=question.evidence diff"
_PROMOTION = "key=question.key evidence=question.evidence path refused diff"
#: letter -> (name, what it does); the name has the letter in it.
_ANSWERS = {
    "a": (ACCEPT, "record it as the diff shows it; `--accept KEY --text TEXT` says it otherwise"),
    "r": (REJECT, "it is not worth keeping; do not ask again"),
    "l": (_LATER, "leave it; ask again next time"),
    "q": (_QUIT, "record what is answered, and leave the rest"),
}
_LEARNED = Layout("""
=steps|{number} {source:bold}  {key}
=steps|{said}
=steps|evidence|  {}
=steps|  {path} can not be written: {refused}
=steps|diff|{}
=steps|
[{=more} more wait until these are answered]
{stem~:yellow}  {=place}
=would|would raise {}
=learned|Learned   {}
=rejected|Rejected  {}
=raised|Raised    {}
Written   {=written}
{=nothing}
""")


def learn(call: Invocation, ask: bool, accept: str, text: str, agent: str, dry_run: bool) -> None:
    """Propose what sessions taught, and record what is answered."""
    if (text and not accept) or (accept and (ask or dry_run)):
        raise WrongUsage("--text goes with --accept, and --accept with no --ask and no --dry-run")
    memory = call.memory()
    plan, outcome = plan_learning(memory), Outcome()
    steps = [
        {
            **fields_of(one, f"source {_PROMOTION}"),
            "number": f"{number}/{len(plan.steps)}",
            "said": one.question.said if one.path else one.text,
        }
        for number, one in enumerate(plan.steps, 1)
    ]
    asking = bool(steps) and not (ask or dry_run or call.json) and call.interactive()
    if accept:
        named = [one["key"] for one in steps if one["key"].startswith(accept)]
        if len(named) != 1:
            said = f"{counted(len(named), 'proposal')} of now begin with {accept!r}"
            raise NotFound(said, hint="diurna review --learn lists them")
        given = {named[0]: (ACCEPT, text.strip())}
        outcome = record_answers(memory, plan, given, agent)
    elif ask:
        outcome = raise_threads(memory, plan, agent, dry_run=dry_run)
    elif asking:
        outcome = record_answers(memory, plan, _asked(call, steps), agent)
    receipt = outcome.receipt
    call.landed = bool(receipt and receipt.commit)
    dry = receipt is not None and not (receipt.commit or receipt.waits)
    lists = not (ask or accept or asking)
    how = "on a terminal `diurna review --learn` asks about each; --ask raises them as threads"
    written = "the file is not committed: look at it with `git diff`, and commit it yourself"
    hints = (how,) * bool(lists and steps) + (written,) * bool(outcome.written)
    nothing = (
        "nothing new is to be asked" if ask else "nothing was answered, so nothing was recorded"
    )
    if lists:
        nothing = "" if steps else "nothing to learn"
    values = {
        **fields_of(plan, "tip code"),
        "proposals": [
            {**fields_of(one, _PROPOSAL), "id": one.question.accept[0].id} for one in plan.proposals
        ],
        "promotions": [
            {**fields_of(one, _PROMOTION), "id": one.places[0]} for one in plan.promotions
        ],
        "more": plan.more,
        "raised": outcome.raised,
        "stem": receipt.stem if receipt else "",
        "commit": receipt.commit if receipt else "",
        "dry_run": dry_run,
        "=steps": steps if lists else (),
        "=more": plan.more if lists else 0,
        "=place": receipt.place(memory.home.branch) if receipt and not dry else "",
        "=would": outcome.raised if dry else (),
        "=learned": outcome.facts,
        "=rejected": outcome.rejected,
        "=raised": () if dry else outcome.raised,
        "=written": outcome.written,
        "=nothing": "" if receipt else nothing,
    }
    call.answer(values, _LEARNED, findings=receipt.findings if receipt else (), hints=hints)


def _asked(call: Invocation, steps: list[dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """Ask a person about each proposal; return the answers by key."""
    given: dict[str, tuple[str, str]] = {}
    for step in steps:
        call.show({"=steps": [step]}, _LEARNED, beside=True)
        letters = "rlq" if step["refused"] else "arlq"
        answer = chosen({letter: _ANSWERS[letter] for letter in letters}, "l", call.out)
        if answer == _QUIT:
            break
        if answer != _LATER:
            given[step["key"]] = answer, ""
    return given
