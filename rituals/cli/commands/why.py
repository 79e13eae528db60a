"""`diurna why`."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("why")
@click.argument("id")
@options.command
def command(call: Invocation, id: str) -> None:
    """Show where a fact comes from: every event of it, oldest first, with each version of its text.

    \b
    Example:
      diurna why webhook-retry-queue
    """
    found = call.memory().why(id)
    out = call.out
    if call.json:
        from rituals.cli.answers import step_object

        out.answer({"id": found.id, "events": [step_object(step) for step in found.steps]})
        return
    out.line((found.id, "bold"))
    for step in found.steps:
        out.line("")
        out.line(f"{step.date}  ", (step.event, "bold"), f"  by {step.agent or 'nobody named'}")
        made = f", commit {step.commit} by {step.author}" if step.commit else ""
        out.line(("  in ", "dim"), step.stem, made)
        if step.remark:
            out.line(f"  remark: {step.remark}")
        if step.version:
            replaces = f", replaces {', '.join(step.was)}" if step.was else ""
            out.line(f"  version {step.version}{replaces}:")
            for line in step.text.split("\n"):
                out.line(f"    {line}".rstrip())
