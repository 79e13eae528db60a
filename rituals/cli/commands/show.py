"""Run `diurna show`: show what memory holds, or single facts."""

from __future__ import annotations

import click

from projection.fold.state import TIERS
from rituals.cli import options
from rituals.cli.context import Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.document.marks import Mark, Met
    from projection.fold.fact import Fact
    from projection.fold.replay import State
    from projection.fold.state import Standing
    from projection.fold.testimony import Testimony


@click.command("show")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@options.as_of
@click.option("--kind", default="", metavar="KIND", help="Only facts of this kind.")
@click.option("--tier", type=click.Choice(TIERS), metavar="TIER",
              help=f"Only facts of this tier, archived ones too: {', '.join(TIERS)}.")  # fmt: skip
@options.listing(facts=f"{options.FACT} known known_by")
def command(
    call: Invocation, ids: tuple[str, ...], as_of: str, kind: str, tier: str | None
) -> None:
    """Show what memory holds: the replayed continuity.md, or facts by id, kind or tier.

    With --json every fact, whatever its tier.

    \b
    Examples:
      diurna show
      diurna show webhook-retry-queue
      diurna show --kind decision --as-of 2026-11-01
    """
    memory, ids, _ = call.holding(ids)
    if not (ids or as_of or kind or tier or call.json):
        call.out.text(memory.continuity())
        return
    from rituals.cli.views.selection import select

    state, cache = memory.state(as_of), memory.snapshot.cache()

    def known_of(one: Standing) -> Testimony:
        from projection.fold.testimony import testimony

        return testimony(one.fact, cache.entry, cache.some_histories)

    def ranked(found: list[Standing]) -> list[Standing]:
        from projection.fold.testimony import RANK, persons_first, word_of

        def rank(stem: str) -> int:
            return RANK[word_of(cache.entry(stem))]

        return [one._replace(fact=persons_first(one.fact, rank)) for one in found]

    if call.json:
        facts = ranked(select(memory, state, ids, kind, tier or "", archived=True))
        _answer(call, as_of, state, [(one, known_of(one)) for one in facts])
        return
    from projection.document.render import render
    from rituals.cli.views.listing import block_of

    if not (ids or kind or tier):
        call.out.text(render(state.view()))
        return
    facts = select(memory, state, ids, kind, tier or "", archived=False)
    blocks = [block_of(one, state, known_of(one)) for one in facts]
    call.out.text("\n\n".join(blocks) + "\n" if blocks else "")
    if not blocks:
        call.out.talk("no fact matches")
        if not (ids or tier):
            call.out.hint("`--tier archived` and `--tier superseded` show those in the archive")


def _answer(
    call: Invocation, as_of: str, state: State, facts: list[tuple[Standing, Testimony]]
) -> None:
    """Answer with facts, and how each is known, as JSON."""
    from projection.document.marks import mark_of
    from projection.lifecycle.pattern_standing import marked_as
    from rituals.answers.objects import fact_object, known_object, summary_object

    def known(name: str) -> Fact | None:
        found = state.get(name)
        return None if found is None else found.fact

    met: Met = {}

    def mark(fact: Fact) -> Mark:
        return marked_as(fact, mark_of(fact, known, met), state.policy.learning)

    call.out.answer(
        {
            "as_of": as_of,
            "project": state.policy.project,
            **summary_object(state.summary),
            "facts": [
                fact_object(one, mark(one.fact), state.histories.get(one.fact.id))
                | known_object(told)
                for one, told in facts
            ],
        }
    )
