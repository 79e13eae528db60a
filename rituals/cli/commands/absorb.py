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
    where it publishes, absorb an edit by themselves. What a merged REVIEW.md answers is recorded,
    too, and the file taken out.

    \b
    Examples:
      diurna absorb --dry-run
      diurna absorb
    """
    from rituals.answers.json_objects import absorption_object
    from rituals.cli.terminal.review_request_text import taken_object, tell_taken, void_findings
    from rituals.review.pull_request import take_in

    memory = call.memory()
    taken = take_in(memory, dry_run=dry_run)
    found = memory.absorb(dry_run=dry_run)
    more = (*found.committed, *memory.left_alone())
    call.landed = bool(found.commit or found.committed or (taken and taken.commit))
    out = call.out
    if call.json:
        said = {"review": taken_object(taken), "dry_run": dry_run}
        out.answer({**absorption_object(found), **said})
    elif not found.file and found.committed:
        out.line("committed edits " + ("would become logs" if dry_run else "became logs"))
    elif not found.file and more:
        out.line("nothing new: what no log can say stays in the file")
    elif not found.file and not taken:
        out.line("nothing to do: continuity.md is as Diurna wrote it")
    elif found.file:
        for one in (found, *found.others):
            _print(one, call, memory.home.branch, dry_run)
    if not call.json:
        tell_taken(call, taken, dry_run=dry_run)
    others = [said for one in found.others for said in one.findings]
    out.findings((*found.findings, *others, *more, *void_findings(taken)))


def _print(found: Absorption, call: Invocation, branch: str, dry_run: bool) -> None:
    """Say what became of the edit of one file."""
    from rituals.answers.json_objects import event_line

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
