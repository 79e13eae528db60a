"""Take in documents of a repository: show what they say, ask once, and write it."""

from __future__ import annotations

import os

from ledger.errors import NotFound
from rituals.cli.context import STDIN
from rituals.cli.output import counted
from rituals.cli.terminal import intake_text as views
from rituals.intake.harvest.harvest_plan import BUDGET, plan_harvest
from rituals.intake.sources.source_table import DOCUMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rituals.cli.context import Invocation


def harvest(
    call: Invocation,
    paths: Sequence[str],
    *,
    budget: int = BUDGET,
    handed_in: str = "",
    write: bool,
    dry_run: bool,
    verbose: bool,
) -> None:
    """Read documents, show the plan, and take in what they say.

    Without paths it reads all. `budget` is the most new facts, `handed_in` a file of what an agent found,
    "" for none; `write` does not ask.
    """
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
        out.hint("`diurna import docs PATH` brings the next of a document or folder")
    if due:
        what = counted(len(due), "fact") + (" comes" if len(due) == 1 else " come")
        out.hint(f"{what} from documents that say something else now; `diurna review` asks")


def kept_by(call: Invocation, tool: str) -> tuple[str, ...]:
    """Return the documents of this project in which a tool keeps what it knows.

    Raises:
        NotFound: there is none.
    """
    top = call.project()
    here = [f"{top}/{path}" for path in DOCUMENTS[tool] if os.path.exists(f"{top}/{path}")]
    if not here:
        places = ", ".join(DOCUMENTS[tool])
        raise NotFound(
            f"this project has none of {places}", hint="name the file: `diurna import PATH`"
        )
    return tuple(here)
