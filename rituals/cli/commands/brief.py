"""Run `diurna brief`: show what an agent reads at the start of a session, within a budget."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from memory.brief.brief_place import BRIEF_CHARS
from projection.brief.brief_formats import FORMATS, JSON
from projection.brief.budget import LEAST_CHARS
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("brief")
@click.option("--for", "role", default="", metavar="ROLE", help="With what is for this role.")
@click.option(
    "--task", default="", metavar="TEXT", help="What is about to be done, or the id of a task."
)
@click.option("--budget", type=click.IntRange(min=LEAST_CHARS), default=BRIEF_CHARS,
              metavar="CHARACTERS", show_default=True,
              help=f"At most so many characters; at least {LEAST_CHARS}.")  # fmt: skip
@click.option("--agent", default="", metavar="NAME",
              help="Who reads it; else $DIURNA_AGENT, else the name git commits with.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(FORMATS), metavar="FORMAT",
              help=f"The format: {', '.join(FORMATS)}.")  # fmt: skip
@options.everywhere
@options.command
def command(
    call: Invocation, role: str, task: str, budget: int, agent: str, form: str | None
) -> None:
    """Show what an agent reads at the start of a session, most important first.

    Contradictions, invariants, what was handed to the agent, what changed since its last log,
    tasks, open threads, decisions, then the rest, sorted by how close it is to the task and the
    branch. Whole lines, within the budget; the newest correction is always included. What is
    quoted from memory is marked as evidence, not as instructions.

    \b
    Examples:
      diurna brief
      diurna brief --agent codex --task "make the webhooks idempotent"
      diurna brief --for reviewer --budget 3000 --format xml
    """
    if call.json and form not in (None, JSON):
        raise WrongUsage(f"--json and --format {form} say two things", hint="leave one of them out")
    made = call.memory().brief(
        budget_chars=budget, role=role, task=task, agent=agent,
        format=JSON if call.json else form or FORMATS[0],
    )  # fmt: skip
    call.out.text(made.text)
