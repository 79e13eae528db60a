"""Run `diurna recall`: find what answers a question: facts and passages of session logs."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.option_table import RECALL


@click.command("recall")
@click.argument("query", nargs=-1, metavar="[QUERY]")
@options.everywhere
@options.of_table(*RECALL)
@options.listing(
    hits="agent branch closed date false here how id instead kind known known_by landed line "
    "marks parts passage point score stem text text_here tier tokens whole"
)
def command(call: Invocation, /, query: tuple[str, ...], **given: Any) -> None:
    """Find what answers a question, in few tokens: first one line each, then more of what matters.

    "quoted words" must follow each other, begin* stands for every word that begins so, and behind
    `--` a hit must not contain what -word or -"quoted words" name.

    \b
    Examples:
      diurna recall how are webhooks retried
      diurna recall --kind decision --since 2026-11-01 -- retry -timeout
      diurna recall --yours how do I like commit messages
      diurna recall --ids webhook-retry-queue --level full
    """
    from rituals.cli.terminal.recall_text import answer

    answer(call, query, given)
