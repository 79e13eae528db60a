"""Run `diurna critique`: a second opinion becomes open threads, and each is applied or rejected."""

from __future__ import annotations

import os
from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import STDIN, Invocation
from rituals.cli.terminal.decisions_text import author


@click.command("critique")
@click.argument("file", default="", metavar="[FILE]")
@click.option("--task", default="", metavar="ID", help="What the critique is about.")
@click.option("--applied", nargs=2, multiple=True, metavar="ID WHY",
              help="Close a point: it was applied.")  # fmt: skip
@click.option("--rejected", nargs=2, multiple=True, metavar="ID WHY",
              help="Close a point: it was rejected.")  # fmt: skip
@author
@options.command
def command(
    call: Invocation,
    /,
    file: str,
    task: str,
    applied: tuple[tuple[str, str], ...],
    rejected: tuple[tuple[str, str], ...],
    **given: Any,
) -> None:
    """Make an open thread of each point of a critique, or say what became of points.

    Points are bullets, numbered items, and headings with text below them. Reading the same point
    again adds nothing. FILE may be - for standard input.

    \b
    Examples:
      diurna critique opinion.md --task wire-retry-queue
      diurna critique --applied critique-1f0c9a2e "The queue has a limit now."
    """
    from rituals.cli.terminal.decisions_text import decide
    from rituals.decide.critique_threads import raising, settling

    settles = bool(applied or rejected)
    if bool(file) == settles or (settles and task):
        raise WrongUsage(
            "name a file, or what was applied or rejected",
            hint='`diurna critique FILE`, `diurna critique --applied ID "WHY"`',
        )
    memory = call.memory()
    if settles:
        decision = settling(memory, dict(applied), dict(rejected))
    else:
        source = "standard input" if file == STDIN else os.path.basename(file)
        text = call.read(file).decode("utf-8", "replace")
        decision = raising(memory, text, source, task)
    decide(call, decision, **given)
