"""Run `diurna diff`: show what memory learned, forgot and corrected between two points."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted


@click.command("diff")
@click.argument("range", metavar="A..B")
@options.command
def command(call: Invocation, range: str) -> None:
    """Show what memory learned, forgot and corrected between two points.

    A point is a time (a day means its end), the name of a log, or a commit; without B it is now.

    \b
    Examples:
      diurna log --changes 2026-11-01..2026-11-21
      diurna log --changes yesterday..
      diurna log --changes HEAD~5..
    """
    from memory.query.provenance import difference

    start, _, end = range.partition("..")
    if not start:
        raise WrongUsage(f"{range!r} does not say from where", hint="diurna diff A..B")
    if end.startswith("."):
        raise WrongUsage(f"{range!r} has three dots", hint=f"diurna diff {start}..{end[1:]}")
    memory = call.memory()
    old, new = memory.state(start), memory.state(end)
    found = difference(old, new)
    if new.summary.logs < old.summary.logs:
        hint = f"diurna diff {end}..{start}" if end else "name the earlier point first"
        raise WrongUsage(f"{end or 'now'} has fewer logs than {start}", hint=hint)
    if call.json:
        from rituals.answers.json_objects import difference_object

        call.out.answer({"from": start, "to": end, **difference_object(found)})
        return
    call.out.line(f"{counted(found.sessions, 'work session')} from {start} to {end or 'now'}")
    rows = [("learned", "green", fact, "") for fact in found.learned]
    rows += [("corrected", "yellow", fact, how) for fact, how in found.corrected]
    rows += [("faded", "red", fact, "") for fact in found.faded]
    rows += [("returned", "green", fact, "") for fact in found.returned]
    rows += [("closed", "cyan", fact, "") for fact in found.closed]
    for what, style, fact, how in rows:
        text = new[fact].fact.text.split("\n")[0]
        remark = f" ({how})" if how else ""
        call.out.line((f"{what:<10}", style), fact, f"{remark} — {text}")
