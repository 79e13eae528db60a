"""Run `diurna export`: write a memory in a form that other programs read."""

from __future__ import annotations

import os

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted


@click.command("export")
@click.argument("what", type=click.Choice(("events", "vault")), metavar="events|vault")
@click.argument("dir", default="", metavar="[DIR]")
@options.dry_run
@options.command
def command(call: Invocation, what: str, dir: str, dry_run: bool) -> int:
    """Print all events as lines of JSON, or write linked notes into a folder.

    `events` loses nothing: header, title, prose, every field of every event, and of a log written by hand
    its text. `diurna import events` makes the same logs of them, to the byte. As git does it carries the
    words of what was redacted, with the log that withholds them.

    `vault` is what Obsidian and its like open: MEMORY.md, a note for each fact with its links, its days
    and entities, nothing of what is withheld. A file in DIR that Diurna did not write there, or that was
    changed since, stays as it is and is named, and the exit code is 1.

    \b
    Examples:
      diurna export events > memory.ndjson
      diurna export vault ../notes --dry-run
      diurna export vault ../notes
    """
    if what == "events":
        if dir or dry_run:
            raise WrongUsage("events are printed", hint="diurna export events > FILE")
        from rituals.report.export.events_out import event_lines

        for line in event_lines(call.memory(), call.out.progress):
            call.out.text(line)
        return 0
    if not dir:
        raise WrongUsage("no folder is named", hint="diurna export vault DIR")
    return _vault(call, os.path.normpath(os.path.join(call.folder(), dir)), dry_run)


def _vault(call: Invocation, folder: str, dry_run: bool) -> int:
    from rituals.answers.objects import finding_objects
    from rituals.report.export.vault_files import apply_vault, plan_vault

    plan = plan_vault(call.memory(), folder, call.out.progress)
    if not dry_run:
        apply_vault(plan)
    written = [path for path, _ in plan.write]
    if call.json:
        call.out.answer(
            {
                "folder": plan.folder,
                "files": plan.files,
                "written": written,
                "removed": list(plan.remove),
                "findings": finding_objects(plan.left),
                "dry_run": dry_run,
            }
        )
    else:
        done = "would write" if dry_run else "wrote"
        removed = f", {'remove' if dry_run else 'removed'} {len(plan.remove)}" * bool(plan.remove)
        same = plan.files - len(written) - len(plan.left)
        kept = f", {same} as they were" * bool(same)
        call.out.line(f"{done} {counted(len(written), 'note')}{removed}{kept}: {plan.folder}")
    call.out.findings(plan.left)
    return 1 if plan.left else 0
