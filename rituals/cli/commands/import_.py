"""Run `diurna import`: bring in what another tool keeps, or what another home exported."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.import_sources import EVENTS, LISTED, NAMES, SourceName
from rituals.intake.sources.source_table import DOCUMENTS, source_named


@click.command("import", epilog=LISTED)
@click.argument("source", type=SourceName(NAMES), metavar="[SOURCE|PATH]", required=False)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--write", "--yes", "write", is_flag=True, help="Take it in without asking.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Show all of it, and each thing that is left out."
)
@options.dry_run
@options.command
def command(
    call: Invocation,
    source: str | None,
    paths: tuple[str, ...],
    write: bool,
    verbose: bool,
    dry_run: bool,
) -> None:
    """Bring in what another tool remembers, or (`events`) what another home exported.

    Everything is compared first: what memory knows already is counted, what changed in the tool
    updates its fact, and what contradicts memory is kept, with a thread that asks. Dates and
    authors come along, secrets do not, and what is about you goes to your personal home alone.
    Without SOURCE it looks for everything, documents too; without PATH it looks in this project,
    and where the tool keeps data of this project, and says where. On a terminal it shows the plan
    and asks once; elsewhere it only shows it, and --write takes it in.

    \b
    Examples:
      diurna import
      diurna import claude
      diurna import docs/runbook.md
      diurna import jsonl facts.jsonl --write
      ssh other diurna --home work/api export events | diurna import events -
    """
    if source is None:
        from rituals.cli.moving_in import take_in_all

        return take_in_all(call, write=write, dry_run=dry_run, verbose=verbose)
    if source == EVENTS:
        from rituals.cli.event_import import import_events

        if len(paths) != 1:
            raise WrongUsage("it takes one FILE, or - for standard input", where="import events")
        return import_events(call, paths[0], dry_run=dry_run)
    known = source_named(source)
    if known is None:
        from rituals.cli.document_input import harvest, kept_by

        paths = (*(kept_by(call, source) if source in DOCUMENTS else (source,)), *paths)
        return harvest(call, paths, write=write, dry_run=dry_run, verbose=verbose)
    from rituals.cli.intake_input import take_in

    take_in(call, known, paths, write=write, dry_run=dry_run, verbose=verbose)
