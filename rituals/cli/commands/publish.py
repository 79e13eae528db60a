"""Run `diurna publish`: write and commit the projection where it drifted."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.edits.discard import Dropped

#: How many lines of a page that goes are shown.
_SHOWN = 40


@click.command("publish")
@click.option(
    "--discard-edits",
    is_flag=True,
    help="Also over people's edits of these files that no log has; they are shown and kept beside git.",
)
@options.dry_run
@options.command
def command(call: Invocation, discard_edits: bool, dry_run: bool) -> None:
    """Write and commit the projection where it differs from the replay.

    A person's edit becomes a log first. If a line of it is not understood, nothing is published:
    correct that line, or let the page go with --discard-edits.

    \b
    Examples:
      diurna publish --dry-run
      diurna publish
      diurna publish --discard-edits --dry-run
    """
    from memory.worktree.trunk import publishing

    memory = call.memory()
    if not dry_run:
        landed = memory.drain(share=True)
        call.out.findings(landed.findings if landed else ())
    found = memory.discard_edits(dry_run=dry_run) if discard_edits else None
    if found and found.dropped:
        files, commit = found.files, found.commit
    else:
        files, commit = memory.publish(dry_run=dry_run)
    dropped = found.dropped if found else ()
    if call.json:
        lost = [{"file": one.file, "kept": one.kept, "lines": list(one.lines)} for one in dropped]
        call.out.answer(
            {"files": list(files), "commit": commit, "dropped": lost, "dry_run": dry_run}
        )
        return
    for one in dropped:
        _show(one, call, dry_run)
    for path in files:
        call.out.line(f"{'would write' if dry_run else 'wrote'} {path}")
    if commit:
        call.out.line(f"committed in {commit[:7]} on {memory.home.branch}")
        where = publishing(memory.home, memory.policy)
        if not where.here and where.trunk:
            said = f"a pull request from {memory.home.branch} can conflict in them"
            call.out.hint(f"these files are published on {where.trunk}; {said}")
    elif not files and not dropped:
        call.out.line("nothing to do: the projection is in step")


def _show(one: Dropped, call: Invocation, dry_run: bool) -> None:
    """Show what goes of a file, and where it is kept."""
    out = call.out
    for line in one.lines[:_SHOWN]:
        out.line(f"- {line}")
    if len(one.lines) > _SHOWN:
        out.line(f"… and {len(one.lines) - _SHOWN} more lines")
    would = "would write" if dry_run else "wrote"
    keep = "would be kept" if dry_run else "is kept"
    out.line(f"{would} {one.file} anew; as it was it {keep} in {one.kept}")
