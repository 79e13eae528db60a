"""Run `diurna restore`: let an older text of a fact stand again, or a fact that was called false."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import author, decide


@click.command("restore")
@click.argument("id")
@click.argument("version", default="")
@click.option("--reason", default="", metavar="TEXT", help="Why a false fact holds after all.")
@author
@options.command
def command(call: Invocation, /, id: str, version: str, reason: str, **recorded: Any) -> None:
    """Let an older text of a fact hold again, or a fact that was superseded or invalidated.

    Appends a log; nothing is rewritten. VERSION is one of `diurna why ID --versions`, or the start
    of it. Without VERSION the fact holds after all: a person's act, recorded with its reason. It
    takes back what the logs here say against it; what is said elsewhere meanwhile, or later, still
    counts. What replaced it goes on holding.

    \b
    Examples:
      diurna edit --restore api-timeouts 3fa9c1d2
      diurna edit --restore api-timeouts --reason "The 20 s were a test; production has 10 s."
    """
    if version:
        from rituals.decide.version_list import restoration

        if reason:
            raise WrongUsage("--reason goes with a fact that was called false, not with a version")
        decide(call, restoration(call.memory(), id, version), **recorded)
        return
    from rituals.decide.confirmation import reinstatement

    if not reason.strip():
        raise WrongUsage(
            "neither a VERSION nor a --reason is given",
            hint=f"`diurna why {id} --versions` lists its texts; where it was called false, "
            "`--reason TEXT` says in a sentence why it holds after all",
        )
    decide(call, reinstatement(call.memory(), id, reason), **recorded)
