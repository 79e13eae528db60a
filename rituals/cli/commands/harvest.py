"""Run `diurna harvest`: a repository's own documents become facts."""

from __future__ import annotations

import os

import click

from rituals.cli import options
from rituals.cli.context import STDIN, Invocation
from rituals.cli.output import counted


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

    Read from HEAD: decision records that are accepted, must and never of guides and design notes, open
    items of roadmaps; each one sentence, with `source: path:line@commit`. The first time all of them, then
    those that changed since; with PATH, all of those. A fact whose passage changes later is due in the
    review. On a terminal it shows what it found and asks once; elsewhere it writes with --write.

    \b
    Examples:
      diurna harvest
      diurna harvest docs/adr --budget 20 --write
      diurna harvest --from-json found.json --write
    """
    from rituals.cli.views import intake as views
    from rituals.intake.harvest.plan import plan_harvest

    memory, out = call.memory(), call.out
    plan = plan_harvest(
        memory,
        [os.path.join(call.folder(), path) for path in paths],
        budget=budget,
        handed_in=call.read(handed_in) if handed_in else None,
        name="standard input" if handed_in == STDIN else handed_in,
        progress=out.progress,
    )
    harvest, intake = plan.harvest, plan.intake
    if not call.json:
        since = f" that changed since {harvest.since[:7]}" if harvest.since else ""
        if not handed_in:
            found = counted(harvest.read, "document")
            out.line(f"read {found}{since} of {harvest.documents} at {harvest.commit[:7]}")
            views.show_documents(views.of_documents(harvest, intake), out, verbose)
        views.show_plan(intake, out, everything=verbose)
    done = views.take_in(call, intake, write=write, dry_run=dry_run)
    due = [one.fact.id for one in harvest.changed]
    if call.json:
        said = {"commit": harvest.commit, "since": harvest.since, "documents": harvest.documents}
        answer = {**views.intake_object(intake, done), **said, "read": harvest.read, "due": due}
        out.answer({**answer, "dry_run": done is None})
        return
    views.show_written(intake, done, out, memory.home.branch)
    if intake.beyond:
        out.hint("`diurna harvest PATH` brings the next of a document or folder")
    if due:
        what = counted(len(due), "fact") + (" comes" if len(due) == 1 else " come")
        out.hint(f"{what} from documents that say something else now; `diurna review` asks")
