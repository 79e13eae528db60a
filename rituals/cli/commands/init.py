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
@click.option(
    "--personal", is_flag=True, help="A home of what is only yours, below your data folder."
)
@options.dry_run
@options.command
def command(
    call: Invocation, dir: str, branch: str, project: str,
    hooks: bool | None, personal: bool, dry_run: bool,
) -> None:  # fmt: skip
    """Make a home for a ledger. What is there already is left as it is.

    Inside a repository the home is its folder memory/, or with --branch a branch that is never
    checked out; DIR makes a repository of its own. In a clone of one it tells git to keep the
    computed files as they are in a pull; --hooks publishes them behind it, --no-hooks takes that out.
    --personal makes the home of what is only yours: it stands in your briefs and in no shared home, is
    never sent unless you say so, and `--home personal` is its name for every command.
    On a terminal, where agents' programs are found, it proposes the branch and offers `install`.

    \b
    Examples:
      diurna init
      diurna init --branch memory
      diurna init ~/team-memory --project payments
      diurna init --hooks
      diurna init --personal
    """
    from memory.worktree.trunk import publishing
    from rituals.answers.fields import fields_of
    from rituals.answers.objects import finding_objects
    from rituals.cli.views.host_questions import ask_branch, hosts_to_ask, offer
    from rituals.cli.views.setup import show_setup
    from rituals.setup.attributes import attribute_findings
    from rituals.setup.home import apply_setup, plan_setup, with_hooks
    from rituals.setup.personal import plan_personal

    if call.home:
        raise WrongUsage("the home to be made is named by DIR", hint=f"diurna init {call.home}")
    if personal and (dir or branch):
        raise WrongUsage("a personal home has its own place", hint="diurna init --personal")
    plan = plan_personal(project) if personal else plan_setup(call.folder(), dir, branch, project)
    found = hosts_to_ask(call, plan) if plan.files and not (dir or personal or dry_run) else ()
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
    offer(call, found)
