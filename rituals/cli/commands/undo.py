"""Run `diurna undo`: take back what one's own last log did."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.views.decisions import author, decide


@click.command("undo")
@author
@options.command
def command(call: Invocation, agent: str, title: str, dry_run: bool) -> None:
    """Take back what your own last log did, by a log that says so. Nothing is deleted.

    Yours is the newest log of this agent that was committed by whoever commits here. Created facts become
    false, updated ones get the text of before, and what was superseded, invalidated, closed, reopened,
    archived or promoted stands as before. Undone again, it is done again. Refused is what no log can take
    back: a confirmation, a redaction, a contradiction that was resolved, a fact that was changed since.

    \b
    Examples:
      diurna undo --dry-run
      diurna undo
      diurna undo --agent claude-code
    """
    from rituals.decide.undo import undoing

    memory = call.memory()
    if not dry_run:
        memory.drain()
    decision, stem = undoing(memory, agent)
    decide(call, decision, agent, title, dry_run, undone=stem)
