"""Choose which home `init` makes: as it was asked for, or as a person answers."""

from __future__ import annotations

import click

from ledger.environment import OWN_COMMITS, user_folder, variables
from ledger.errors import WriteRefused, WrongUsage
from ledger.home import IN_TREE, OWN_BRANCH
from ledger.model.record import Record
from rituals.answers.record_fields import fields_of
from rituals.cli.output import told
from rituals.setup.existing_files import riding
from rituals.setup.home_setup import apply_setup, plan_setup, with_hooks
from rituals.setup.personal_home import plan_personal
from rituals.setup.tree import prefix_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.context import Invocation
    from rituals.setup.setup_plan import SetupPlan

#: The branch that is proposed for a home that programs or other people write to.
BRANCH = "memory"
_TWO_HOMES = """\
In the folder memory/: beside the code, reviewed and branched with it.
On a branch of its own, read in .memory/: live for all branches, agents and worktrees."""

_WHY_A_HOOK = """\
A git hook (pre-commit) puts what was recorded into your own next commit, beside the code that it explains.
Without it Diurna commits each log by itself."""


class Wish(Record):
    """Which home was asked for; `tree` is None where no folder was named."""

    dir: str = ""
    branch: str = ""
    tree: str | None = None
    project: str = ""
    personal: bool = False
    move: str | None = None


def move_home(call: Invocation, wish: Wish, *, dry_run: bool) -> None:
    """Move the home between the folder and a branch: say the plan, ask a person, do it.

    Raises:
        WrongUsage: it names another kind of home.
        WriteRefused: it can not be moved now.
    """
    from rituals.setup.move import apply_move, default_prefix, plan_move

    home = call.find_home()
    to = OWN_BRANCH if wish.move == "branch" else IN_TREE
    if wish.dir or wish.personal or (wish.branch if to == IN_TREE else wish.tree is not None):
        raise WrongUsage(
            "a home moves to a branch or to a folder beside the code",
            hint="diurna init --move branch [--branch NAME], or --move tree [--tree FOLDER]",
        )
    name = wish.branch or BRANCH
    if to == IN_TREE:
        top = home.repository.top
        name = prefix_of(top, call.folder(), wish.tree) or default_prefix(home.repository)
    plan = plan_move(home, to, name)
    if plan.steps and not dry_run:
        if not call.json and call.interactive():
            for step in plan.steps:
                call.out.talk(f"would {step}")
            if not click.confirm("move it?", True, err=True):
                return
        apply_move(plan, call.now_ms, call.agent).close()
    if call.json:
        said = {"kind": plan.there.kind, **fields_of(plan.there, "branch prefix")}
        call.out.answer({**said, **fields_of(plan, "logs steps"), "dry_run": dry_run})
        return
    for step in plan.steps:
        call.out.line(told(step, done=not dry_run))
    if not plan.steps:
        call.out.line("nothing to do: it is there")
    elif not dry_run:
        call.out.hint(
            "`diurna sync` and your own `git push` let others have it; then they `git pull`"
        )


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


def choose_commits(
    call: Invocation, plan: SetupPlan, hooks: bool | None, *, dry_run: bool
) -> tuple[SetupPlan, bool | None]:
    """Let logs of a new home beside code go with a person's commits, unless they say otherwise.

    Returns:
        The plan, and whether git's hooks are wanted; None where nobody said so.
    """
    rides = riding(plan)
    if rides == plan or hooks is False or variables().get(OWN_COMMITS):
        return plan, hooks
    if hooks is None:
        asks = not dry_run and _can_ask(call, plan)
        try:
            with_hooks(rides, True, call.program())
        except WriteRefused as problem:  # their hooks are none that a block can be put into
            if asks:
                call.out.talk(f"{_WHY_A_HOOK}\n{problem.message}: {problem.hint}")
            return rides, None
        if asks:
            call.out.talk(_WHY_A_HOOK)
        hooks = not asks or click.confirm("let memory go with your own commits?", True, err=True)
    return (plan if hooks is False else rides), hooks


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
    from rituals.hosts.install.host_files import found_hosts

    if not _can_ask(call, plan) or plan.repository is None:
        return ()
    return found_hosts(plan.repository.top, user_folder(), call.search_path)


def _can_ask(call: Invocation, plan: SetupPlan) -> bool:
    in_work_tree = plan.repository is not None and bool(plan.repository.top)
    return in_work_tree and not call.json and call.interactive()


def _has_remote(plan: SetupPlan) -> bool:
    """Tell whether others may work on what a plan is for."""
    return bool(plan.repository and plan.repository.git().run("remote", check=False).strip())
