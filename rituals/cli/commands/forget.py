"""Run `diurna forget`: call a fact false, replace it, withhold it, or put it out of sight."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import asked_way, author, decide


@click.command("forget")
@click.argument("id")
@click.option("--false", "how", flag_value="false", help="It does not hold; nothing replaces it.")
@click.option("--replaced-by", default="", metavar="ID", help="It does not hold; that one does.")
@click.option("--withhold", "how", flag_value="withhold", help="Show its text to nobody again.")
@click.option("--archive", "how", flag_value="archive", help="It holds; put it out of sight.")
@click.option("--reason", default="", metavar="TEXT", help="Why; it is recorded.")
@author
@options.command
def command(
    call: Invocation, /, id: str, how: str | None, replaced_by: str, reason: str, **recorded: Any
) -> None:  # fmt: skip
    """Let a fact go, in one of four ways. On a terminal it asks which; nothing is ever deleted.

    A fact that is false or replaced goes to the archive, with who said so. --withhold hides its
    text for good, as `diurna redact` does. --archive puts it out of sight, as `diurna archive`
    does: the next work log that names it brings it back.

    \b
    Examples:
      diurna forget webhook-once --replaced-by webhook-retries
      diurna forget staging-login --withhold --reason "It holds a password."
    """
    from rituals.decide.archiving import archiving
    from rituals.decide.fact_corrections import denial

    memory = call.memory()
    fact = memory.standing(id).fact
    id = fact.id
    if how and replaced_by:
        raise WrongUsage(f"--{how} and --replaced-by are two things", hint="say one of them")
    if not (how or replaced_by):
        how, replaced_by = asked_way(call, id, "" if fact.redacted else fact.text)
        if how == "quit":
            return
        reason = reason or click.prompt("why", "", show_default=False, err=True)
    if how == "withhold":
        from rituals.cli.commands.redact import command as redact

        reason = reason or "It is to be forgotten."
        click.get_current_context().invoke(redact, targets=(id,), reason=reason, **recorded)
    elif how == "archive":
        decide(call, archiving(memory, id, reason), **recorded)
    else:
        decide(call, denial(memory, id, replaced_by, reason), **recorded)
