"""Say what is done to make a home, as a value; and what every kind of home begins with.

What stands in its place is found first: it must not be swept in or written over.
"""

from __future__ import annotations

import os

from ledger.environment import expanded
from ledger.errors import WriteRefused
from ledger.git.repository import Repository, head, operation_under_way, read_reference
from ledger.home import IN_TREE, OWN_BRANCH, checked_out_home, pointed
from ledger.model import layout
from ledger.model.layout import POLICY_FILE, TREE_PREFIX
from ledger.model.record import Record
from ledger.wal.atomic_files import plain_bytes
from memory.replay.trunk import trunk_of
from memory.worktree.authorship import in_the_way, refuse_left
from memory.worktree.merge_drivers import NEW_CLONE, plan_drivers
from memory.worktree.projection_files import is_projection, standing_files
from projection.document.page_renderer import render
from projection.document.unlogged_lines import has_rendered_form
from projection.fold.full_replay import State
from projection.fold.projection_state import NOTHING
from projection.policy.model import PACED, TOLD, TRUNK, Capture, Policy
from projection.policy.template import write_policy
from projection.policy.toml import read_policy


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
        (layout.ATTRIBUTES_FILE, layout.ATTRIBUTES.encode()),
        (layout.CONTINUITY_FILE, render(empty.view()).encode()),
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


#: Keeps a folder in git that has nothing else.
_KEEP = ".gitkeep"


def sharing_asks(plan: SetupPlan) -> SetupPlan:
    """Let logs of a new home show what persons ask agents for."""

    def shared(data: bytes) -> bytes:
        policy = read_policy(data)
        return write_policy(policy._replace(capture=policy.capture._replace(asks=True))).encode()

    files = [(path, shared(data) if path == POLICY_FILE else data) for path, data in plan.files]
    return plan._replace(files=tuple(files))


def refuse_other_memory(
    repository: Repository, commit: str, prefix: str, files: tuple[tuple[str, bytes], ...]
) -> None:
    """Refuse to make a home around a memory that Diurna did not write: publishing would write over it.

    Raises:
        WriteRefused: there is one.
    """
    if POLICY_FILE not in dict(files):
        return  # there is a home
    home = checked_out_home(repository, prefix)
    standing = [path for _, _, path in standing_files(home, commit, ())]
    folder = f"{repository.top}/{prefix}{layout.ARCHIVE_DIR}"
    if os.path.isdir(folder):
        standing += [f"{layout.ARCHIVE_DIR}/{name}" for name in sorted(os.listdir(folder))]
    page = (
        repository.git().resolve(f"{commit}:{prefix}{layout.CONTINUITY_FILE}")[0] if commit else ""
    )
    text = b"".join(body or b"" for body in repository.git().blobs([page] if page else []))
    if has_rendered_form(layout.CONTINUITY_FILE, text.decode("utf-8", "surrogateescape")):
        return
    found = next((path for path in standing if is_projection(path)), "")
    if found:
        raise WriteRefused(
            f"{prefix}{found} is there, and Diurna did not write it: no home is made around it",
            where=f"{prefix}{found}",
            hint=f"`diurna import ledger {repository.top}` takes that memory over, with its texts",
        )
    refuse_left(in_the_way(home, standing_files(home, commit, ())))


def refuse_others_folder(repository: Repository, commit: str, prefix: str) -> None:
    """Refuse a home in a folder that is somebody else's, a package of Python for instance.

    The commit is that at HEAD, "" for none; the prefix is of the home that is to be.

    Raises:
        WriteRefused: something is in it, or in its place, that Diurna does not write.
    """
    top, folder = repository.top, prefix.rstrip("/")
    standing = (
        [path for _, _, path in repository.git().tree_files(commit, folder)] if commit else []
    )
    if os.path.islink(f"{top}/{folder}") or os.path.isfile(f"{top}/{folder}"):
        standing.append(folder)
    for place, _, names in os.walk(f"{top}/{folder}"):
        standing += [os.path.relpath(f"{place}/{name}", top) for name in names]
    found = min((path for path in standing if not is_known(path[len(prefix) :])), default="")
    if found:
        raise WriteRefused(
            f"{found} is there, and not of Diurna's; it is left as it is, and no home is made around it",
            where=found,
            hint="`diurna init --folder FOLDER` keeps it in another folder, `diurna init` on a branch "
            "of its own, `diurna init DIR` in a folder elsewhere",
        )


def is_known(path: str) -> bool:
    """Tell whether Diurna itself writes files of such a path in a home."""
    folder, _, below = path.partition("/")
    if below:
        return folder in (layout.SESSIONS_DIR, layout.ARCHIVE_DIR) and below.endswith(
            (".md", _KEEP)
        )
    files = (POLICY_FILE, layout.ATTRIBUTES_FILE, *layout.EDITABLE, layout.MOVED_FILE, _KEEP)
    return folder in files


def refuse_overwriting(repository: Repository, files: tuple[tuple[str, bytes], ...]) -> None:
    """Refuse when an uncommitted file stands where one would be written.

    Raises:
        WriteRefused: there is one.
    """
    for path, data in files:
        full = f"{repository.top}/{path}"
        if os.path.lexists(full):
            if plain_bytes(full) == data:
                continue
            raise WriteRefused(
                f"{path} is there and is not committed; it is left as it is",
                where=path,
                hint="commit it or move it elsewhere; a ledger of another tool is taken over by "
                "`diurna import ledger`",
            )


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
            hint="name a folder below its top, for example: diurna init --folder agent-memory",
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
    return (
        ()
        if prefix == TREE_PREFIX
        else ((layout.TREE_POINTER, prefix.rstrip("/").encode() + b"\n"),)
    )
