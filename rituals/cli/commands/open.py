"""Run `diurna open`: open the place where a memory stands in an editor."""

from __future__ import annotations

import click

from ledger.environment import variables
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("open")
@click.argument("what", default="", metavar="[ID|STEM]")
@options.command
def command(call: Invocation, what: str) -> None:
    """Open a memory in $VISUAL or else $EDITOR: continuity.md, unless you name one.

    A fact is opened at its line of continuity.md, or of the archive's page; what you change in
    continuity.md becomes a log (`diurna absorb`). A session log is only for reading. Without a
    terminal or an editor, and with --json, the place is printed.

    \b
    Examples:
      diurna open
      diurna open webhook-retry-queue
      diurna open 2026-11-21-0902
    """
    from memory.query.memory_places import place_of
    from rituals.answers.record_fields import fields_of
    from rituals.cli.editors import editor_of, open_in

    place, out = place_of(call.memory(), what), call.out
    editor = editor_of(variables())
    if call.json:
        out.answer(fields_of(place, "file line"))
    elif editor and call.interactive():
        if place.log:
            out.talk("a session log is never edited; what was wrong in it is said by a new one")
        out.flush()
        open_in(editor, place)
    else:
        out.line(f"{place.file}:{place.line}")
        if call.interactive():
            out.hint("`$VISUAL` or `$EDITOR` names the editor that opens it")
