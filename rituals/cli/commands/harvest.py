"""Run `diurna harvest`: a repository's own documents become facts."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("harvest")
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option("--budget", type=click.IntRange(1, 10_000), default=100, metavar="N",
              help="Bring N facts at most, the best first; 100 unless said.")  # fmt: skip
@click.option("--from-json", "handed_in", default="", metavar="FILE|-",
              help="Take in what an agent found in documents itself.")  # fmt: skip
@options.dry_run
@click.option("--write", "--yes", "write", is_flag=True, help="Write it without asking.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Show every line of what is taken and left out."
)
@options.command
def command(
    call: Invocation,
    paths: tuple[str, ...],
    budget: int,
    handed_in: str,
    dry_run: bool,
    write: bool,
    verbose: bool,
) -> None:
    """Make facts of what the repository's own documents decide, rule and leave open.

    It reads HEAD: accepted decision records, sentences with must and never in guides and design
    notes, open items of roadmaps. Each fact is one sentence, with `source: path:line@commit`. The
    first run reads all documents, later ones those that changed; with PATH, all of those named. If
    its passage changes later, the review asks about the fact. On a terminal it shows what it found
    and asks once; elsewhere it writes only with --write.

    \b
    Examples:
      diurna import docs
      diurna import docs docs/adr --budget 20 --write
      diurna import docs --from-json found.json --write
    """
    from rituals.cli.document_input import harvest

    harvest(
        call,
        paths,
        budget=budget,
        handed_in=handed_in,
        write=write,
        dry_run=dry_run,
        verbose=verbose,
    )
