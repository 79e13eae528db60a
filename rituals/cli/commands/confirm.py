"""Run `diurna confirm`: record that a person looked at facts and they hold."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import author, decide


@click.command("confirm")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@author
@options.command
def command(call: Invocation, /, ids: tuple[str, ...], **recorded: Any) -> None:
    """Record that a person looked at facts and they still hold.

    `diurna status` names the facts that are due: those that never fade, and that nobody confirmed
    for `verify_invariants_every` work sessions.

    \b
    Example:
      diurna review --confirm inv-transport-agnostic inv-no-plain-text
    """
    from rituals.decide.confirmation import confirmation

    decide(call, confirmation(call.memory(), ids), **recorded)
