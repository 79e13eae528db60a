"""Run `diurna timeline`: show the sessions around a fact, a session, a date, a commit or a question."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("timeline")
@click.argument("anchor", nargs=-1, metavar="[ANCHOR]")
@click.option("--before", default="48h", metavar="TIME", help="How far back: 30m, 48h, 7d, 2w.")
@click.option("--after", default="24h", metavar="TIME", help="How far on.")
@click.option("--agent", default="", metavar="NAME", help="Only sessions of this agent.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND",
              help="Only sessions that named a fact of this kind; may be repeated.")  # fmt: skip
@click.option("-n", "limit", type=click.IntRange(min=1), default=20, metavar="N",
              help="At most so many sessions, those nearest to the anchor; 20 by default.")  # fmt: skip
@options.listing(sessions="agent anchor ended facts stem summary title tokens type")
def command(
    call: Invocation,
    anchor: tuple[str, ...],
    before: str,
    after: str,
    agent: str,
    kinds: tuple[str, ...],
    limit: int,
) -> None:
    """Show what happened around something: the sessions before and after it, oldest first.

    ANCHOR is the id of a fact (around every event of it), a stem or the start of one, a time, a
    commit of the code, or a question, whose best answer is taken; without one, the newest session.

    \b
    Examples:
      diurna log --around webhook-retry-queue --before 7d
      diurna log --around 2026-11-01 --after 48h
      diurna log --around why did the webhooks get lost
    """
    found = call.memory().timeline(
        " ".join(anchor), before=before, after=after, limit=limit, agent=agent, kinds=kinds
    )
    call.opened(anchor[:1] if len(anchor) == 1 else ())
    from rituals.cli.terminal.sessions_text import print_timeline, timeline_object

    if call.json:
        call.out.answer(timeline_object(found))
        return
    print_timeline(found, call.out)
    if not found.sessions:
        if agent or kinds:
            call.out.talk("no session matches")
        else:
            call.out.talk("no session there" if found.start else "no session log yet")
        if found.start:
            call.out.hint("`--before` and `--after` reach further: 7d, 4w")
