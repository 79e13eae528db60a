"""Run `diurna finding`: what auditors, tests and linters found, each bug one fact everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ledger.errors import WrongUsage
from projection.work.finding_facts import STATES
from rituals.cli import options
from rituals.cli.context import Invocation

_ACTIONS = ("list", "report")


def _one(name: str, metavar: str, help: str) -> Callable[[Any], Any]:
    return click.option(name, default="", metavar=metavar, help=help)


@click.command("finding")
@click.argument("action", default="list", metavar="[ACTION]")
@click.argument("message", default="", metavar="[MESSAGE]")
@click.option(
    "--state", type=click.Choice(STATES), metavar="STATE", help="list: open, fixed or regressed."
)
@_one("--rule", "NAME", "report: what it breaks, as the tool or the auditor calls it.")
@_one("--path", "PATH", "report: the file, as the repository has it.")
@_one("--symbol", "NAME", "report: the function, class or route.")
@click.option(
    "--line", type=click.IntRange(min=1), metavar="N", help="report: the line of the file."
)
@_one("--from-json", "FILE", "report: findings as JSON or SARIF (- for stdin).")
@_one("--agent", "NAME", "Who reports; else $DIURNA_AGENT, else git's user name.")
@_one("--role", "NAME", "In which role.")
@options.dry_run
@options.listing(findings="id line outcome path rule state symbol text times_regressed")
def command(call: Invocation, /, action: str, message: str, **given: Any) -> None:
    """Record what was found wrong, and list it: one bug is one fact, however often it is found.

    \b
    ACTION is one of:
      list             the findings: regressed ones first, then open, then fixed (without ACTION, too)
      report MESSAGE   a new one is born open; an open one is named; a fixed one is back: regressed

    Rule, path, symbol and the message without its numbers make the id. Fixed is what was closed
    (`diurna append --close ID`), no bug what was called false (`--invalidate ID`).

    \b
    Examples:
      diurna finding report --rule sql-injection --path src/db.py --symbol find "query built from `name`"
      diurna finding report --from-json results.sarif --role auditor
      diurna finding list --state regressed --json
    """
    from rituals.cli.terminal.learning_text import list_findings, report_findings

    if action not in _ACTIONS:
        hint = f"`diurna finding {' | '.join(_ACTIONS)}`"
        raise WrongUsage(f"there is no action {action}", where="finding", hint=hint)
    if action == "list":
        if message:
            raise WrongUsage("a list takes no message", hint="`diurna finding report` records one")
        return list_findings(call, given["state"] or "")
    report_findings(call, message, given)
