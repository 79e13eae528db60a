"""Set up a home: plan first, then apply. Nothing that is there is emptied or replaced.

The home of what is only the user's is a repository of its own below their data folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from ledger.environment import expanded
from ledger.errors import WriteRefused
from ledger.git.repository import (
    Repository,
    config_value,
    find_repository,
    head,
    read_reference,
    remote_branches,
)
from ledger.home import (
    IN_TREE,
    OWN_BRANCH,
    OWN_REPOSITORY,
    PERSONAL,
    Home,
    branch_home,
    checked_out_home,
    personal_folder,
    pointed,
)
from ledger.model import layout
from ledger.model.layout import POLICY_FILE, TREE_PREFIX
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, plain_bytes
from memory import (
    NEW_CLONE,
    Memory,
    apply_drivers,
    keep_out_of_status,
    plan_drivers,
    trunk_of,
    write_mirror,
)
from projection.document.page_renderer import render
from projection.fold.full_replay import State
from projection.fold.live_view import NOTHING
from projection.policy.model import APPEND, PACED, TOLD, TRUNK, Capture, Policy, Windows
from projection.policy.template import write_policy
from projection.policy.toml import read_policy
from rituals.setup.init_obstacles import (
    home_of,
    refuse_branch,
    refuse_other_memory,
    refuse_others_folder,
    refuse_overwriting,
    refuse_state,
    second_home,
)

_Files = tuple[tuple[str, bytes], ...]


class SetupPlan(Record):
    """What `diurna init` will do."""

    kind: str  #: of the home
    place: str  #: the folder or branch, for the reader
    repository: Repository | None  #: an existing repository, None when `place` becomes one
    branch: str  #: of the home
    prefix: str  #: of the home
    files: _Files  #: (path from the top of the branch, bytes) to commit: those that are missing
    steps: tuple[str, ...]  #: the plan in sentences; empty when there is nothing to do
    personal: bool = False  #: nobody but the user looks into its folder

    @property
    def seat(self) -> str:
        """Where in its place the home is, for the reader."""
        if self.kind == OWN_BRANCH:
            return f" on the branch {self.branch}"
        return f" in {self.prefix}" if self.prefix else ""

    @property
    def policy(self) -> str:
        """The path of its policy."""
        return self.prefix + POLICY_FILE


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
    policy = _policy(project, repository.where if repository else place)
    if repository is None:
        if branch:
            raise WriteRefused(
                f"{place} is in no git repository, so there is none to put the branch into",
                hint="run `diurna init` without --branch for a repository of its own",
            )
        if os.path.isfile(place):
            raise WriteRefused(f"{place} is a file", hint="name a folder")
        if not folder:
            raise WriteRefused(
                f"{place} is in no git repository",
                hint="`git init` makes one; or `diurna init DIR` makes a memory of its own",
            )
        return _plan_checked_out(place, None, "", policy)
    top, prefix = repository.top, ""
    if not branch:
        if folder and place == top and not head(repository)[1]:
            return _plan_checked_out(place, repository, "", policy)  # without commits
        if not top:
            raise WriteRefused(
                f"{repository.gitdir} is a bare repository; a home in it needs a branch of its own",
                hint="diurna init --branch memory",
            )
        if folder and place != top:
            raise WriteRefused(
                f"{place} lies inside the repository {top}",
                hint=f"run `diurna init` in {top} for a home in it, or name a folder outside",
            )
        prefix = "" if tree is None else _prefix_of(top, start, tree)
        if os.path.isfile(f"{top}/{POLICY_FILE}") and not prefix:
            return _plan_checked_out(top, repository, "", policy)
    there, unasked = home_of(repository, branch or layout.DEFAULT_BRANCH)
    if there is not None:  # it would be found first, or lose its place
        same = (there.kind, there.branch) == (OWN_BRANCH, branch)
        if not same if branch else prefix not in ("", there.prefix):
            raise second_home(there)
        branch, prefix = there.branch, there.prefix
    if prefix or (there is not None and there.kind != OWN_BRANCH):
        plan = _plan_checked_out(top, repository, prefix, policy)
    else:
        plan = _plan_branch(repository, branch or layout.DEFAULT_BRANCH, policy)
    return plan._replace(steps=unasked + plan.steps)


def plan_around(repository: Repository, prefix: str, windows: Windows) -> SetupPlan:
    """Plan a home in a work tree around what another tool wrote there, which is to be imported.

    Raises:
        WriteRefused: a home can not be made there; the reason is said.
    """
    policy = _tree_policy(_policy("", repository.top), repository)._replace(windows=windows)
    return _plan_checked_out(repository.top, repository, prefix, policy, around=True)


def sharing_asks(plan: SetupPlan) -> SetupPlan:
    """Let logs of a new home show what persons ask agents for."""
    files = dict(plan.files)
    policy = read_policy(files[plan.policy])
    policy = policy._replace(capture=policy.capture._replace(asks=True))
    files[plan.policy] = write_policy(policy).encode()
    return plan._replace(files=tuple(files.items()))


def _policy(project: str, place: str) -> Policy:
    name = project or os.path.basename(place.rstrip("/")) or "project"
    return Policy(project=name, publish=APPEND, windows=PACED)


def _tree_policy(policy: Policy, repository: Repository) -> Policy:
    """Return the policy of a home beside code."""
    trunk = trunk_of(repository, head(repository)[0].removeprefix("refs/heads/"))
    return policy._replace(publish=TRUNK, trunk=trunk, capture=Capture(keep=TOLD))


def _prefix_of(top: str, start: str, tree: str) -> str:
    """Return the prefix of a home in a folder as it was typed.

    Raises:
        WriteRefused: it is no folder in the repository, or one of git's.
    """
    place = os.path.normpath(os.path.join(os.path.realpath(start), expanded(tree)))
    inside = os.path.relpath(place, top)
    if not tree.strip() or not pointed(inside):
        raise WriteRefused(
            f"{tree!r} is no folder that a home can have in {top}",
            hint="name a folder below its top, for example: diurna init --folder agent-memory",
        )
    return inside + "/"


def _missing(repository: Repository | None, commit: str, prefix: str, policy: Policy) -> _Files:
    """Return the files of an empty home, but for those that a commit has, "" for none."""
    files = {
        prefix + POLICY_FILE: write_policy(policy),
        prefix + layout.ATTRIBUTES_FILE: layout.ATTRIBUTES,
        prefix + layout.CONTINUITY_FILE: render(State({}, [], NOTHING, policy).view()),
    }
    if prefix not in ("", TREE_PREFIX):  # the file that leads to a folder of another name
        files[layout.TREE_POINTER] = prefix.rstrip("/") + "\n"
    there = [""] * len(files)
    if repository and commit:
        there = repository.git().resolve(*[f"{commit}:{path}" for path in files])
    rows = zip(files.items(), there, strict=True)
    return tuple([(path, text.encode()) for (path, text), blob in rows if not blob])


def _plan_checked_out(
    place: str, repository: Repository | None, prefix: str, policy: Policy, *, around: bool = False
) -> SetupPlan:
    """Plan a home in the work tree of a repository; None for one that `place` is to become.

    With a prefix it stands beside code. `around` makes it around what another tool wrote there.

    Raises:
        WriteRefused: a home can not be made there; the reason is said.
    """
    kind = IN_TREE if prefix else OWN_REPOSITORY
    if repository is None:
        files = _missing(None, "", "", policy)
        steps = [f"make a git repository in {place}", *[f"commit {path}" for path, _ in files]]
        return SetupPlan(kind, place, None, "main", "", files, (*steps, *NEW_CLONE.steps))
    if prefix and not around:
        policy = _tree_policy(policy, repository)
    reference, commit = head(repository)
    refuse_state(repository, reference)
    branch = reference.removeprefix("refs/heads/")
    files = _missing(repository, commit, prefix, policy)
    if not around and prefix + POLICY_FILE in dict(files):
        refuse_other_memory(repository, commit, prefix)
        if prefix:
            refuse_others_folder(repository, commit, prefix)
    refuse_overwriting(repository, files)
    drivers = plan_drivers(checked_out_home(repository, prefix))
    steps = [*[f"commit {path} on {branch}" for path, _ in files], *drivers.steps]
    return SetupPlan(kind, place, repository, branch, prefix, files, tuple(steps))


def _plan_branch(repository: Repository, branch: str, policy: Policy) -> SetupPlan:
    refuse_branch(repository, branch, "diurna init --branch")
    local = read_reference(repository, f"refs/heads/{branch}")
    upstream = next(iter(remote_branches(repository, branch)), "")
    tip = local or (read_reference(repository, upstream) if upstream else "")
    files = _missing(repository, tip, "", policy)
    if tip and POLICY_FILE in dict(files):
        raise WriteRefused(
            f"the branch {branch} exists and holds something else",
            hint="choose another name: diurna init --branch NAME",
        )
    steps = [f"commit {path} on the branch {branch}" for path, _ in files]
    shown = upstream.removeprefix("refs/remotes/")
    if not local and upstream:
        steps.insert(0, f"make the branch {branch} from {shown}")
    if config_value(repository, "branch") != branch:
        steps.append(f"set {layout.CONFIG_BRANCH} = {branch} in the repository's configuration")
    if _lacks_upstream(repository, branch, upstream):
        steps.append(f"set {shown} as the upstream of {branch}")
    return SetupPlan(OWN_BRANCH, repository.where, repository, branch, "", files, tuple(steps))


def _lacks_upstream(repository: Repository, branch: str, upstream: str) -> bool:
    """Tell whether git is yet to be told which remote an own branch goes with."""
    key = f"branch.{branch}.remote"
    return bool(upstream) and not repository.git().run("config", "--get", key, check=False)


def apply_setup(plan: SetupPlan, clock: Callable[[], int], agent: str = "") -> Memory:
    """Make the home that a plan describes and return it, open."""
    repository = plan.repository
    if repository is None:
        make_folder(plan.place, 0o700 if plan.personal else 0o777)
        above = Repository(plan.place, plan.place, plan.place).git()
        above.configure("init", "-q", "-b", plan.branch)
        repository = find_repository(plan.place)
        assert repository is not None, "git init made a repository"
    if plan.kind == OWN_BRANCH:
        home = branch_home(repository, plan.branch)
        _begin_branch(home, clock)
    else:
        home = checked_out_home(repository, plan.prefix)
    memory = Memory(home, agent=agent, clock=clock, lasting=False)
    if plan.files:
        # another `init` may have been faster: then its home is this one
        named = f"diurna: a home for {os.path.basename(plan.place)}"
        files, writer = plan.files, memory
        if layout.TREE_POINTER in dict(files):  # it stands outside of the home
            writer = Memory(checked_out_home(repository, ""), clock=clock, lasting=False)
        else:
            files = tuple([(path.removeprefix(plan.prefix), data) for path, data in files])
        writer.commit_files(files, named, only_missing=True)
    apply_drivers(home, plan_drivers(home))
    if plan.kind == OWN_BRANCH and repository.top:
        write_mirror(home, [(layout.CONTINUITY_FILE, memory.continuity().encode())])
    return memory


def _begin_branch(home: Home, clock: Callable[[], int]) -> None:
    """Let an own branch be found, start where its remote-tracking branch is, and track that."""
    repository, git = home.repository, home.repository.git()
    if config_value(repository, "branch") != home.branch:
        git.configure("config", "--local", layout.CONFIG_BRANCH, home.branch)
    if repository.top:
        keep_out_of_status(home)
    if home.is_astray():  # what a branch had that was deleted here is kept, and stays away
        Memory(home, clock=clock, lasting=False).bring_back()
    if home.upstream and not read_reference(repository, home.reference):
        tip = read_reference(repository, home.upstream)
        # the all-zero old value makes git refuse when the branch was born meanwhile
        status, _, err = git.call("update-ref", home.reference, tip, "0" * 40)
        if status and not read_reference(repository, home.reference):
            raise git.failure("update-ref", status, err)
    if _lacks_upstream(repository, home.branch, home.upstream):
        remote = home.upstream.removeprefix("refs/remotes/").removesuffix(f"/{home.branch}")
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
    file = f"{place}/{POLICY_FILE}"
    there = plain_bytes(file)
    if there is not None and not read_policy(there, newer_ok=True).personal:
        raise WriteRefused(
            f"{place} has a home that is not personal",
            where=file,
            hint="if it is only yours, add the line `personal = true` to that file and commit it",
        )
    # a user may keep their whole home directory in git: that repository holds this one, and none of it
    above = find_repository(place) if os.path.isdir(place) else None
    repository = above if above is not None and above.top == place else None
    policy = _policy(project or PERSONAL, "")._replace(personal=True)
    return _plan_checked_out(place, repository, "", policy)._replace(personal=True)
