"""`diurna status`."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted


@click.command("status")
@options.command
def command(call: Invocation) -> None:
    """Show where the ledger stands: its home, its logs and facts, and what is due.

    \b
    Example:
      diurna status
    """
    from memory.edits import edited_findings
    from rituals.cli.answers import status_object
    from rituals.cli.overview import overview

    found = overview(call.memory())
    upstream = found.upstream
    out = call.out
    if call.json:
        out.answer(status_object(found))
        return
    home = found.home
    review = f"due after {found.review_every} work sessions" if found.review_every else "never due"
    due = f" — due: {'; '.join(found.due)}" if found.due else ""
    rows = [
        ("home", f"{home.kind} in {home.repository.where}/{home.prefix}".rstrip("/")),
        ("branch", home.branch or "(detached)"),
        ("logs", f"{found.logs}, of them {counted(found.sessions, 'work session')}"),
        ("facts", ", ".join(f"{count} {tier}" for tier, count in found.tiers)),
        ("review", f"{found.since_review} since the last, {review}{due}"),
        ("drift", ", ".join(found.drift) or "none"),
        ("edited", ", ".join(found.edited) or "none"),
    ]
    if found.contradictions:
        rows.append(("disputed", found.disputed))
    if found.unconfirmed:
        rows.append(("confirm", f"{len(found.unconfirmed)} due: {', '.join(found.unconfirmed)}"))
    if upstream:
        apart = f"{upstream.ahead} ahead, {upstream.behind} behind"
        rows.append(("upstream", f"{upstream.name}: {apart}"))
    for label, value in rows:
        out.line((f"{label:<10}", "bold"), value)
    out.findings(edited_findings(found.edited))
    if found.contradictions:
        out.hint("`diurna conflicts` shows every side, `diurna resolve ID` decides")
    if found.unconfirmed:
        out.hint("`diurna confirm ID…` records that a person looked at them and they hold")
    if found.drift and not found.edited:
        out.hint("`diurna publish` writes and commits what drifted")
