"""Run `diurna entity`: show all that memory holds about an entity, or list the entities."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("entity")
@click.argument("name", default="")
@options.listing(entities="facts false name spellings", facts=options.FACT)
def command(call: Invocation, name: str) -> None:
    """Show all that memory holds about an entity, with a summary of what holds now.

    A fact says what it is about in its footer, `entity: NAME`, several names separated by commas.
    Without NAME it lists the entities.

    \b
    Examples:
      diurna show --about
      diurna show --about "Payments API"
    """
    from rituals.cli.terminal.graph_text import entity_line, entity_object, show_entity, view_object

    memory, out = call.memory(), call.out
    if name:
        view = memory.entity(name)
        marks = memory.marks([standing.fact for standing in view.standings])
        if call.json:
            out.answer(view_object(view, marks))
        else:
            show_entity(out, view, marks)
        return
    found = memory.entities()
    if call.json:
        out.answer({"entities": [entity_object(one) for one in found]})
        return
    if not found:
        out.talk("no fact names an entity")
        out.hint("a fact's footer says what it is about: `entity: NAME`")
    for one in found:
        entity_line(out, one)
