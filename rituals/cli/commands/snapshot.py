"""Run `diurna snapshot`: a page that stands alone, for a second opinion."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("snapshot")
@click.option("--task", default="", metavar="ID", help="Of this task; else of all the work.")
@click.option("--milestone", "reason", flag_value="milestone", help="Something is reached.")
@click.option("--stuck", "reason", flag_value="stuck", help="The work is stuck.")
@options.command
def command(call: Invocation, task: str, reason: str | None) -> None:
    """Print a page that stands alone, for a reader who knows nothing: another model, a colleague.

    It has the objective, recent acts, changes, state, assumptions, open questions and evidence,
    and is committed nowhere. Secrets are withheld. `diurna critique FILE` makes threads of the
    answer.

    \b
    Examples:
      diurna export snapshot --task wire-retry-queue --stuck
      diurna export snapshot --milestone > snapshot.md
    """
    from rituals.answers.record_fields import all_fields_of, fields_of
    from rituals.report.snapshot_page import snapshot

    found = snapshot(call.memory(), task, reason or "")
    if call.json:
        sections = [all_fields_of(section) for section in found.sections]
        said = fields_of(found, "project task reason newest asked text")
        call.out.answer({**said, "sections": sections})
    else:
        call.out.text(found.text)
