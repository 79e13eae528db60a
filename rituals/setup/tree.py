"""Plan a home in a folder beside the code: `memory/`, or one that a file at the top leads to."""

from __future__ import annotations

import os

from ledger.environment import expanded
from ledger.errors import WriteRefused
from ledger.git.repository import Repository, head
from ledger.home import IN_TREE, checked_out_home, pointed
from ledger.model.layout import POLICY_FILE, TREE_POINTER, TREE_PREFIX
from memory.worktree.merge_drivers import NEW_CLONE, plan_drivers
from memory.worktree.trunk import trunk_of
from projection.policy.model import PACED, TOLD, TRUNK, Capture, Policy
from rituals.setup.existing_files import (
    refuse_other_memory,
    refuse_others_folder,
    refuse_overwriting,
)
from rituals.setup.setup_plan import SetupPlan, initial, missing, named, refuse_state


def prefix_of(top: str, start: str, tree: str | None) -> str:
    """Return the prefix of a home in a folder as it was typed, "" where none was.

    Raises:
        WriteRefused: it is no folder in the repository, or one of git's.
    """
    if tree is None:
        return ""
    place = os.path.normpath(os.path.join(os.path.realpath(start), expanded(tree)))
    inside = os.path.relpath(place, top)
    if not tree.strip() or not pointed(inside):
        raise WriteRefused(
            f"{tree!r} is no folder that a home can have in {top}",
            hint="name a folder below its top, for example: diurna init --tree agent-memory",
        )
    return inside + "/"


def holds_work(place: str) -> bool:
    """Tell whether a folder in no repository holds what a memory is to be of."""
    try:
        names = os.listdir(place)
    except FileNotFoundError:
        return False
    return POLICY_FILE not in names and any(name[:1] != "." for name in names)


def tree_policy(project: str, place: str, trunk: str) -> Policy:
    """Return the policy of a home beside code; the project is "" for one that is named as its folder."""
    name, capture = named(project, place), Capture(keep=TOLD)
    return Policy(project=name, publish=TRUNK, trunk=trunk, windows=PACED, capture=capture)


def plan_tree(place: str, repository: Repository | None, project: str, prefix: str) -> SetupPlan:
    """Plan a home in a work tree, or what is missing of one; None for a folder that becomes a repository.

    Raises:
        WriteRefused: a home can not be made there; the reason is said.
    """
    branch = head(repository)[0].removeprefix("refs/heads/") if repository else "main"
    trunk = trunk_of(repository, branch) if repository else branch
    policy = tree_policy(project, place, trunk)
    return plan_checked_out(IN_TREE, place, repository, prefix or TREE_PREFIX, policy)


def plan_checked_out(
    kind: str,
    place: str,
    repository: Repository | None,
    prefix: str,
    policy: Policy,
    *,
    around: bool = False,
) -> SetupPlan:
    """Plan a home in the work tree of a repository; None for one that `place` is to become.

    `around` makes it around what another tool wrote there, which is to be imported.

    Raises:
        WriteRefused: a home can not be made there; the reason is said.
    """
    files, pointer = initial(policy), pointer_to(prefix) if prefix else ()
    steps, drivers, branch, on = [], NEW_CLONE, "main", ""
    if repository is None:
        steps.append(f"make a git repository in {place}")
        if prefix:
            refuse_others_folder(Repository(place, place, place), "", prefix)
            on = " on main"
    else:
        reference, commit = head(repository)
        refuse_state(repository, reference)
        branch = reference.removeprefix("refs/heads/")
        on = f" on {branch}"
        files = missing(repository, commit, prefix, files)
        pointer = missing(repository, commit, "", pointer)
        if not around:
            refuse_other_memory(repository, commit, prefix, files)
        if not around and prefix and POLICY_FILE in dict(files):
            refuse_others_folder(repository, commit, prefix)
    added = (*[(prefix + path, data) for path, data in files], *pointer)
    if repository is not None:
        refuse_overwriting(repository, added)
        drivers = plan_drivers(checked_out_home(repository, prefix))
    steps += [*[f"commit {path}{on}" for path, _ in added], *drivers.steps]
    return SetupPlan(kind, place, repository, branch, prefix, files, tuple(steps), pointer=pointer)


def pointer_to(prefix: str) -> tuple[tuple[str, bytes], ...]:
    """Return the file that leads to a folder of another name than the usual one."""
    return () if prefix == TREE_PREFIX else ((TREE_POINTER, prefix.rstrip("/").encode() + b"\n"),)
