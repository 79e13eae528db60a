"""Run `diurna report`: tell how memories lived: when they faded, what became false, as a picture too."""

from __future__ import annotations

import os

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import STDIN as STDOUT
from rituals.cli.context import Invocation


@click.command("report")
@click.option(
    "--since", default="", metavar="WHEN", help="Only facts born and reviews from then on."
)
@click.option(
    "--until", default="", metavar="WHEN", help="As if the ledger ended then (time or stem)."
)
@click.option("--kind", default="", metavar="KIND", help="Only facts of this kind.")
@click.option("--svg", default="", metavar="FILE|-",
              help="Draw the tiers over the work sessions into this file.")  # fmt: skip
@options.listing(
    facts="agent asked born born_session helped id ignored kind last_used moments reason remarks rests "
    "shown tier told told_then_used used_by uses"
)
def command(call: Invocation, since: str, until: str, kind: str, svg: str) -> None:
    """Tell what memory cost and what it did, and how memories lived: when they faded or became false.

    Of captured sessions: how many characters they were shown and told, what of it they used then, and
    what happened again although memory had it: what a person had to say again to set it right, attempts
    that had failed, commands that break a rule, before their session had it and after. Facts that were
    shown to 20 sessions (`[brief] rest`) since their last use rest.

    Also who created what is false now, and how many reviews were skipped: due by the count of sessions,
    and due again before one was held. A fact that an import brought lives from the birth that it tells.

    Where logs tell of it, also how often facts helped and were ignored, findings, verdicts by role, the
    scores that reviews noted of the quiz, and remarks in footers.

    --json has the numbers by kind (`kinds`, `all`), by agent (`agents`), the `reviews`, the tiers over the
    sessions (`course`), the characters by session (`costs`), what happened `again`, and of every fact when
    it faded, returned, was closed or became false (`facts`, with `moments`). Quartiles are null where
    there are fewer than three numbers.

    \b
    Examples:
      diurna review --report --kind decision
      diurna review --report --since 2026-10-01 --svg tiers.svg
    """
    from rituals.cli.terminal.report_text import print_report, report_object
    from rituals.report.lifecycle_report import report

    if svg == STDOUT and call.json:
        raise WrongUsage("standard output can not hold both", where="--json, --svg -",
                         hint="name a file for the picture")  # fmt: skip
    out = call.out
    found = report(call.memory(), since, until, kind, out.progress)
    if svg:
        from rituals.report.chart import picture
        from rituals.report.save import keep

        drawn = picture(found, kind)
        if svg == STDOUT:
            out.text(drawn)
            return
        keep(os.path.join(call.folder(), svg), drawn)
    if call.json:
        out.answer(
            {"since": since, "until": until, "kind": kind, "svg": svg, **report_object(found)}
        )
    else:
        print_report(found, out)
    if not found.lives:
        out.talk("no fact matches" if since or until or kind else "no fact yet")
    if svg:
        out.talk(f"wrote {svg}")
