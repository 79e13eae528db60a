"""Run `diurna view`: show one side of memory as a page."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("view")
@click.argument("name", default="", metavar="[NAME]")
@click.argument("argument", nargs=-1, metavar="[DATE|ENTITY]")
@options.listing(sections="level lines title", views="does name")
def command(call: Invocation, name: str, argument: tuple[str, ...]) -> None:
    """Show one side of memory as a page: where the work stands, what was decided, what happened.

    NAME is state, progress, decisions, sessions, daily, weekly, actions, entities or roles;
    without it they are listed. A DATE can be a word such as `yesterday`; days are those of UTC,
    and without one it is the day of the newest log. The same ledger gives the same page.

    \b
    Examples:
      diurna view state
      diurna view daily 2026-11-21
      diurna view entities person/Alice
    """
    from projection.views.view_table import VIEWS

    if not name:
        if call.json:
            call.out.answer({"views": [{"name": one, "does": VIEWS[one]} for one in VIEWS]})
            return
        for one, does in VIEWS.items():
            call.out.line((f"{one:<10}", "bold"), f" {does}")
        return
    from memory.query.home_views import day_of, view_page
    from projection.views.view_page import page_object, write

    said = day_of(name, " ".join(argument), call.now_ms())
    reader = call.memory()
    page = reader.ask(lambda cache: view_page(reader.snapshot, cache, name, said))
    if call.json:
        call.out.answer({"view": name, "argument": said, **page_object(page)})
    else:
        call.out.text(write(page))
