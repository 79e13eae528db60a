"""Run `diurna doctor`: check this machine and repository, and mend what is safe to mend."""

from __future__ import annotations

import click

from ledger.model.findings import severe
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import told


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what is safe to mend.")
@click.option("--deep", is_flag=True, help="Read every log, and compare the cache with a replay.")
@options.dry_run
@options.listing(findings=options.FINDING)
def command(call: Invocation, fix: bool, deep: bool, dry_run: bool) -> int:
    """Check that everything is in order on this machine and in this repository.

    It looks at what verify looks at, and at locks, settings, disks and what waits here. Ends with 1 if
    there is a finding of severity error. --fix moves locks aside that belong to nobody,
    commits what waits, writes lost objects again, and the like; it deletes nothing of yours. With
    --dry-run it says what it would do.

    \b
    Examples:
      diurna doctor
      diurna doctor --fix --dry-run
      diurna doctor --deep --json
    """
    from memory.api import Memory
    from rituals.answers.objects import finding_objects, home_object
    from rituals.check.doctor import visit
    from rituals.check.survey import Survey
    from rituals.cli.views.findings import show_here, summary

    def opened() -> Survey:
        home, progress = call.find_home(), call.out.progress
        memory = Memory(
            home, agent=call.agent, clock=call.now_ms, in_process=False, progress=progress
        )
        return Survey(memory, call.now_ms(), cold=deep, deep=deep, progress=progress)

    found = visit(opened, call.folder(), call.search_path, fix=fix and not dry_run)
    findings = tuple(one.finding for one in found.noticed)
    bad = severe(findings)
    failed = [one for one in found.treated if one.problem]
    if call.json:
        call.out.answer(
            {
                "ok": not bad and not failed,
                "home": home_object(found.home) if found.home else None,
                "findings": finding_objects(findings),
                "accepted": finding_objects(found.accepted),
                "plan": [one.said for one in found.plan],
                "done": [one.remedy.said for one in found.treated if not one.problem],
                "failed": [{"step": one.remedy.said, "message": one.problem} for one in failed],
                "dry_run": dry_run,
            }
        )
    else:
        for step in found.plan if dry_run else ():
            call.out.line(told(step.said, done=False))
        for one in found.treated:
            if one.problem:
                call.out.line(("not done:", "red"), f" {one.remedy.said}: {one.problem}")
            else:
                call.out.line(told(one.remedy.said, done=True))
        if found.home and found.home.named:
            call.out.line(f"home {found.home.repository.where}, named by {found.home.named}")
        call.out.line(summary(findings, found.accepted))
    show_here(call.out, findings)
    return 1 if bad or failed else 0
