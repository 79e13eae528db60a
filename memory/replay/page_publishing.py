"""Tell whether a write on a branch commits the projection with it (FORMAT.md, M3).

Whoever writes, checks or reports asks here. Knowing the trunk takes two small files and no git.
"""

from __future__ import annotations

from ledger.git.repository import Repository, default_branch, read_reference, remote_branches
from ledger.home import OWN_BRANCH, Home
from ledger.model.record import Record
from projection.policy.model import APPEND, REVIEW, TRUNK, Policy


class Publishing(Record):
    """When the projection of a home is committed, for the reader."""

    when: str  #: as the policy says
    here: bool  #: it is looked for on the branch that is checked out
    #: the branch that it is committed on, "" where that is any, or nobody knows which
    trunk: str = ""
    missing: bool = False  #: there is no such branch here, nor at a remote that was fetched


def trunk(home: Home, policy: Policy) -> str:
    """Return the branch that work comes together on, "" where nobody said which.

    It is the one that `origin/HEAD` names, else the one that the policy names, as `diurna init` wrote it.
    A branch of its own is the only one that its ledger has.
    """
    if home.kind == OWN_BRANCH:
        return home.branch
    return default_branch(home.repository) or policy.trunk


def trunk_of(repository: Repository, branch: str) -> str:
    """Return the branch that work comes together on, as far as a clone tells; else the one here."""
    usual = [
        name
        for name in ("main", "master", "trunk")
        if read_reference(repository, f"refs/heads/{name}") or remote_branches(repository, name)
    ]
    return default_branch(repository) or next(iter(usual), branch)


def code_trunk(home: Home, policy: Policy) -> str:
    """Return the branch that work on the code comes together on, whichever one memory has; "" for none.

    It is the one that `origin/HEAD` names, else the policy, else the one of the usual names that is there.
    """
    named = default_branch(home.repository) or policy.trunk
    return named or trunk_of(home.repository, "")


def publishes(home: Home, policy: Policy, *, reviewing: bool = False) -> bool:
    """Tell whether a write on the home's branch commits the projection with it.

    With HEAD detached there is no branch to publish on. `policy` is of its tip; `reviewing`: the write
    is a review, or somebody looks whether one is wanted.
    """
    if policy.publish in (APPEND, REVIEW):
        return reviewing or policy.publish == APPEND
    return bool(home.reference) and home.branch == trunk(home, policy)


def publishing(home: Home, policy: Policy) -> Publishing:
    """Say when the projection of a home is committed, and on which branch."""
    here = publishes(home, policy, reviewing=True)
    if policy.publish != TRUNK:
        return Publishing(policy.publish, here)
    name = trunk(home, policy)
    there = here or read_reference(home.repository, f"refs/heads/{name}")
    return Publishing(TRUNK, here, name, not (there or remote_branches(home.repository, name)))
