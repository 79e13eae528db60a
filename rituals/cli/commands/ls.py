"""Run `diurna ls`: list facts, one line each."""

from __future__ import annotations

import click

from projection.fold.projection_state import TIERS
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("ls")
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--kind", default="", metavar="KIND", help="Only facts of this kind.")
@click.option("--tier", type=click.Choice(TIERS), metavar="TIER",
              help=f"Only facts of this tier: {', '.join(TIERS)}.")  # fmt: skip
@click.option("-a", "--all", "archived", is_flag=True, help="Archived and superseded facts too.")
@options.everywhere
@options.listing(
    facts="branch closed contradiction false here how id instead kind known known_by landed line "
    "marks point state text_here tier"
)
def command(
    call: Invocation, patterns: tuple[str, ...], kind: str, tier: str | None, archived: bool
) -> None:
    """List facts by kind, a line each: id, kind, tier, how it is known, the start of the text.

    PATTERN is a part of the id or of the text, in any case, or with `*` the whole of an id. Of
    several, each has to match.

    \b
    Examples:
      diurna show --list
      diurna show --list --kind thread
      diurna show --list 'webhook-*' --all
    """
    from memory.query.fact_marks import known
    from rituals.answers.json_objects import known_object
    from rituals.cli.terminal.listing_text import in_sections, line_object, matching, print_line
    from rituals.cli.terminal.selection_text import select

    memory, out = call.memory(), call.out
    state = memory.state()
    found = matching(select(memory, state, (), kind, tier or "", archived), patterns)
    found = in_sections(found, state.policy)
    marks = memory.marks([one.fact for one in found])
    told = memory.ask(lambda cache: known(cache, [one.fact for one in found]))
    if call.json:
        acts = state.histories
        facts = [
            line_object(one, marks[one.fact.id], acts.get(one.fact.id))
            | known_object(told[one.fact.id])
            for one in found
        ]
        out.answer({"facts": facts})
        return
    for one in found:
        print_line(one, marks[one.fact.id], told[one.fact.id], out)
    if not found:
        out.talk("no fact matches" if len(state) else "no fact yet")
        if len(state) and not (archived or tier):
            out.hint("`--all` lists archived and superseded facts too")
