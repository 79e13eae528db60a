"""`diurna status`."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted


@click.command("status")
@options.command
def command(call: Invocation) -> None:
    """Show where the ledger stands: its home, its logs and facts, what is due, and what was found.

    `asks` counts the questions of a review, `found` what `diurna verify` finds in the ledger itself.

    \b
    Example:
      diurna status
    """
    from rituals.answers.objects import status_object
    from rituals.answers.status import overview
    from rituals.review.tally import OF_REVIEW, said, severities

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
    tally = found.tally
    late = "" if tally is None or found.counted_now else f", as of {tally.tip[:7]}"
    asked = sum(count for _, count in tally.questions) if tally else 0
    if tally is not None and asked:
        rows.append(("asks", f"{counted(asked, 'question')}: {said(tally.questions)}{late}"))
    noticed = tuple(one for one in tally.found if one[0] not in OF_REVIEW) if tally else ()
    known = f"; {tally.accepted} accepted" if tally and tally.accepted else ""
    if noticed or known:
        open_now = f"{severities(noticed)}: {said(noticed)}" if noticed else "nothing new"
        rows.append(("found", f"{open_now}{known}{late}"))
    if found.contradictions:
        rows.append(("disputed", found.disputed))
    if found.unconfirmed:
        rows.append(("confirm", f"{len(found.unconfirmed)} due: {', '.join(found.unconfirmed)}"))
    if upstream:
        apart = f"{upstream.ahead} ahead, {upstream.behind} behind"
        rows.append(("upstream", f"{upstream.name}: {apart}"))
    for label, value in rows:
        out.line((f"{label:<10}", "bold"), value)
    out.findings(found.edits)
    if asked:
        out.hint("`diurna review` asks them, one by one; with --dry-run it only says them")
    if noticed:
        out.hint("`diurna verify` names what was found, and what to do about it")
    if tally is None or not found.counted_now:
        out.hint("`diurna review --dry-run` counts what it would ask, which takes a while here")
    if found.contradictions:
        out.hint("`diurna conflicts` shows every side, `diurna resolve ID` decides")
    if found.unconfirmed:
        out.hint("`diurna confirm ID…` records that a person looked at them and they hold")
    if found.drift and not (found.edited or found.edits):
        out.hint("`diurna publish` writes and commits what drifted")
