"""Say what is done to make a home, as a value; and what every kind of home begins with."""

from __future__ import annotations

import os

from ledger.errors import WriteRefused
from ledger.git.repository import Repository, head, operation_under_way, read_reference
from ledger.home import OWN_BRANCH
from ledger.model.layout import ATTRIBUTES, ATTRIBUTES_FILE, CONTINUITY_FILE, POLICY_FILE
from ledger.model.record import Record
from projection.document.page_renderer import render
from projection.fold.full_replay import State
from projection.fold.projection_state import NOTHING
from projection.policy.model import Policy
from projection.policy.template import write_policy
from rituals.setup.git_hooks.hook_install import HookPlan


class SetupPlan(Record):
    """What `diurna init` will do."""

    kind: str  #: of the home
    place: str  #: the folder or branch, for the reader
    repository: Repository | None  #: an existing repository, None when `place` becomes one
    branch: str  #: of the home
    prefix: str  #: of the home
    #: (path relative to the home, bytes) to commit; those that exist are left out
    files: tuple[tuple[str, bytes], ...]
    steps: tuple[str, ...]  #: the plan in sentences; empty when there is nothing to do
    hooks: HookPlan = HookPlan()  #: what becomes of git's hooks, where that was asked for
    personal: bool = False  #: nobody but the user looks into its folder
    #: the file at the top of the repository that leads to the folder, where it is missing
    pointer: tuple[tuple[str, bytes], ...] = ()

    @property
    def seat(self) -> str:
        """Where in its place the home is, for the reader."""
        if self.kind == OWN_BRANCH:
            return f" on the branch {self.branch}"
        return f" in {self.prefix}" if self.prefix else ""


def named(project: str, folder: str) -> str:
    """Return a project's name: as it was given, else its folder's."""
    return project or os.path.basename(folder.rstrip("/")) or "project"


def initial(policy: Policy) -> tuple[tuple[str, bytes], ...]:
    """Return the files of an empty home."""
    empty = State({}, [], NOTHING, policy)
    return (
        (POLICY_FILE, write_policy(policy).encode()),
        (ATTRIBUTES_FILE, ATTRIBUTES.encode()),
        (CONTINUITY_FILE, render(empty.view()).encode()),
    )


def missing(
    repository: Repository, commit: str, prefix: str, files: tuple[tuple[str, bytes], ...]
) -> tuple[tuple[str, bytes], ...]:
    """Keep the files that neither the commit nor the work tree has."""
    there = [""] * len(files)
    if commit:
        there = repository.git().resolve(*[f"{commit}:{prefix}{path}" for path, _ in files])
    return tuple(
        (path, data) for (path, data), found in zip(files, there, strict=True) if not found
    )


def refuse_state(repository: Repository, reference: str) -> None:
    """Refuse to commit in the middle of an operation, or where no branch is checked out.

    Raises:
        WriteRefused: so it is.
    """
    doing = operation_under_way(repository)
    if doing:
        raise WriteRefused(f"{doing} is in progress", hint="finish it first")
    if not reference:
        raise WriteRefused(
            "HEAD is detached, so there is no branch to commit to",
            hint="check out a branch, or use one of its own: diurna init --branch memory",
        )


def refuse_branch(repository: Repository, branch: str, command: str) -> None:
    """Refuse what is no name for a branch, one that is checked out, and one that bars another.

    `command` takes another name behind it.

    Raises:
        WriteRefused: so it is.
    """
    status, _, _ = repository.git().call("check-ref-format", "--branch", branch)
    if status or branch.startswith("-"):
        raise WriteRefused(f"{branch!r} is no name for a branch", hint="for example: memory")
    git = repository.git()
    hint = f"`{command} diurna-{branch.replace('/', '-')}` takes another name"
    reference, place = f"refs/heads/{branch}", ""
    form, there = "--format=%(refname:short)", (f"{reference}/", f"refs/remotes/*/{branch}/**")
    above = [branch[:at] for at, char in enumerate(branch) if char == "/"]
    beside = [one for one in above if read_reference(repository, f"refs/heads/{one}")]
    beside = beside or git.text("for-each-ref", "--count=1", form, *there).split()
    if beside:
        raise WriteRefused(f"git can not have a branch {branch} beside {beside[0]}", hint=hint)
    if repository.top and head(repository)[0] == reference:
        place = repository.top  # also while it is unborn
    elif repository.top:
        place = git.text("for-each-ref", "--format=%(worktreepath)", reference).strip()
    if place:
        raise WriteRefused(f"{branch} is checked out in {place}", hint=hint)
