"""Run `diurna status`: show where the ledger stands and what is due."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("status")
@options.command
def command(call: Invocation) -> None:
    """Show where memory stands: its home, its logs and facts, what is due, and what was found.

    `asks` counts the questions of a review, `found` what `diurna check` finds in the ledger
    itself.

    \b
    Example:
      diurna status
    """
    from rituals.answers.json_objects import status_object
    from rituals.answers.status_values import overview
    from rituals.cli.terminal.status_text import show_status

    found = overview(call.memory())
    if call.json:
        call.out.answer(status_object(found))
    else:
        show_status(call.out, found)
