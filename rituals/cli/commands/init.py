"""`diurna init`."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from ledger.layout import POLICY_FILE
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import told


@click.command("init")
@click.argument("dir", default="", required=False)
@click.option("--branch", default="", metavar="NAME", help="A branch of its own for the ledger.")
@click.option("--project", default="", metavar="NAME", help="Of the project; else the folder's.")
@options.dry_run
@options.command
def command(call: Invocation, dir: str, branch: str, project: str, dry_run: bool) -> None:
    """Make a home for a ledger. What is there already is left as it is.

    Inside a repository the home is its folder memory/, or with --branch a branch that is never
    checked out; DIR makes a repository of its own.

    \b
    Examples:
      diurna init
      diurna init --branch memory
      diurna init ~/team-memory --project payments
    """
    from rituals.setup import apply_setup, plan_setup

    if call.home:
        raise WrongUsage("the home to be made is named by DIR", hint=f"diurna init {call.home}")
    plan = plan_setup(call.folder(), dir, branch, project)
    if not dry_run:
        apply_setup(plan, call.now_ms, call.agent).close()
    if call.json:
        call.out.answer(
            {
                "kind": plan.kind,
                "place": plan.place,
                "branch": plan.branch,
                "prefix": plan.prefix,
                "steps": list(plan.steps),
                "dry_run": dry_run,
            }
        )
        return
    for step in plan.steps:
        call.out.line(told(step, done=not dry_run))
    if not plan.steps:
        call.out.line(f"nothing to do: {plan.place} has a home{plan.seat}")
    if project and POLICY_FILE not in dict(plan.files):
        call.out.hint(f"the project's name stands in {plan.prefix}{POLICY_FILE}; change it there")
    if plan.files and not dry_run:
        call.out.hint('diurna append --title "First session" --new "decision: …"')
