"""`diurna verify`."""

from __future__ import annotations

import click

from ledger.findings import severe
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted


@click.command("verify")
@click.option("--restore", is_flag=True, help="Commit again what history took from the ledger.")
@options.dry_run
@options.command
def command(call: Invocation, restore: bool, dry_run: bool) -> int:
    """Check the ledger: names match contents, nothing was changed in history, all can be read.

    Ends with 1 if there is a finding of severity error. --restore adds lost logs again, with the
    bytes that they had first, and changes nothing else.

    \b
    Examples:
      diurna verify --json
      diurna verify --restore --dry-run
    """
    from rituals import verify as ritual
    from rituals.cli.answers import finding_objects

    memory = call.memory()
    restored: tuple[str, ...] = ()
    if restore:
        plan = ritual.restore_plan(memory)
        restored = tuple(path for path, _ in plan)
        if not plan:
            call.out.talk("nothing to restore: no log is missing or changed whose bytes are known")
        elif not dry_run:
            ritual.restore(memory)
    findings = ritual.verify(memory, call.out.progress)
    bad = severe(findings)
    if call.json:
        answer = {"ok": not bad, "findings": finding_objects(findings)}
        given = {"restored": list(restored), "dry_run": dry_run} if restore else {}
        call.out.answer({**answer, **given})
    else:
        for path in restored:
            call.out.line(f"{'would restore' if dry_run else 'restored'} {path}")
        errors = sum(finding.severity == "error" for finding in findings)
        said = f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'other finding')}"
        call.out.line(said if findings else "all in order")
    call.out.findings(findings)
    return 1 if bad else 0
