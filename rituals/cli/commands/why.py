"""Run `diurna why`: show where a fact comes from, or the reasons behind a place of the code."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation

#: So many supersessions are printed each way.
_NEAR = 100


@click.command("why")
@click.argument("id", metavar="ID|FILE[:LINE]|COMMIT")
@click.option(
    "--versions", is_flag=True, help="Its texts alone, numbered, and which of them stands."
)
@options.everywhere
@options.listing(
    events="agent author by commit created date event evidence path remark source stem text title version "
    "via waiting was",
    versions="agent commit date event number stands stem text title version was",
    decisions="branch by closed false here how id instead kind landed marks outcome point text text_here",
)
def command(call: Invocation, id: str, versions: bool) -> None:
    """Show where a fact comes from, or why a line, a file or a commit of the code is as it is.

    Of a fact: every event, oldest first, with each version of its text. At the end are the
    supersessions that lead to it and on from it, the nearest 100 each way; --json has all.

    Of code: the commits that wrote it, the sessions around them, and what these decided, tried and
    found, the strongest link first. What only words speak for stands below, behind `perhaps`.

    \b
    Examples:
      diurna why webhook-retry-queue
      diurna why webhook-retry-queue --versions
      diurna why src/queue.py:12
    """
    out = call.out
    if not versions:
        from rituals.cli.terminal.reasons_text import told_of_code

        if told_of_code(call, id):
            return
    memory, (fact,), home = call.holding((id,))
    shown = f"{home}/{fact}" if home else fact
    if not home:
        call.opened((fact,))
    if versions:
        from rituals.cli.terminal.versions_text import print_versions, versions_object
        from rituals.decide.version_list import tellings

        told = tellings(memory, fact)
        if call.json:
            out.answer(versions_object(shown, told))
        else:
            print_versions(shown, told, out)
        return
    found = memory.why(fact, near=0 if call.json else _NEAR)
    if home:  # of which the newest commit alone is here, and that tells of no log who committed it
        from memory.query.origins import Origin

        steps = tuple([step._replace(origin=Origin()) for step in found.steps])
        found = found._replace(id=shown, steps=steps)
    if call.json:
        from rituals.answers.json_objects import known_object, link_object, step_object
        from rituals.answers.record_fields import mark_object

        chain = [link_object(link) for link in found.chain]
        events = [step_object(step) for step in found.steps]
        known = known_object(found.known)
        marks = mark_object(found.mark)
        out.answer({"id": found.id, **marks, **known, "events": events, "chain": chain})
        return
    from rituals.cli.terminal.provenance_text import print_provenance

    print_provenance(found, out)
