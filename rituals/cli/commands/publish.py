"""Run `diurna publish`: write and commit the projection where it drifted."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("publish")
@options.dry_run
@options.command
def command(call: Invocation, dry_run: bool) -> None:
    """Write and commit the projection where it differs from the replay.

    \b
    Examples:
      diurna publish --dry-run
      diurna publish
    """
    from memory.worktree.trunk import publishing

    memory = call.memory()
    if not dry_run:
        landed = memory.drain()
        call.out.findings(landed.findings if landed else ())
    files, commit = memory.publish(dry_run=dry_run)
    if call.json:
        call.out.answer({"files": list(files), "commit": commit, "dry_run": dry_run})
        return
    for path in files:
        call.out.line(f"{'would write' if dry_run else 'wrote'} {path}")
    if commit:
        call.out.line(f"committed in {commit[:7]} on {memory.home.branch}")
        found = publishing(memory.home, memory.snapshot.cache().policy)
        if not found.here and found.trunk:
            said = f"a pull request from {memory.home.branch} can conflict in them"
            call.out.hint(f"these files are published on {found.trunk}; {said}")
    elif not files:
        call.out.line("nothing to do: the projection is in step")
