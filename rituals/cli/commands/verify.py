"""`diurna verify`."""

from __future__ import annotations

import click

from ledger.findings import severe
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("verify")
@options.command
def command(call: Invocation) -> int:
    """Check the ledger: names match contents, nothing was changed in history, all can be read.

    Ends with 1 if there is a finding of severity error.

    \b
    Example:
      diurna verify --json
    """
    from rituals.cli.answers import finding_objects
    from rituals.verify import verify

    findings = verify(call.memory())
    bad = severe(findings)
    if call.json:
        call.out.answer({"ok": not bad, "findings": finding_objects(findings)})
    else:
        errors = sum(finding.severity == "error" for finding in findings)
        others = len(findings) - errors
        call.out.line(f"{errors} errors, {others} other findings" if findings else "all in order")
    call.out.findings(findings)
    return 1 if bad else 0
