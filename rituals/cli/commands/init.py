"""Run `diurna init`: choose the home that is asked for, make it, and print what was done."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from shutil import rmtree
from tempfile import mkdtemp

import click

from ledger.environment import user_folder, variables
from ledger.errors import WrongUsage
from ledger.git.config_files import HOME_SETTING
from ledger.home import OWN_BRANCH, OWN_REPOSITORY
from ledger.model.finding_codes import Finding
from ledger.model.layout import CONTINUITY_FILE, TREE_PREFIX
from memory import Publishing
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.operation import DRY_RUN, modes, option, word
from rituals.cli.output import told
from rituals.setup.home_setup import (
    SetupPlan,
    apply_setup,
    plan_personal,
    plan_setup,
    sharing_asks,
)

#: The branch that is proposed for a home that programs or other people write to.
BRANCH = "memory"
_TWO_HOMES = """\
In the folder memory/: beside the code, reviewed and branched with it.
On a branch of its own, read in .memory/: live for all branches, agents and worktrees."""
_WHAT_ASKS = """\
Logs quote nobody. What you ask an agent for stays in this clone for 30 days, a line each; others see it
only if you share it."""
#: A command that records a first fact, of all and of what is only the user's.
_FIRST = ('diurna note "decision: …"', 'diurna note --personal "preference: …"')
#: Says what the other home would be, to who was not asked.
_OTHER_HOME = (
    "live for all branches, agents and worktrees; `diurna init --folder memory` makes one that is "
    "reviewed and branched with the code, in a repository that has none yet"
)


def init(
    call: Invocation, *,
    dir: str = word("[DIR]"),
    branch: str = option("The branch of its own; else memory.", "NAME"),
    folder: str | None = option("A folder beside the code in place of a branch.", "FOLDER", default=None),
    move: str = option("Move the home out of its folder, with its past.", choices=("branch",)),
    project: str = option("Its name; else the folder's.", "NAME"),
    personal: bool = option("A home of what is only yours, below your data folder."),
    mode: str = modes(tour="See the whole story on a throw-away ledger, in a minute."),
    keep: bool = option("With --tour: keep the folder, and say where it is.", goes="tour"),
    dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Make a home for memory. What is there already is left as it is.

    In a repository the home is a branch of its own, memory or --branch NAME, which is never checked out:
    live for all branches, agents and worktrees, and read in .memory/. With --folder it is a folder beside
    the code, reviewed and branched with it. DIR makes a repository of its own. On a terminal it asks
    which, and offers `install` if agents' programs are found. --move takes a home from its folder to a
    branch; --dry-run shows how, and on a terminal it asks first. In a clone of a home it tells git to
    keep the computed files as they are in a pull. Beside the code, logs are plain files: you commit them
    as you commit your code. --personal makes a home of what is only yours: it is in your briefs and in no
    shared home, is never sent unless you say so, and every command knows it as `--home personal`.

    Examples:
      diurna init
      diurna init --folder memory
      diurna init --branch agents
      diurna init --move branch --dry-run
      diurna init ~/team-memory --project payments
      diurna init --personal
      diurna init --tour
    """
    named = [one for one in (dir, branch, folder) if one not in ("", None)]
    if mode:
        if call.json or dry_run or move or named or project or personal:
            raise WrongUsage("--tour takes --keep alone")
        return _tour(call, keep=keep)
    if move:
        if dir or folder is not None or project or personal:
            hint = "diurna init --move branch [--branch NAME]"
            raise WrongUsage("a home moves to a branch", hint=hint)
        return _move_home(call, branch or BRANCH, dry_run=dry_run)
    if call.home:
        raise WrongUsage("the home to be made is named by DIR", hint=f"diurna init {call.home}")
    if personal and named:
        raise WrongUsage("a personal home has its own place", hint="diurna init --personal")
    if len(named) > 1:
        raise WrongUsage("DIR, --branch and --folder name different homes", hint="leave two out")
    from memory import publishing
    from rituals.check.clone_checks import attribute_findings, mirrors_noticed
    from rituals.cli.commands.install import offer
    from rituals.hosts.install.install_plan import found_hosts

    plan = (
        plan_personal(project)
        if personal
        else plan_setup(call.folder(), dir, branch, project, folder)
    )
    top = plan.repository.top if plan.repository else ""
    asks = (
        bool(top and plan.files) and not (dry_run or personal or call.json) and call.interactive()
    )
    if asks and not named and plan.kind == OWN_BRANCH:
        call.out.talk(_TWO_HOMES)
        question = f"keep the memory on a branch of its own, {BRANCH}?"
        if not click.confirm(question, True, err=True):
            plan = plan_setup(call.folder(), "", "", project, f"{top}/{TREE_PREFIX}")
    if asks:
        call.out.talk(_WHAT_ASKS)
        if click.confirm("share what you ask agents for, a line each?", False, err=True):
            plan = sharing_asks(plan)
    findings: tuple[Finding, ...] = ()
    where = None
    if not dry_run:
        memory = apply_setup(plan, call.now_ms, call.agent)
        findings = (*attribute_findings(memory.home), *mirrors_noticed(memory))
        where = publishing(memory.home, memory.policy)
        memory.close()
    lines = [told(step, done=where is not None) for step in plan.steps]
    call.answer(
        {
            **fields_of(plan, "kind place branch prefix steps"),
            "dry_run": where is None,
            "findings": findings,
        },
        lines or [f"nothing to do: {plan.place} has a home{plan.seat}"],
        findings=findings,
        hints=_hints(call, plan, where, project=project),
    )
    if asks and not dir:
        offer(call, found_hosts(top, user_folder(), call.search_path))


