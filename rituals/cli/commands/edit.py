"""Run `diurna edit`: give a fact another text, or another kind."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import STDIN, Invocation
from rituals.cli.terminal.decisions_text import author, decide


@click.command("edit")
@click.argument("id")
@click.argument("text", default="")
@click.option("--kind", default="", metavar="KIND", help="The kind that it is of from now on.")
@click.option(
    "--until",
    default="",
    metavar="WHAT",
    help="What ends it: `tag v5*`, `merged x`, `gone PATH`, `date 2027-01-31`, …",
)
@click.option("--reason", default="", metavar="TEXT", help="Why it changes.")
@author
@options.command
def command(
    call: Invocation, /, id: str, text: str, kind: str, until: str, reason: str, **recorded: Any
) -> None:
    """Give a fact a new text. The old one stays in its history (`diurna why ID --versions`).

    Without TEXT, on a terminal, $VISUAL or else $EDITOR opens with the text; - reads standard
    input. If the fact is false altogether: `diurna note "…" --replace ID`, or `diurna forget ID`.

    \b
    Examples:
      diurna edit api-timeouts "All outbound calls time out after 10 s."
      diurna edit api-timeouts --kind invariant
      diurna edit api-timeouts --until "tag v5*"
    """
    from rituals.decide.fact_corrections import rewording

    memory = call.memory()
    if text == STDIN:
        text = call.read(STDIN).decode("utf-8", "replace").strip()
        if not text:
            raise WrongUsage("standard input holds no text", hint="`diurna forget ID` forgets it")
    elif not (text or kind or until):
        before = memory.standing(id).fact
        if call.json or not call.interactive():
            raise WrongUsage("the new text is missing", hint=f'diurna edit {id} "TEXT"')
        text = "" if before.redacted else (click.edit(before.text, extension=".md") or "").strip()
    decide(call, rewording(memory, id, text, kind, reason, until), **recorded)
