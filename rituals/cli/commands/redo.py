"""Run `diurna redo`: do again what the last undo took back."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import author, take_back


@click.command("redo")
@author
@options.command
def command(call: Invocation, agent: str, title: str, dry_run: bool) -> None:
    """Do again what your last `diurna undo` took back, by a log that says so; again, the one before.

    \b
    Example:
      diurna redo --dry-run
    """
    from rituals.decide.log_undo import redoing

    memory = call.memory()
    if not dry_run:
        memory.drain()
    take_back(call, redoing(memory, agent), agent, title, dry_run)
