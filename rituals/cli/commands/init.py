"""Run `diurna init`: make a home for a ledger."""

from __future__ import annotations

from typing import Any

import click

from ledger.model.findings import Finding
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("init")
@click.argument("dir", default="", required=False)
@click.option("--branch", default="", metavar="NAME", help="A branch of its own for the ledger.")
@click.option("--tree", metavar="FOLDER", help="The folder beside the code; else memory/.")
@click.option("--move", type=click.Choice(("branch", "tree")), help="Move the home, with its past.")
@click.option("--project", default="", metavar="NAME", help="Its name; else the folder's.")
@click.option("--hooks/--no-hooks", default=None, help="Commit by git's hooks, or without them.")
@click.option(
    "--personal", is_flag=True, help="A home of what is only yours, below your data folder."
)
@options.dry_run
@options.command
def command(call: Invocation, /, hooks: bool | None, dry_run: bool, **wish: Any) -> None:
    """Make a home for memory. What is there already is left as it is.

    In a repository the home is a folder beside the code, reviewed and branched with it: memory/,
    or --tree FOLDER. With --branch it is a branch of its own, which is never checked out: live for
    all branches, agents and worktrees, and read in .memory/. DIR makes a repository of its own. On
    a terminal it asks which, and offers `install` if agents' programs are found. --move takes a
    home from one to the other; --dry-run shows how, and on a terminal it asks first. In a clone of
    a home it tells git to keep the computed files as they are in a pull. Beside the code, logs go
    with your own next commit, by a git hook that init puts in beside yours; in another clone
    --hooks does. With --no-hooks Diurna commits each. In a repository of its own --hooks publishes
    after a pull. --personal makes a home of what is only yours: it is in your briefs and in no
    shared home, is never sent unless you say so, and every command knows it as `--home personal`.

    \b
    Examples:
      diurna init
      diurna init --branch memory
      diurna init --tree agent-memory
      diurna init --move branch --dry-run
      diurna init ~/team-memory --project payments
      diurna init --hooks
      diurna init --personal
    """
    from memory.worktree.trunk import publishing
    from rituals.cli.terminal.home_choice_text import Wish, choose, choose_commits, move_home
    from rituals.cli.terminal.host_questions_text import offer
    from rituals.cli.terminal.setup_text import show_setup
    from rituals.setup.foreign_attributes import attribute_findings
    from rituals.setup.home_setup import apply_setup, with_hooks

    if wish["move"]:
        move_home(call, Wish(**wish), dry_run=dry_run)
        return
    plan, hosts = choose(call, Wish(**wish), dry_run=dry_run)
    plan, hooks = choose_commits(call, plan, hooks, dry_run=dry_run)
    if hooks is not None:
        plan = with_hooks(plan, hooks, call.program())
    findings: tuple[Finding, ...] = ()
    where = None
    if not dry_run:
        memory = apply_setup(plan, call.now_ms, call.agent)
        findings = attribute_findings(memory.home)
        where = publishing(memory.home, memory.policy)
        memory.close()
    call.out.findings(findings)
    show_setup(call, plan, where, findings, project=wish["project"], hooks=bool(hooks))
    if not call.json:
        offer(call, hosts)
