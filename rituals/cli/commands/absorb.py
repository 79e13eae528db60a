"""Run `diurna absorb`: make a log of what was edited in continuity.md."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("absorb")
@options.dry_run
@options.command
def command(call: Invocation, dry_run: bool) -> None:
    """Make a log of what you edited in continuity.md, and write the file anew.

    Reword a fact, tick a thread, add or delete a bullet, set `tier: core`. Whatever no event can say is
    named with its line, and nothing changes. `publish`, `replay --write`, and `append` where it
    publishes, absorb an edit by themselves.

    \b
    Examples:
      diurna absorb --dry-run
      diurna absorb
    """
    from rituals.answers.objects import absorption_object, event_line

    memory = call.memory()
    found = memory.absorb(dry_run=dry_run)
    more = (*found.committed, *memory.left_alone())
    call.landed = bool(found.commit or found.committed)
    out = call.out
    if call.json:
        out.answer({**absorption_object(found), "dry_run": dry_run})
    elif not found.file and found.committed:
        out.line("committed edits " + ("would become logs" if dry_run else "became logs"))
    elif not found.file and more:
        out.line("nothing new: what no log can say stays in the file")
    elif not found.file:
        out.line("nothing to do: continuity.md is as Diurna wrote it")
    elif not found.events:
        said = "the ledger says it already"
        out.line(f"{said}; {found.file} {'would be' if dry_run else 'is'} written anew")
    else:
        if dry_run:
            out.line(f"would absorb the edit of {found.file}")
        else:
            where = f"{found.commit[:7]} on {memory.home.branch}"
            out.line((out.short(found.stem), "yellow"), f"  committed in {where}")
        for event in found.events:
            out.line(event_line(event))
    out.findings((*found.findings, *more))
