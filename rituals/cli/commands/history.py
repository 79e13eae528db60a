"""Run `diurna history`: show every version of a fact, and which stands."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("history")
@click.argument("id")
@options.command
def command(call: Invocation, id: str) -> None:
    """Show every version of a fact, oldest first: who wrote it, when, why, and which stands.

    \b
    Examples:
      diurna history api-timeouts
      diurna restore api-timeouts 3fa9c1d2
    """
    from rituals.decide.versions import tellings

    found = tellings(call.memory(), id)
    out = call.out
    if call.json:
        versions = [
            {
                "number": one.number,
                "version": one.step.version,
                "text": one.step.text,
                "stands": one.stands,
                "event": one.step.event,
                "was": list(one.step.was),
                "stem": one.step.stem,
                "agent": one.step.agent,
                "date": one.step.date,
                "title": one.step.title,
                "commit": one.step.commit,
            }
            for one in found
        ]
        out.answer({"id": id, "versions": versions})
        return
    out.line((id, "bold"))
    for one in found:
        step = one.step
        stands = "  stands" if one.stands else ""
        replaces = f"  replaces {', '.join(step.was)}" if step.was else ""
        out.line("")
        out.line(f"{one.number:>3}  ", (step.version, "yellow"), (stands, "green"), replaces)
        out.line(f"     {step.date}  {step.event} by {step.agent or 'nobody named'}: {step.title}")
        out.line(("     in ", "dim"), out.short(step.stem))
        for line in step.text.split("\n"):
            out.line(f"     {line}".rstrip())
