"""Run `diurna init`: make a home for a ledger."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from ledger.model.findings import Finding
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("init")
@click.argument("dir", default="", required=False)
@click.option("--branch", default="", metavar="NAME", help="A branch of its own for the ledger.")
@click.option(
    "--project", default="", metavar="NAME", help="The project's name; else the folder's."
)
@click.option(
    "--hooks/--no-hooks", default=None, help="Publish after each pull, by git's hooks; or not."
)
@options.dry_run
@options.command
def command(
    call: Invocation, dir: str, branch: str, project: str, hooks: bool | None, dry_run: bool
) -> None:
    """Make a home for a ledger. What is there already is left as it is.

    Inside a repository the home is its folder memory/, or with --branch a branch that is never
    checked out; DIR makes a repository of its own. In a clone of one it tells git to keep the
    computed files as they are in a pull; --hooks publishes them behind it, --no-hooks takes that out.
    On a terminal, where agents' programs are found, it proposes the branch and offers `install`.

    \b
    Examples:
      diurna init
      diurna init --branch memory
      diurna init ~/team-memory --project payments
      diurna init --hooks
    """
    from memory.worktree.trunk import publishing
    from rituals.answers.fields import fields_of
    from rituals.answers.objects import finding_objects
    from rituals.cli.views.host_questions import ask_branch, hosts_to_ask, offer
    from rituals.cli.views.setup import show_setup
    from rituals.setup.attributes import attribute_findings
    from rituals.setup.home import apply_setup, plan_setup, with_hooks

    if call.home:
        raise WrongUsage("the home to be made is named by DIR", hint=f"diurna init {call.home}")
    plan = plan_setup(call.folder(), dir, branch, project)
    found = hosts_to_ask(call, plan) if plan.files and not dir and not dry_run else ()
    if found and not branch:
        plan = plan_setup(call.folder(), dir, ask_branch(call), project)
    if hooks is not None:
        plan = with_hooks(plan, hooks, call.program())
    findings: tuple[Finding, ...] = ()
    where = None
    if not dry_run:
        memory = apply_setup(plan, call.now_ms, call.agent)
        findings = attribute_findings(memory.home)
        where = publishing(memory.home, memory.snapshot.cache().policy)
        memory.close()
    call.out.findings(findings)
    if call.json:
        said = fields_of(plan, "kind place branch prefix steps")
        call.out.answer({**said, "dry_run": dry_run, "findings": finding_objects(findings)})
        return
    show_setup(call, plan, where, project=project, hooks=bool(hooks))
    if plan.files and not dry_run:
        call.out.hint('diurna note "decision: …"')
        offer(call, found)
