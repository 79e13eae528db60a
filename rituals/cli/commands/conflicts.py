"""Run `diurna conflicts`: list contradictions: every side that stands, and how to resolve it."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("conflicts")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@options.listing(contradictions="choices id kind resolve said")
def command(call: Invocation, ids: tuple[str, ...]) -> None:
    """List contradictions: every side, who said it and when, and how to resolve it.

    A person's decision that an agent, a machine or a document overruled is listed too, until a
    person says which holds, in `diurna review`.

    \b
    Examples:
      diurna conflicts
      diurna conflicts api-timeouts --json
    """
    from rituals.cli.terminal.contradictions_text import dispute_object, show_dispute
    from rituals.decide.open_contradictions import disputes
    from rituals.review.overruled_decisions import overruled_sides

    memory = call.memory()
    found = (*disputes(memory, ids), *overruled_sides(memory, ids))
    if call.json:
        call.out.answer({"contradictions": [dispute_object(one) for one in found]})
        return
    if not found:
        call.out.talk("no contradiction" + (f" about {', '.join(ids)}" if ids else ""))
    number = 1
    for place, one in enumerate(found):
        # choices of one fact are numbered together, as `resolve` reads them
        number = 1 if not place or found[place - 1].fact != one.fact else number
        number = show_dispute(call.out, one, number)
