"""Plan a home in a folder beside the code: `memory/`, or one that a file at the top leads to."""

from __future__ import annotations

import os

from ledger.environment import expanded
from ledger.errors import WriteRefused
from ledger.git.repository import (
    Repository,
    head,
)
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

#: Paths, with their bytes.
Files = tuple[tuple[str, bytes], ...]


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


def _tree_policy(project: str, place: str, trunk: str) -> Policy:
    name, capture = named(project, place), Capture(keep=TOLD)
    return Policy(project=name, publish=TRUNK, trunk=trunk, windows=PACED, capture=capture)


def plan_new_tree(place: str, project: str, prefix: str) -> SetupPlan:
    """Plan a home beside what a folder holds, which becomes a repository.

    The project is the name that was asked for, "" for the folder's; the prefix is the home's, "" for the
    usual one.

    Raises:
        WriteRefused: something of somebody else's is in the way.
    """
    prefix = prefix or TREE_PREFIX
    files = initial(_tree_policy(project, place, "main"))
    refuse_others_folder(Repository(place, place, place), "", prefix)
    pointer = pointer_to(prefix)
    steps = (
        f"make a git repository in {place}",
        *(f"commit {path} on main" for path, _ in (*_below(prefix, files), *pointer)),
        *NEW_CLONE.steps,
    )
    return SetupPlan(IN_TREE, place, None, "main", prefix, files, steps, pointer=pointer)


def plan_tree(repository: Repository, project: str, prefix: str) -> SetupPlan:
    """Plan a home in a work tree, or what is missing of one.

    Raises:
        WriteRefused: a home can not be made there; the reason is said.
    """
    reference, commit = head(repository)
    refuse_state(repository, reference)
    branch = reference.removeprefix("refs/heads/")
    policy = _tree_policy(project, repository.top, trunk_of(repository, branch))
    files = missing(repository, commit, prefix, initial(policy))
    pointer = missing(repository, commit, "", pointer_to(prefix))
    refuse_other_memory(repository, commit, prefix, files)
    if POLICY_FILE in dict(files):
        refuse_others_folder(repository, commit, prefix)
    added = (*_below(prefix, files), *pointer)
    refuse_overwriting(repository, "", added)
    steps = tuple(f"commit {path} on {branch}" for path, _ in added)
    steps += plan_drivers(checked_out_home(repository, prefix)).steps
    place = repository.top
    return SetupPlan(IN_TREE, place, repository, branch, prefix, files, steps, pointer=pointer)


def _below(prefix: str, files: Files) -> Files:
    return tuple((prefix + path, data) for path, data in files)


def pointer_to(prefix: str) -> Files:
    """Return the file that leads to a folder of another name than the usual one."""
    return () if prefix == TREE_PREFIX else ((TREE_POINTER, prefix.rstrip("/").encode() + b"\n"),)
