"""Run `diurna verify`: check the integrity of the ledger."""

from __future__ import annotations

from typing import Any

import click

from ledger.model.findings import severe
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import author, decide


@click.command("verify")
@click.argument("findings", nargs=-1, metavar="[FINDING]...")
@click.option("--restore", is_flag=True, help="Commit again what history took from the ledger.")
@click.option("--all", "-v", "everything", is_flag=True,
              help="Name what is accepted, too, and the key of every finding.")  # fmt: skip
@click.option("--accept", is_flag=True, help="Accept each FINDING: a key, its start, or a code.")
@click.option("--accept-all", is_flag=True, help="Accept all that stands open now, also for lint.")
@click.option("--unaccept", is_flag=True, help="Accept each FINDING no longer.")
@click.option("--reason", default="", metavar="TEXT", help="Why; it is recorded.")
@author
@options.listing(findings=f"{options.FINDING} key")
def command(
    call: Invocation, /, findings: tuple[str, ...], restore: bool, everything: bool, reason: str,
    dry_run: bool, **given: Any,
) -> int:  # fmt: skip
    """Check the ledger: names match contents, history changed nothing, everything can be read.

    Ends with 1 if it finds an error. --restore adds lost logs again, with their first bytes, and
    changes nothing else.

    --accept records in a log that findings are known, with a reason: from then on verify, lint,
    status, doctor and review only count them, in every clone, and name what is new. A finding
    whose file changes is new again. What concerns this clone alone cannot be accepted.

    \b
    Examples:
      diurna check --restore --dry-run
      diurna check --all
      diurna check --accept unknown-id:4f2a91c07dab --reason "An id of the old tool."
      diurna check --accept-all --reason "All that the old tool left." --dry-run
    """
    from rituals.check.check_registry import VERIFY
    from rituals.check.check_runner import made
    from rituals.check.verify import history_restore as lost
    from rituals.cli.accept_options import baseline, wanted
    from rituals.cli.terminal.findings_text import (
        hint_baseline,
        made_object,
        show_all,
        show_summary,
    )

    what = wanted(findings, given, restore, reason)
    memory = call.memory()
    if what:
        found = baseline(memory, what, findings, reason)
        keys = [{"key": key, "message": said} for key, said in found.findings]
        decide(call, found.decision, given["agent"], given["title"], dry_run, lambda: {what: keys})
        return 0
    plan = lost.restore_plan(memory) if restore else ()
    restored = tuple(path for path, _ in plan)
    if restore and not plan:
        call.out.talk("nothing to restore: no log is missing or changed whose bytes are known")
    elif plan and not dry_run:
        lost.restore(memory)
    result = made(memory, VERIFY, call.out.progress)
    if call.json:
        given = {"restored": list(restored), "dry_run": dry_run} if restore else {}
        call.out.answer({**made_object(result), **given})
    else:
        for path in restored:
            call.out.line(f"{'would restore' if dry_run else 'restored'} {path}")
        show_summary(call.out, result)
        if everything:
            show_all(call.out, result)
    call.out.findings(result.findings)
    if not call.json:
        hint_baseline(call.out, result)
    call.out.told.update(one for one, _ in result.accepted)
    return 1 if severe(result.findings) else 0
