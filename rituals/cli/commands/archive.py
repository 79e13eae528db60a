"""Run `diurna archive`: put a fact that holds into the archive by hand, and take it out again."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import author, decide


@click.command("archive")
@click.argument("id")
@click.option("--reason", required=True, metavar="TEXT", help="Why it is put away, or taken out.")
@click.option("--back", is_flag=True, help="Take it out of the archive again.")
@author
@options.command
def command(call: Invocation, /, id: str, reason: str, back: bool, **recorded: Any) -> None:
    """Put a fact that holds into the archive, with a reason.

    It keeps its text and can be found there, like one that faded. `--back` takes it out again; so
    does the next work log that names it.

    \b
    Example:
      diurna forget --archive legacy-importer --reason "The importer is frozen until 2027."
    """
    from rituals.decide.archiving import archiving, returning

    if not reason.strip():
        raise WrongUsage("the reason is empty", hint="say in a sentence why")
    plan = returning if back else archiving
    decide(call, plan(call.memory(), id, reason), **recorded)
