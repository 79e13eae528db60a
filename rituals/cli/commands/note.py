"""Run `diurna note`: the short write, a fact for each text."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import append_options, options
from rituals.cli.context import Invocation


@click.command("note")
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@append_options.short
@options.dry_run
@options.command
def command(
    call: Invocation,
    /,
    texts: tuple[str, ...],
    again: bool,
    strict: bool,
    dry_run: bool,
    **given: Any,
) -> None:
    """Record facts, a text each: the short form of `append --new`.

    A text may begin with its kind (`decision: …`, `thread: …`), and before that with `id=my-id`,
    `entity=NAME`, `tags=NAME`. Without TEXT, or with -, standard input is read: a fact for each line, or
    for each bullet where there are bullets; a bullet with an open checkbox is a thread.

    \b
    Examples:
      diurna note "decision: We use uv, not pip."
      diurna note "CI runs on two cores." "thread: Is one retry enough?" --ref api-timeouts
      diurna note --dry-run < notes.md
    """
    from rituals.cli.append_input import read_note_of
    from rituals.cli.views.receipt import record

    draft = read_note_of(call, call.memory(), texts, given)
    record(call, draft, again=again, dry_run=dry_run, strict=strict)
