"""Run `diurna resolve`: resolve a contradiction: choose one side, or give a new text."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from ledger.model.task_states import STATES
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import author, decide


@click.command("resolve")
@click.argument("id")
@click.option("--choose", default="", metavar="SIDE",
              help="The side that holds: its start or its number in `diurna conflicts`.")  # fmt: skip
@click.option("--text", default="", metavar="TEXT", help="A new text instead of all of them.")
@click.option("--file", default="", metavar="FILE", help="The new text from a file (- for stdin).")
@click.option("--closed/--open", "closed", default=None, help="Whether the thread is closed.")
@click.option("--state", type=click.Choice(STATES), metavar="STATE",
              help="The state of a task that was moved on several sides.")  # fmt: skip
@author
@options.command
def command(
    call: Invocation, /, id: str, choose: str, text: str, file: str, closed: bool | None,
    **recorded: Any,
) -> None:  # fmt: skip
    """Resolve a contradiction: choose one side, or give a new text.

    Appends a log that names every side there was. A side that arrives later is not settled by it.
    On a terminal, without options, it asks.

    \b
    Examples:
      diurna conflicts api-timeouts --choose 3fa9c1d2
      diurna conflicts api-timeouts --text "Calls time out after 20 s."
      diurna conflicts retry-storm --closed
      diurna conflicts wire-the-queue --state in-progress
    """
    from rituals.decide.resolution import Verdict, resolution

    if text and file:
        raise WrongUsage("--text and --file both give a text", hint="leave one of them out")
    if file:
        text = call.read(file).decode("utf-8", "surrogateescape")
    if (file or "--text" in call.arguments) and not text.strip():
        raise WrongUsage("the new text is empty")
    memory = call.memory()
    verdict = Verdict(choose, text, closed, recorded.pop("state") or "")
    if verdict.says_nothing and not call.piped() and not call.json:
        verdict = verdict._replace(choose=_asked(call, id))
    decide(call, resolution(memory, id, verdict), **recorded)


def _asked(call: Invocation, id: str) -> str:
    """Show the sides and ask which holds; "" where there is nothing to choose."""
    from rituals.cli.terminal.contradictions_text import show_dispute
    from rituals.decide.open_contradictions import disputes
    from rituals.decide.resolution import choices

    found = disputes(call.memory(), (id,))
    number = 1
    for one in found:
        number = show_dispute(call.out, one, number)
    if not found:
        return ""
    call.out.flush()
    sides = [str(number) for number in range(1, len(choices(found)) + 1)]
    kind = click.Choice([*sides, "?"])
    while (said := click.prompt("which holds?", type=kind, show_choices=False, err=True)) == "?":
        call.out.talk(f"  {sides[0]} to {sides[-1]}: that side holds, the others do not")
        call.out.talk(f"  Ctrl-C leaves it open; `diurna resolve {id} --text TEXT` says it anew")
        call.out.flush()
    return str(said)
