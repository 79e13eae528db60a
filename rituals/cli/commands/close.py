"""Run `diurna close`: say that a thread, a task, a handoff or a finding is done."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import author, decide


@click.command("close")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", default="", metavar="TEXT", help="What came of it.")
@author
@options.command
def command(call: Invocation, /, ids: tuple[str, ...], reason: str, **recorded: Any) -> None:
    """Say that threads, tasks, handoffs or findings are done.

    `diurna append --reopen ID` opens one again.

    \b
    Example:
      diurna close find-retry-limit --reason "Three; see webhook-retries."
    """
    from rituals.decide.fact_corrections import closing

    decide(call, closing(call.memory(), ids, reason), **recorded)
