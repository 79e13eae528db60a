"""Run `diurna doctor`: check this machine and repository, and mend what is safe to mend."""

from __future__ import annotations

import click

from ledger.model.findings import severe
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what is safe to mend.")
@click.option("--deep", is_flag=True, help="Read every log, and compare the cache with a replay.")
@options.dry_run
@options.listing(findings=options.FINDING)
def command(call: Invocation, fix: bool, deep: bool, dry_run: bool) -> int:
    """Check this machine and this repository.

    It does what `verify` does, and also looks at locks, settings, disks and what waits here. Ends
    with 1 if it finds an error. --fix moves abandoned locks aside, commits what waits, restores
    lost objects, and the like; it deletes nothing of yours. With --dry-run it says what it would
    do.

    \b
    Examples:
      diurna doctor
      diurna doctor --fix --dry-run
      diurna doctor --deep --json
    """
    from rituals.answers.json_objects import finding_objects
    from rituals.check.check_registry import DOCTOR, bare
    from rituals.cli.terminal.findings_text import (
        show_here,
        show_visit,
        summary,
        visit_object,
        visited,
    )

    found = visited(call, (DOCTOR,), fix=fix and not dry_run, deep=deep, cold=False)
    findings = tuple(one.finding for one in found.noticed)
    accepted = [bare(one) for one, _ in found.accepted]
    failed = any(one.problem for one in found.treated)
    bad = severe(findings) or failed
    if call.json:
        said = {"findings": finding_objects(findings), "accepted": finding_objects(accepted)}
        call.out.answer({"ok": not bad, **said, **visit_object(found), "dry_run": dry_run})
    else:
        show_visit(call.out, found, dry_run=dry_run)
        call.out.line(summary(findings, accepted))
    show_here(call.out, findings)
    return 1 if bad else 0
