"""Set up a home: plan first, then apply. Nothing that is there is emptied or replaced.

The home of what is only the user's is a repository of its own below their data folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from ledger.errors import DiurnaError, HomeNotFound, PolicyInvalid, WriteRefused
from ledger.git.repository import (
    Repository,
    config_value,
    find_repository,
    head,
    read_reference,
    remote_branches,
)
from ledger.home import (
    NEWER_HINT,
    OWN_BRANCH,
    OWN_REPOSITORY,
    PERSONAL,
    Home,
    branch_home,
    checked_out_home,
    discover,
    newer_branch,
    personal_folder,
)
from ledger.model import layout
from ledger.model.layout import POLICY_FILE
from ledger.remote.remote import choose_remote
from ledger.remote.transport import advertised, fetch
from ledger.wal.atomic_files import make_folder
from memory.api import Memory
from memory.worktree.merge_drivers import apply_drivers, plan_drivers
from memory.worktree.page_copies import keep_out_of_status, mirror
from projection.policy.model import APPEND, PACED, Policy
from projection.policy.toml import read_policy
from rituals.setup.setup_plan import (
    SetupPlan,
    holds_work,
    initial,
    missing,
    named,
    plan_checked_out,
    plan_tree,
    prefix_of,
    refuse_branch,
)


def plan_setup(
    start: str, folder: str, branch: str, project: str, tree: str | None = None
) -> SetupPlan:
    """Plan a home.

    Args:
        start: the folder the command runs in.
        folder: the DIR argument, "" for none.
        branch: the name of an own branch, "" for none.
        project: the project's name, "" to take the folder's.
        tree: the folder of a home beside the code, None for a branch of its own.

    Raises:
        WriteRefused: a home can not be made there; the reason is said.
    """
    place = os.path.realpath(os.path.join(start, folder or "."))
    repository = find_repository(place if os.path.isdir(place) else os.path.dirname(place))
    if branch:
        if repository is None:
            raise WriteRefused(
                f"{place} is in no git repository, so there is none to put the branch into",
                hint="run `diurna init` without --branch for a repository of its own",
            )
        there, unasked = home_of(repository, branch)  # it would be found first, or lose its place
        if there is not None and (there.kind, there.branch) != (OWN_BRANCH, branch):
            raise second_home(there)
        plan = _plan_branch(repository, branch, project)
        return plan._replace(steps=unasked + plan.steps)
    if repository is not None and _is_fresh_top(repository, place) and folder:
        return plan_own(place, repository, _own_policy(project, place))
    if repository is None:
        if os.path.isfile(place):
            raise WriteRefused(f"{place} is a file", hint="name a folder")
        if tree is not None or (not folder and holds_work(place)):
            return plan_tree(place, None, project, prefix_of(place, place, tree))
        return plan_own(place, None, _own_policy(project, place))
    if not repository.top:
        raise WriteRefused(
            f"{repository.gitdir} is a bare repository; a home in it needs a branch of its own",
            hint="diurna init --branch memory",
        )
    if folder and place != repository.top:
        raise WriteRefused(
            f"{place} lies inside the repository {repository.top}",
            hint=f"run `diurna init` in {repository.top} for a home in it, or name a folder outside",
        )
    return _plan_found(repository, project, prefix_of(repository.top, start, tree))


def _plan_found(repository: Repository, project: str, prefix: str) -> SetupPlan:
    """Plan a home beside the code, without a prefix on a branch, or what one that is there lacks."""
    if os.path.isfile(f"{repository.top}/{layout.POLICY_FILE}") and not prefix:
        return plan_own(repository.top, repository, _own_policy(project, repository.top))
    there, unasked = home_of(repository)
    if there is None:
        plan = (
            plan_tree(repository.top, repository, project, prefix)
            if prefix
            else _plan_branch(repository, layout.DEFAULT_BRANCH, project)
        )
        return plan._replace(steps=unasked + plan.steps)
    if prefix and prefix != there.prefix:
        raise second_home(there)
    if there.kind == OWN_BRANCH:
        return _plan_branch(repository, there.branch, project)
    return plan_tree(repository.top, repository, project, there.prefix)


def home_of(
    repository: Repository, branch: str = layout.DEFAULT_BRANCH
) -> tuple[Home | None, tuple[str, ...]]:
    """Return the home that commands find at the top of a repository, else the one that a remote has.

    Behind it, None for none, comes what could not be asked, as a step of a plan.

    Raises:
        WriteRefused: the remote's own branch has one, which what is checked out lacks.
    """
    there = _found(repository)
    if there and there.tip():
        return there, ()
    newer = newer_branch(repository)
    if newer:
        raise WriteRefused(f"{newer} has a home, which this branch has not", hint=NEWER_HINT)
    if read_reference(repository, f"refs/heads/{branch}"):
        return there, ()
    failed = _bring(repository, dict.fromkeys((branch, layout.DEFAULT_BRANCH)))
    steps = (f"begin without the word of a remote: {failed.message}",) if failed else ()
    return _found(repository), steps


def _bring(repository: Repository, branches: Iterable[str]) -> DiurnaError | None:
    """Fetch branches that are not known here from the first remote that has one, `origin` before others.

    Returns why one could not be asked, None where nothing was in the way.
    """
    failed, git = None, repository.git()
    for name in sorted(git.text("remote").split(), key=lambda one: one != "origin"):
        try:
            asked = [choose_remote(git, branch, name) for branch in branches]
            there = advertised(
                git, asked[0], [one.branch for one in asked]
            )  # a silent host is given up soon
            found = [fetch(git, one) for one in asked if one.branch in there]
            if found:
                return None
        except DiurnaError as problem:
            failed = failed or problem
    return failed


def _found(repository: Repository) -> Home | None:
    """Return the home that commands find at the top of a repository."""
    try:
        return discover(repository.top or repository.gitdir, named=repository.where)
    except HomeNotFound:
        return None


def second_home(there: Home) -> WriteRefused:
    """Say that a home would stand beside another one."""
    on = f"on the branch {there.branch}"
    if there.kind != OWN_BRANCH:
        on = f"{there.prefix or 'at its top'} on {there.branch or 'HEAD'}"
    return WriteRefused(
        f"this repository has a home, {on}, and one repository has one memory",
        hint="use it as it is; `diurna status` shows it",
    )


def _is_fresh_top(repository: Repository, place: str) -> bool:
    """Tell whether a folder is a repository without commits or of a home of its own."""
    if repository.top != place:
        return False
    commit = head(repository)[1]
    if not commit or os.path.isfile(f"{place}/{layout.POLICY_FILE}"):
        return True
    # committed a moment ago by another `init`, which has not written its files yet
    return bool(repository.git().resolve(f"{commit}:{layout.POLICY_FILE}")[0])


def _own_policy(project: str, place: str) -> Policy:
    return Policy(project=named(project, place), publish=APPEND, windows=PACED)


def plan_own(place: str, repository: Repository | None, policy: Policy) -> SetupPlan:
    """Plan a home at the top of a repository of its own; None where `place` becomes one.

    Raises:
        WriteRefused: a home can not be made there; the reason is said.
    """
    return plan_checked_out(OWN_REPOSITORY, place, repository, "", policy)


def _plan_branch(repository: Repository, branch: str, project: str) -> SetupPlan:
    reference = f"refs/heads/{branch}"
    refuse_branch(repository, branch, "diurna init --branch")
    local = read_reference(repository, reference)
    upstream = next(iter(remote_branches(repository, branch)), "")
    tip = local or (read_reference(repository, upstream) if upstream else "")
    files = initial(_own_policy(project, repository.where))
    if tip:
        if not repository.git().resolve(f"{tip}:{layout.POLICY_FILE}")[0]:
            raise WriteRefused(
                f"the branch {branch} exists and holds something else",
                hint="choose another name: diurna init --branch NAME",
            )
        files = missing(repository, tip, "", files)
    steps = [f"commit {path} on the branch {branch}" for path, _ in files]
    if not local and upstream:
        steps.insert(0, f"make the branch {branch} from {upstream.removeprefix('refs/remotes/')}")
    if config_value(repository, "diurna", "branch") != branch:
        steps.append(f"set {layout.CONFIG_BRANCH} = {branch} in the repository's configuration")
    if _lacks_upstream(repository, branch, upstream):
        shown = upstream.removeprefix("refs/remotes/")
        steps.append(f"set {shown} as the upstream of {branch}")
    return SetupPlan(
        OWN_BRANCH, repository.where, repository, branch, "", tuple(files), tuple(steps)
    )


def apply_setup(plan: SetupPlan, clock: Callable[[], int], agent: str = "") -> Memory:
    """Make the home that a plan describes and return it, open."""
    repository = plan.repository
    if repository is None:
        repository = _make_repository(plan)
    if plan.kind == OWN_BRANCH:
        home = branch_home(repository, plan.branch)
        if config_value(repository, "diurna", "branch") != plan.branch:
            repository.git().configure("config", "--local", layout.CONFIG_BRANCH, plan.branch)
        if repository.top:
            keep_out_of_status(home)
        if home.is_astray():  # what a branch had that was deleted here is kept, and stays away
            Memory(home, clock=clock, lasting=False).bring_back()
        _birth_from_upstream(home)
        _set_upstream(home)
    else:
        home = checked_out_home(repository, plan.prefix)
    memory = Memory(home, agent=agent, clock=clock, lasting=False)
    if plan.files or plan.pointer:
        # another `init` may have been faster: then its home is this one
        said = f"diurna: a home for {os.path.basename(plan.place)}"
        files, writer = plan.files, memory
        if plan.pointer:  # it stands outside of the home, and goes with it in one commit
            files = (*[(plan.prefix + path, data) for path, data in files], *plan.pointer)
            writer = Memory(checked_out_home(repository, ""), clock=clock, lasting=False)
        writer.commit_files(files, said, only_missing=True)
    apply_drivers(home, plan_drivers(home))
    if plan.kind == OWN_BRANCH and repository.top:
        mirror(home, [(layout.CONTINUITY_FILE, memory.continuity().encode())])
    return memory


def _make_repository(plan: SetupPlan) -> Repository:
    place = plan.place
    make_folder(place, 0o700 if plan.personal else 0o777)
    above = Repository(place, place, place).git()
    above.configure("init", "-q", "-b", plan.branch)
    found = find_repository(place)
    assert found is not None, "git init made a repository"
    return found


def _birth_from_upstream(home: Home) -> None:
    """Let the own branch start where its remote-tracking branch is."""
    if home.upstream and not read_reference(home.repository, home.reference):
        tip = read_reference(home.repository, home.upstream)
        # the all-zero old value makes git refuse when the branch was born meanwhile
        git = home.repository.git()
        status, _, err = git.call("update-ref", home.reference, tip, "0" * 40)
        if status and not read_reference(home.repository, home.reference):
            raise git.failure("update-ref", status, err)


def _lacks_upstream(repository: Repository, branch: str, upstream: str) -> bool:
    """Tell whether git is yet to be told which remote an own branch goes with."""
    key = f"branch.{branch}.remote"
    return bool(upstream) and not repository.git().run("config", "--get", key, check=False)


def _set_upstream(home: Home) -> None:
    """Let the own branch track the one on the remote, as a branch that git itself checks out does."""
    if not _lacks_upstream(home.repository, home.branch, home.upstream):
        return
    remote = home.upstream.removeprefix("refs/remotes/").removesuffix(f"/{home.branch}")
    git = home.repository.git()
    git.configure("config", "--local", f"branch.{home.branch}.remote", remote)
    git.configure("config", "--local", f"branch.{home.branch}.merge", home.reference)


def plan_personal(project: str) -> SetupPlan:
    """Plan the personal home; `project` is the name that it is to bear, "" for the usual one.

    Raises:
        WriteRefused: something else is there; the reason is said.
    """
    place = os.path.realpath(personal_folder())
    if os.path.lexists(place) and not os.path.isdir(place):
        raise WriteRefused(f"{place} is a file", hint="move it away, or set $XDG_DATA_HOME")
    _refuse_shared(place)
    # a user may keep their whole home directory in git: that repository holds this one, and none of it
    above = find_repository(place) if os.path.isdir(place) else None
    repository = above if above is not None and above.top == place else None
    policy = Policy(project=project or PERSONAL, publish=APPEND, windows=PACED, personal=True)
    return plan_own(place, repository, policy)._replace(personal=True)


def _refuse_shared(place: str) -> None:
    """Refuse a home that is there and does not say that it is personal."""
    file = f"{place}/{POLICY_FILE}"
    try:
        with open(file, "rb") as opened:
            personal = read_policy(opened.read(), newer_ok=True).personal
    except FileNotFoundError:
        return
    except (OSError, PolicyInvalid) as problem:
        raise WriteRefused(f"{file} can not be read: {problem}", hint="mend it first") from problem
    if not personal:
        raise WriteRefused(
            f"{place} has a home that is not personal",
            where=file,
            hint="if it is only yours, add the line `personal = true` to that file and commit it",
        )
