"""Run `diurna undo`: take back what one's own last log did, or all that a session wrote."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import take_back


@click.command("undo")
@click.argument("stems", nargs=-1, metavar="[STEM]...")
@click.option(
    "--session", default="", metavar="ID", help="All that this session of an agent wrote."
)
@click.option("--agent", default="", metavar="NAME", help="Whose logs; else yours.")
@options.since
@click.option("--redo", is_flag=True, help="Do again what the last undo took back.")
@click.option("--yes", is_flag=True, help="Do not ask, where the logs are named.")
@click.option("--title", default="", metavar="TEXT", help="The log's title.")
@options.dry_run
@options.command
def command(
    call: Invocation, /, stems: tuple[str, ...], redo: bool, yes: bool, title: str, dry_run: bool,
    **chosen: Any,
) -> None:  # fmt: skip
    """Take back what your last log did, by a log that says so; again, the one before.

    Yours is the newest log of this agent that was committed by whoever commits here. What it
    created becomes false, and everything else that it changed is as before. `diurna redo` does it
    again.

    Logs that you name, or that a session wrote, or an agent since a time, are taken back with what
    was derived from them: what supersedes, serves or links to their facts, asks about them, or was
    learned from them. The plan is shown first. What others changed since, or a person decided, is
    left alone and named.

    \b
    Examples:
      diurna undo
      diurna undo --session 0b6f2c1e --dry-run
      diurna undo --agent codex --since "2 hours ago" --yes
    """
    from rituals.decide.log_undo import Asked, redoing, taking_back, undoing

    asked = Asked(stems, **chosen)
    memory = call.memory()
    if not dry_run:
        memory.drain()
    if redo:
        asked.refuse_beside_redo()
        take_back(call, redoing(memory, asked.agent), asked.agent, title, dry_run)
    elif asked.names_logs:
        take_back(call, taking_back(memory, asked), "", title, dry_run, ask=not yes)
    else:
        take_back(call, undoing(memory, asked.agent), asked.agent, title, dry_run)
