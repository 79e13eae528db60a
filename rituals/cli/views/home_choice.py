"""Choose which home `init` makes: as it was asked for, or as a person answers."""

from __future__ import annotations

import click

from ledger.environment import user_folder
from ledger.errors import WrongUsage
from ledger.home import IN_TREE
from ledger.model.record import Record
from rituals.cli.output import told
from rituals.setup.home import apply_setup, plan_setup
from rituals.setup.personal import plan_personal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.context import Invocation
    from rituals.setup.plan import SetupPlan

#: The branch that is proposed for a home that programs or other people write to.
BRANCH = "memory"
_TWO_HOMES = """\
In the folder memory/: beside the code, reviewed and branched with it.
On a branch of its own, read in .memory/: live for all branches, agents and worktrees."""


class Wish(Record):
    """Which home was asked for; `tree` is None where no folder was named."""

    dir: str = ""
    branch: str = ""
    tree: str | None = None
    project: str = ""
    personal: bool = False


def choose(call: Invocation, wish: Wish, *, dry_run: bool) -> tuple[SetupPlan, tuple[str, ...]]:
    """Return the plan of a home, and the hosts to be offered; a terminal is asked which home it is to be.

    Raises:
        WrongUsage: it names two homes.
        WriteRefused: it can not be made there.
    """
    named = bool(wish.dir) + bool(wish.branch) + (wish.tree is not None)
    if call.home:
        raise WrongUsage("the home to be made is named by DIR", hint=f"diurna init {call.home}")
    if wish.personal and named:
        raise WrongUsage("a personal home has its own place", hint="diurna init --personal")
    if named > 1:
        raise WrongUsage("DIR, --branch and --tree name different homes", hint="leave two out")
    if wish.personal:
        return plan_personal(wish.project), ()
    plan = plan_setup(call.folder(), wish.dir, wish.branch, wish.project, wish.tree)
    if wish.dir or dry_run or not plan.files:
        return plan, ()
    hosts = hosts_to_ask(call, plan)
    if not named and plan.kind == IN_TREE and _can_ask(call, plan):
        branch = ask_branch(call, proposed=bool(hosts) or _has_remote(plan))
        plan = plan_setup(call.folder(), "", branch, wish.project)
    return plan, hosts


def ask_branch(call: Invocation, *, proposed: bool = True) -> str:
    """Ask whether the memory is to have a branch of its own; return its name, "" for the folder."""
    call.out.talk(_TWO_HOMES)
    said = f"keep the memory on a branch of its own, {BRANCH}?"
    return BRANCH if click.confirm(said, proposed, err=True) else ""


def make_home(call: Invocation, branch: str) -> None:
    """Make a home on a branch of its own; in the folder it is made by a command of its own."""
    if branch:
        plan = plan_setup(call.folder(), "", branch, "")
        apply_setup(plan, call.now_ms, call.agent).close()
        for step in plan.steps:
            call.out.line(told(step, done=True))


def hosts_to_ask(call: Invocation, plan: SetupPlan) -> tuple[str, ...]:
    """Return the hosts that a person can be asked about: those of this machine, in a work tree."""
    from rituals.hosts.install.layout import found_hosts

    if not _can_ask(call, plan) or plan.repository is None:
        return ()
    return found_hosts(plan.repository.top, user_folder(), call.search_path)


def _can_ask(call: Invocation, plan: SetupPlan) -> bool:
    in_work_tree = plan.repository is not None and bool(plan.repository.top)
    return in_work_tree and not call.json and call.interactive()


def _has_remote(plan: SetupPlan) -> bool:
    """Tell whether others may work on what a plan is for."""
    return bool(plan.repository and plan.repository.git().run("remote", check=False).strip())
