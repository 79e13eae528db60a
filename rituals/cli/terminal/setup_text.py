"""Print what was done to make a home, or would be."""

from __future__ import annotations

import os
import shlex

from ledger.git.config_files import HOME_SETTING
from ledger.home import IN_TREE, OWN_REPOSITORY
from ledger.model.layout import CONTINUITY_FILE, POLICY_FILE
from projection.policy.model import REVIEW
from rituals.answers.json_objects import finding_objects
from rituals.answers.record_fields import fields_of
from rituals.cli.output import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.findings import Finding
    from memory.worktree.trunk import Publishing
    from rituals.cli.context import Invocation
    from rituals.setup.setup_plan import SetupPlan

#: A command that records a first fact, of all and of what is only the user's.
_FIRST = ('diurna note "decision: …"', 'diurna note --personal "preference: …"')
#: Says what the other home would be, to who was not asked.
_OTHER_HOME = (
    "reviewed and branched with the code; a branch of its own is live for all branches, agents and "
    "worktrees: `diurna init --move branch`"
)


def show_setup(
    call: Invocation,
    plan: SetupPlan,
    where: Publishing | None,
    findings: tuple[Finding, ...],
    *,
    project: str,
    hooks: bool,
) -> None:
    """Print the steps, and what the policy of the home makes of them, or answer with the plan.

    `where` is when and where the home publishes, None where nothing was done; the project and git's hooks
    are as they were asked for.
    """
    if call.json:
        said = fields_of(plan, "kind place branch prefix steps")
        noticed = finding_objects(findings)
        return call.out.answer({**said, "dry_run": where is None, "findings": noticed})
    for step in plan.steps:
        call.out.line(told(step, done=where is not None))
    if not plan.steps:
        call.out.line(f"nothing to do: {plan.place} has a home{plan.seat}")
    policy = f"{plan.prefix}{POLICY_FILE}"
    if project and POLICY_FILE not in dict(plan.files):
        call.out.hint(f"the project's name stands in {policy}; change it there")
    if where is None:
        return
    if hooks and where.when == REVIEW:
        call.out.hint(f'the hooks publish nothing while {policy} says publish = "review"')
    if plan.files and not where.here:
        call.out.hint(f"{CONTINUITY_FILE} is published on {where.trunk}, once it has this home")
    if plan.files:
        call.out.hint(_FIRST[plan.personal])
        _tell_where(call, plan)


def _tell_where(call: Invocation, plan: SetupPlan) -> None:
    """Say of a new home what its place does not say by itself."""
    if plan.kind == IN_TREE:
        if plan.place != os.path.realpath(call.folder()):
            call.out.hint(f"it is the memory of all of {plan.place}, in {plan.place}/{plan.prefix}")
        if not call.interactive():  # else a person was asked
            call.out.hint(_OTHER_HOME)
    project = call.project()
    beside = project != plan.place and os.path.lexists(f"{project}/.git")
    if plan.kind == OWN_REPOSITORY and beside and not plan.personal:
        setting = f"git config {HOME_SETTING} {shlex.quote(plan.place)}"
        call.out.hint(f"`{setting}` lets commands and agents in {project} find it")
