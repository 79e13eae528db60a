"""Run `diurna append`: append a session log and commit it."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import append_options, options
from rituals.cli.context import Invocation


@click.command("append", epilog=append_options.EPILOG)
@click.argument("file", default="", required=False)
@append_options.content
@append_options.header
@append_options.write
@append_options.stage
@options.dry_run
@options.command
def command(
    call: Invocation,
    /,
    file: str,
    again: bool,
    stage: bool,
    strict: bool,
    dry_run: bool,
    **given: Any,
) -> None:
    """Append a session log and commit it.

    The log comes from a markdown FILE (- for standard input), from options, from both, or from
    JSON. Agent, time, branch and commit are filled in. Secrets are taken out, and you are told; a
    line with `diurna: allow-secret` is left as it is.
    """
    from rituals.cli.append_input import read_draft_of
    from rituals.cli.terminal.receipt_text import record

    draft = read_draft_of(call, call.memory(), file, given)
    record(call, draft, again=again, dry_run=dry_run, stage=stage, strict=strict)
