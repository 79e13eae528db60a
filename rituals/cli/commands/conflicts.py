"""Run `diurna conflicts`: every side of a contradiction, and which of them holds."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.answers.record_fields import fields_of
from rituals.cli.commands.decisions import decide
from rituals.cli.context import Invocation
from rituals.cli.output import Output
from rituals.decide.open_contradictions import DECLARED, Dispute, contested, disputes

#: What says which side holds.
_VERDICT = ("choose", "text", "file", "closed", "state")


def conflicts(call: Invocation, /, ids: tuple[str, ...], mode: str | None, **given: Any) -> None:
    """Run `diurna conflicts`."""
    if mode or given["both"] or any(given[key] not in ("", None) for key in _VERDICT):
        if len(ids) != 1:
            raise WrongUsage("name one ID to resolve", hint="`diurna conflicts` lists them")
        return _resolve(call, ids[0], **given)
    if any(given.values()):
        raise WrongUsage("--agent, --title and --dry-run go with what resolves a contradiction")
    found = disputes(call.memory(), ids)
    if call.json:
        return call.out.answer({"contradictions": [_dispute_object(one) for one in found]})
    if not found:
        call.out.talk("no contradiction" + (f" about {', '.join(ids)}" if ids else ""))
    number = 1
    for place, one in enumerate(found):
        # choices of one fact are numbered together, as `--choose` reads them
        number = 1 if not place or found[place - 1].fact != one.fact else number
        number = _show_dispute(call.out, one, number)


def _resolve(
    call: Invocation, /, id: str, choose: str, text: str | None, file: str, closed: bool | None,
    **recorded: Any,
) -> None:  # fmt: skip
    """Record which side of a contradiction holds."""
    from rituals.decide.resolution import Verdict, resolution

    if text and file:
        raise WrongUsage("--text and --file both give a text", hint="leave one of them out")
    if file:
        text = call.text(file)
    if text is not None and not text.strip():
        raise WrongUsage("the new text is empty")
    memory = call.memory()
    state, both = recorded.pop("state") or "", recorded.pop("both")
    verdict = Verdict(choose, text or "", closed, state, both)
    if verdict.says_nothing and not call.piped() and not call.json:
        verdict = verdict._replace(choose=_asked(call, id))
    decide(call, resolution(memory, id, verdict), **recorded)


def ask_open(call: Invocation) -> bool:
    """Ask of each contradiction which side holds, and record it; what is left stays open.

    Returns:
        Whether more may be asked.
    """
    from rituals.decide.resolution import Verdict, resolution

    for fact, _ in contested(call.memory().state()):
        choose = _asked(call, fact, leave=True)
        if choose == _QUIT:
            return False
        if choose:
            found = resolution(call.memory(), fact, Verdict(choose))
            decide(call, found, agent="", title="", dry_run=False)
    return True


_LATER, _QUIT = "l", "q"


def _asked(call: Invocation, id: str, *, leave: bool = False) -> str:
    """Show the sides and ask which holds; "" where there is none, or it is left; or `_QUIT`."""
    from rituals.decide.resolution import choices

    found = disputes(call.memory(), (id,))
    number = 1
    for one in found:
        number = _show_dispute(call.out, one, number)
    if not found:
        return ""
    call.out.flush()
    sides = [str(number) for number in range(1, len(choices(found)) + 1)]
    kind = click.Choice([*sides, *([_LATER, _QUIT] if leave else []), "?"])
    default = _LATER if leave else None
    ask = partial(click.prompt, "which holds?", default, type=kind, show_choices=False, err=True)
    while (said := ask()) == "?":
        call.out.talk(f"  {sides[0]} to {sides[-1]}: that side holds, the others do not")
        leaves = "l (q with all that follows)" if leave else "Ctrl-C"
        call.out.talk(
            f"  {leaves} leaves it open; `diurna conflicts {id} --text TEXT` says it anew"
        )
        call.out.flush()
    return "" if said == _LATER else str(said)


def _dispute_object(dispute: Dispute) -> dict[str, object]:
    return {
        "id": dispute.fact,
        **fields_of(dispute, "kind said"),
        "choices": [
            {
                **fields_of(one, "id text stem person agent date closed"),
                "resolve": dispute.keeping(one),
            }
            for one in dispute.choices
        ],
        "both": _both(dispute),
    }


def _both(dispute: Dispute) -> str:
    return f"diurna conflicts {dispute.fact} --both" if dispute.kind == DECLARED else ""


def _show_dispute(out: Output, dispute: Dispute, number: int = 1) -> int:
    out.line((dispute.fact, "bold"), f" — {dispute.said} ({dispute.kind})")
    for choice in dispute.choices:
        closed = ", closed" if choice.closed else ""
        out.line(f"  {number}  ", (choice.id, "yellow"), f"  {choice.who}, {choice.date}{closed}")
        out.line(("     in ", "dim"), out.short(choice.stem))
        out.indented(choice.text, "     ")
        out.line(("     keep: ", "dim"), dispute.keeping(choice))
        number += 1
    if both := _both(dispute):
        out.line(("  both hold: ", "dim"), both)
    return number
