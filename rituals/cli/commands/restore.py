"""Run `diurna restore`: let an older text of a fact stand again."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.views.decisions import author, decide


@click.command("restore")
@click.argument("id")
@click.argument("version")
@author
@options.command
def command(call: Invocation, /, id: str, version: str, **recorded: Any) -> None:
    """Let an older text of a fact stand again. Appends a log; nothing is rewritten.

    VERSION is one of `diurna history ID`, or the start of it.

    \b
    Example:
      diurna restore api-timeouts 3fa9c1d2
    """
    from rituals.decide.versions import restoration

    decide(call, restoration(call.memory(), id, version), **recorded)
