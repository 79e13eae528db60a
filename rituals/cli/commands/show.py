"""Run `diurna show`: show what memory holds, or single facts."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from ledger.model.order import is_stem
from projection.fold.projection_state import TIERS
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("show")
@click.argument("ids", nargs=-1, metavar="[ID|STEM]...")
@options.as_of
@options.everywhere
@click.option("--kind", default="", metavar="KIND", help="Only facts of this kind.")
@click.option("--tier", type=click.Choice(TIERS), metavar="TIER",
              help=f"Only facts of this tier, archived ones too: {', '.join(TIERS)}.")  # fmt: skip
@options.listing(facts=f"{options.FACT} known known_by")
def command(
    call: Invocation, ids: tuple[str, ...], as_of: str, kind: str, tier: str | None
) -> None:
    """Show what memory holds: the page of all that holds now, facts by id, kind or tier, or a log.

    With --json every fact, whatever its tier. The start of an id or of a log's name is enough if
    nothing else begins so.

    \b
    Examples:
      diurna show
      diurna show webhook-retry-queue
      diurna show --kind decision --as-of 2026-11-01
    """
    memory, ids, home = call.holding(ids)
    if not home:
        call.opened(ids)
    if any(is_stem(one) and memory.fact(one) is None for one in ids):
        from rituals.cli.terminal.recall_text import answer

        if as_of or kind or tier:
            raise WrongUsage("a session log is shown whole", hint="leave the other options out")
        answer(call, (), {"ids": ",".join(ids), "level": ""})
        return
    if not (ids or as_of or kind or tier or call.json):
        call.out.text(memory.continuity())
        return
    from rituals.cli.terminal.facts_text import answer_facts
    from rituals.cli.terminal.selection_text import select

    state = memory.state(as_of)
    if call.json:
        answer_facts(
            call, memory, as_of, state,
            select(memory, state, ids, kind, tier or "", archived=True, as_of=as_of),
        )  # fmt: skip
        return
    from memory.query.fact_marks import known
    from memory.replay.reader_marks import NOTHING_MARKED, marks_at
    from projection.document.page_renderer import render
    from rituals.cli.terminal.listing_text import block_of

    if not (ids or kind or tier):
        call.out.text(render(state.view()))
        return
    facts = select(memory, state, ids, kind, tier or "", archived=False, as_of=as_of)
    told = known(memory.cache(), [one.fact for one in facts])
    marks = NOTHING_MARKED if as_of else marks_at(memory.home, memory.cache())
    blocks = [block_of(one, state, told[one.fact.id], marks.of(one.fact)) for one in facts]
    call.out.text("\n\n".join(blocks) + "\n" if blocks else "")
    if not blocks:
        call.out.talk("no fact matches")
        if not (ids or tier):
            call.out.hint("`--tier archived` and `--tier superseded` show those in the archive")
