"""Run `diurna digest`: tell in short what a session log says."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("digest")
@click.argument("what", metavar="STEM|FILE|-")
@options.command
def command(call: Invocation, what: str) -> None:
    """Tell in short what a session log says: its summary, decisions, open actions, points and names.

    By rules alone, so the same log always has the same digest. Every line stands in the log, on the line
    whose number is before it; a long one is cut at `…`. The start of a stem is enough. A file or - for
    standard input can be any text.

    \b
    Examples:
      diurna digest 2026-11-21-0902
      diurna digest notes.md --json
    """
    from rituals.cli.views.sessions import digest_object, digested, print_digest

    found = digested(call, what)
    if call.json:
        call.out.answer(digest_object(found))
    else:
        print_digest(found, call.out)
