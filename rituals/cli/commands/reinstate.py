"""Run `diurna reinstate`: say that a superseded or invalidated fact holds after all."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.views.decisions import author, decide


@click.command("reinstate")
@click.argument("id")
@click.option("--reason", required=True, metavar="TEXT", help="Why it holds after all.")
@author
@options.command
def command(call: Invocation, /, id: str, reason: str, **recorded: Any) -> None:
    """Say that a superseded or invalidated fact holds after all: a person's act, recorded with its reason.

    Takes back what the logs say against it that stand here now; what is said elsewhere meanwhile, or
    later, counts. Its successors go on standing.

    \b
    Example:
      diurna reinstate api-timeouts --reason "The 20 s were a test; production has 10 s."
    """
    from rituals.decide.confirmation import reinstatement

    if not reason.strip():
        raise WrongUsage("the reason is empty", hint="say in a sentence why it holds after all")
    decide(call, reinstatement(call.memory(), id, reason), **recorded)