def _tour(call: Invocation, *, keep: bool) -> None:
    """Show the whole story on a throw-away ledger."""
    from rituals.setup.tour import run

    def say(line: str) -> None:
        call.out.line(line)
        call.out.flush()

    folder = mkdtemp(prefix="diurna-tour-")
    try:
        run(say, folder, variables())
    finally:
        if keep:
            call.out.talk(f"kept in {folder}")
        else:
            rmtree(folder, ignore_errors=True)


def _move_home(call: Invocation, branch: str, *, dry_run: bool) -> None:
    """Move the home from its folder to a branch: say the plan, ask a person, do it."""
    from rituals.setup.move import apply_move, plan_move

    plan = plan_move(call.find_home(), branch)
    if plan.steps and not dry_run:
        if not call.json and call.interactive():
            for step in plan.steps:
                call.out.talk(f"would {step}")
            if not click.confirm("move it?", True, err=True):
                return
        apply_move(plan, call.now_ms, call.agent).close()
    lines = [told(step, done=not dry_run) for step in plan.steps]
    moved = "`diurna sync` and your own `git push` let others have it; then they `git pull`"
    values = fields_of(plan, "kind=there.kind branch=there.branch prefix=there.prefix logs steps")
    hints = (moved,) if lines and not dry_run else ()
    call.answer(
        {**values, "dry_run": dry_run}, lines or ["nothing to do: it is there"], hints=hints
    )


def _hints(
    call: Invocation, plan: SetupPlan, where: Publishing | None, *, project: str
) -> Iterator[str]:
    """Yield what to do next; and of a new home, what its place does not say by itself."""
    if project and plan.policy not in dict(plan.files):
        yield f"the project's name stands in {plan.policy}; change it there"
    if where is None or not plan.files:
        return
    if not where.here:
        yield f"{CONTINUITY_FILE} is published on {where.trunk}, once it has this home"
    yield _FIRST[plan.personal]
    if plan.kind != OWN_REPOSITORY and plan.place != os.path.realpath(call.folder()):
        yield f"it is the memory of all of {plan.place},{plan.seat}"
    if plan.kind == OWN_BRANCH and not call.interactive():  # else a person was asked
        yield _OTHER_HOME
    project = call.project()
    beside = project != plan.place and os.path.lexists(f"{project}/.git")
    if plan.kind == OWN_REPOSITORY and beside and not plan.personal:
        setting = f"git config {HOME_SETTING} {shlex.quote(plan.place)}"
        yield f"`{setting}` lets commands and agents in {project} find it"
