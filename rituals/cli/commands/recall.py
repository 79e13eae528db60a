"""Run `diurna recall`: find what answers a question: facts and passages of session logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from memory.recall.values import FACTS, FULL, INDEX, LEVELS, SESSIONS, Filters
from projection.fold.state import TIERS
from rituals.cli import options
from rituals.cli.context import Invocation

_FILTERS = tuple(key for key in Filters._fields if key != "within")


def _many(name: str, to: str, metavar: str, help: str) -> Callable[[Any], Any]:
    return click.option(name, to, multiple=True, metavar=metavar, help=f"{help} Repeatable.")


@click.command("recall")
@click.argument("query", nargs=-1, metavar="[QUERY]")
@click.option("--ids", default="", metavar="ID,…", help="These memories instead of a question.")
@click.option("--level", type=click.Choice(LEVELS), metavar="LEVEL",
              help="index: a line each. timeline: what is around it. full: all of it.")  # fmt: skip
@click.option("-n", "limit", type=click.IntRange(1, 1000), default=10, metavar="N",
              help="At most so many hits (10).")  # fmt: skip
@click.option("--in", "within", type=click.Choice((FACTS, SESSIONS)), help="Facts or logs alone.")
@_many("--kind", "kinds", "KIND", "Facts of this kind, or `session`.")
@click.option("--tier", "tiers", multiple=True, type=click.Choice(TIERS), metavar="TIER",
              help=f"Facts of this tier: {', '.join(TIERS)}. Repeatable.")  # fmt: skip
@_many("--tag", "tags", "TAG", "Facts with this tag.")
@_many("--entity", "entities", "NAME", "Facts about this entity.")
@_many("--agent", "agents", "NAME", "From logs of this agent.")
@_many("--role", "roles", "ROLE", "For this role, or from its logs.")
@_many("--branch", "branches", "NAME", "From logs written on this branch of the code.")
@options.since
@options.until
@options.as_of
@click.option("--superseded", is_flag=True, help="Superseded and invalidated facts too.")
@click.option("--no-vectors", is_flag=True, help="By words alone, also with the extra `vectors`.")
@click.option("--explain", is_flag=True, help="Say what each score is made of.")
@options.listing(
    hits="agent closed date false id instead kind line parts passage score stem text tier tokens whole"
)
def command(
    call: Invocation,
    /,
    query: tuple[str, ...],
    ids: str,
    level: str | None,
    within: str | None,
    no_vectors: bool,
    **given: Any,
) -> None:
    """Find what answers a question, in few tokens: first a line each, then more of what matters.

    "quoted words" follow each other, begin* stands for every word that begins so, and a hit has nothing
    of what -word or -"quoted words" name (behind `--`, so that they are no options).

    \b
    Examples:
      diurna recall how are webhooks retried
      diurna recall --kind decision --since 2026-11-01 -- retry -timeout
      diurna recall --ids webhook-retry-queue --level full
    """
    from rituals.cli.views.recall import chosen, found, print_answer

    named = chosen(query, ids)
    level = level or (FULL if named else INDEX)
    if named:
        answer = call.memory().get(named, level=level)
    else:
        filters = Filters(within=within or "", **{key: given[key] for key in _FILTERS})
        answer = found(call, query, filters, level=level, limit=given["limit"],
                       explain=given["explain"], vectors=not no_vectors)  # fmt: skip
    print_answer(call, " ".join(query), level, answer)
