"""Run `diurna note`: the short write, a fact for each text."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import append_options, options
from rituals.cli.context import Invocation


@click.command("note")
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@append_options.short
@append_options.stage
@options.dry_run
@options.command
def command(
    call: Invocation,
    /,
    texts: tuple[str, ...],
    again: bool,
    stage: bool,
    strict: bool,
    dry_run: bool,
    **given: Any,
) -> None:
    """Record facts, one for each text: the short form of `append --new`.

    A text may begin with its kind (`decision: …`, `lesson: …`, `thread: …`), and before that with
    `id=my-id`, `entity=NAME`, `tags=NAME`. `ID -> KIND: text` replaces a fact, `done ID` closes a
    thread, `wrong ID` says that a fact is false, `used ID, ID` that you relied on them, `title: …`
    what was done.

    Without TEXT, or with -, it reads the lines or bullets on standard input, however they are
    marked; a bullet with an open checkbox is a thread. What cannot be recorded is named, and the
    other lines are recorded. `nothing` records nothing.

    \b
    Examples:
      diurna note "decision: We use uv, not pip."
      diurna note "decision: Webhooks retry three times." --replace webhook-once
      diurna note "CI runs on two cores." "thread: Is one retry enough?" --ref api-timeouts
      diurna note --dry-run < notes.md
    """
    from rituals.cli.append_input import read_note_of
    from rituals.cli.terminal.receipt_text import record_answer

    memory = call.memory()
    answer = read_note_of(call, memory, texts, {**given, "dry_run": dry_run, "strict": strict})
    record_answer(call, answer, again=again, dry_run=dry_run, stage=stage, strict=strict)
