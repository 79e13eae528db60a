"""Run `diurna check`: check the ledger, this clone and this machine, and mend what is safe to mend."""

from __future__ import annotations

import click

from ledger.model.findings import INFO, severe
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("check")
@click.argument("files", nargs=-1, metavar="[FILE]...", expose_value=False)  # `lint` takes these
@click.option("--fix", is_flag=True, help="Mend what is safe to mend.")
@click.option("--deep", is_flag=True, help="Read every log, and compare the cache with a replay.")
@click.option("--quiz", is_flag=True, help="Put the quiz, too: does memory answer?")
@click.option("--strict", is_flag=True, help="End with 1 on warnings, too.")
@click.option("--all", "-v", "everything", is_flag=True,
              help="Name every finding with its key, and what is accepted, too.")  # fmt: skip
@options.dry_run
@options.listing(findings=f"{options.FINDING} key")
def command(
    call: Invocation,
    fix: bool,
    deep: bool,
    quiz: bool,
    strict: bool,
    everything: bool,
    dry_run: bool,
) -> int:
    """Check the ledger, this clone and this machine; each finding is named once.

    It looks at the history, secrets, what is due, what was left behind here, and agents' programs.
    It ends with 1 if there is an error. --fix moves abandoned locks aside, commits what waits,
    restores lost objects, and the like; it deletes nothing of yours.

    In CI, --ci checks the ledger alone. FILE is a draft, a log or a page, checked before it is
    recorded. --accept records, with a --reason, that findings are known: from then on they are
    only counted, in every clone. If a file changes, its findings are new again.

    \b
    Examples:
      diurna check
      diurna check --fix --dry-run
      diurna check --ci --strict
      diurna check --accept-all --reason "All that the old tool left."
    """
    from rituals.check.check_registry import DOCTOR, LINT, QUIZ, VERIFY, Made, order
    from rituals.cli.terminal import findings_text as views

    commands = (DOCTOR, VERIFY, LINT, *(QUIZ,) * quiz)
    found = views.visited(call, commands, fix=fix and not dry_run, deep=deep, cold=True)
    accepted = tuple(sorted(found.accepted, key=lambda one: order(one[0])))
    result = Made(tuple(one.finding for one in found.noticed), found.keys, accepted)
    warned = strict and any(one.severity != INFO for one in result.findings)
    bad = severe(result.findings) or warned or any(one.problem for one in found.treated)
    if call.json:
        said = {**views.made_object(result), **views.visit_object(found)}
        call.out.answer({**said, "ok": not bad, "dry_run": dry_run})
    else:
        views.show_visit(call.out, found, dry_run=dry_run)
        views.show_summary(call.out, result)
        if everything:
            views.show_all(call.out, result)
        views.show_here(call.out, result.findings)
        views.hint_baseline(call.out, result)
    call.out.told.update(result.findings)
    return 1 if bad else 0
