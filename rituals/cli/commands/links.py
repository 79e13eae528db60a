"""Run `diurna links`: show what a fact is linked with, one hop and two hops away."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation

_EDGE = (
    "branch closed direction edge entity exists false here how id instead kind landed line "
    "marks point text_here tier via"
)


@click.command("links")
@click.argument("id")
@click.option("--hops", type=click.IntRange(1, 3), default=2, metavar="N", show_default=True,
              help="How far to look, 1 to 3.")  # fmt: skip
@options.listing(**dict.fromkeys(("near", "far", "farther"), _EDGE))
def command(call: Invocation, id: str, hops: int) -> None:
    """Show what a fact is linked with: supersessions, footers, `[[id]]` in texts, shared entities.

    Also what helped in the log that created it, and what else helped where it helped. A link to a
    fact that does not exist says so, and a superseded fact shows what replaced it. With three hops
    also the purpose: what the fact serves, up to its vision, what serves it, and the commits that
    their texts and logs name.

    \b
    Examples:
      diurna show --links webhook-retry-queue
      diurna show --links webhook-retry-queue --hops 1
      diurna show --links vision --hops 3
    """
    from rituals.cli.terminal.graph_text import links_object, show_links

    found = call.memory().links(id, hops)
    if call.json:
        call.out.answer(links_object(found))
        return
    show_links(call.out, found)
    if not found.near and not found.crowds:
        call.out.talk("nothing is linked with it")
