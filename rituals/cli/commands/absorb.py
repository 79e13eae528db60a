"""Run `diurna absorb`: make a log of what was edited in continuity.md, or in a view."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.edits.absorb import Absorption


@click.command("absorb")
@options.dry_run
@options.command
def command(call: Invocation, dry_run: bool) -> None:
    """Make a log of your edits of continuity.md or a published view, and rewrite the file.

    Reword a fact, tick a thread, add or delete a bullet, or set `tier: core`. What cannot become a
    log is named with its line, and then nothing changes. `publish`, `replay --write`, and `append`
    where it publishes, absorb an edit by themselves.

    \b
    Examples:
      diurna absorb --dry-run
      diurna absorb
    """
    from rituals.answers.objects import absorption_object

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
    else:
        for one in (found, *found.others):
            _print(one, call, memory.home.branch, dry_run)
    others = [said for one in found.others for said in one.findings]
    out.findings((*found.findings, *others, *more))


def _print(found: Absorption, call: Invocation, branch: str, dry_run: bool) -> None:
    """Say what became of the edit of one file."""
    from rituals.answers.objects import event_line

    out = call.out
    if not found.events:
        said = "the ledger says it already"
        out.line(f"{said}; {found.file} {'would be' if dry_run else 'is'} written anew")
        return
    if dry_run:
        out.line(f"would absorb the edit of {found.file}")
    else:
        stem = out.short(found.stem)
        out.line((stem, "yellow"), f"  committed in {found.commit[:7]} on {branch}")
    for event in found.events:
        out.line(event_line(event))
