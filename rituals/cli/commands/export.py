"""Run `diurna export`: write a memory in a form that other programs read."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("export")
@click.argument("what", type=click.Choice(("events",)), metavar="events")
@options.command
def command(call: Invocation, what: str) -> None:
    """Print all events as lines of JSON: one about the whole, then one for each session log.

    Nothing is lost: header, title, prose, every field of every event, and of a log written by hand its
    text. `diurna import events` makes the same logs of them, to the byte. As git does it carries the words
    of what was redacted, with the log that withholds them.

    \b
    Examples:
      diurna export events > memory.ndjson
      diurna export events | jq 'select(.title) | .title'
    """
    from rituals.report.export.events_out import event_lines

    for line in event_lines(call.memory(), call.out.progress):
        call.out.text(line)
