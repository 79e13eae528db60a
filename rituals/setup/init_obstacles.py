"""Find what stands in the way of a home: another one, or what must not be swept in or written over."""

from __future__ import annotations

import os

from ledger.errors import DiurnaError, HomeNotFound, WriteRefused
from ledger.git.repository import Repository, head, operation_under_way, read_reference
from ledger.home import NEWER_HINT, OWN_BRANCH, Home, checked_out_home, discover, newer_branch
from ledger.model import layout
from ledger.remote.remote import choose_remote
from ledger.remote.transport import advertised, fetch
from ledger.wal.atomic_files import plain_bytes
from memory import is_projection, obstacles, refuse_left, standing_files
from projection.document.page_parser import has_rendered_form

#: Keeps a folder in git that has nothing else.
_KEEP = ".gitkeep"


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
    steps: tuple[str, ...] = ()
    git = repository.git()
    for name in sorted(git.text("remote").split(), key=lambda name: name != "origin"):
        try:
            asked = [
                choose_remote(git, wanted, name) for wanted in {branch: 0, layout.DEFAULT_BRANCH: 0}
            ]
            # a silent host is given up soon
            known = advertised(git, asked[0], [remote.branch for remote in asked])
            if [fetch(git, remote) for remote in asked if remote.branch in known]:
                return _found(repository), ()
        except DiurnaError as problem:
            steps = steps or (f"begin without the word of a remote: {problem.message}",)
    return _found(repository), steps


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
    git, reference = repository.git(), f"refs/heads/{branch}"
    if branch.startswith("-") or git.call("check-ref-format", "--branch", branch)[0]:
        raise WriteRefused(f"{branch!r} is no name for a branch", hint="for example: memory")
    above = [branch[:at] for at, char in enumerate(branch) if char == "/"]
    beside = [name for name in above if read_reference(repository, f"refs/heads/{name}")]
    below = (f"{reference}/", f"refs/remotes/*/{branch}/**")
    beside += git.text("for-each-ref", "--count=1", "--format=%(refname:short)", *below).split()
    hint = f"`{command} diurna-{branch.replace('/', '-')}` takes another name"
    if beside:
        raise WriteRefused(f"git can not have a branch {branch} beside {beside[0]}", hint=hint)
    place = ""
    if repository.top and head(repository)[0] == reference:
        place = repository.top  # also while it is unborn
    elif repository.top:
        place = git.text("for-each-ref", "--format=%(worktreepath)", reference).strip()
    if place:
        raise WriteRefused(f"{branch} is checked out in {place}", hint=hint)


def refuse_other_memory(repository: Repository, commit: str, prefix: str) -> None:
    """Refuse to make a home around a memory that Diurna did not write: publishing would write over it.

    Raises:
        WriteRefused: there is one.
        EditNotUnderstood: something that is no file stands where one of ours belongs.
    """
    git, home = repository.git(), checked_out_home(repository, prefix)
    page = git.resolve(f"{commit}:{prefix}{layout.CONTINUITY_FILE}")[0] if commit else ""
    text = b"".join(body or b"" for body in git.blobs([page] if page else []))
    if has_rendered_form(layout.CONTINUITY_FILE, text.decode("utf-8", "surrogateescape")):
        return
    rows = standing_files(home, commit, ())
    standing = [path for _, _, path in rows]
    folder = f"{repository.top}/{prefix}{layout.ARCHIVE_DIR}"
    if os.path.isdir(folder):
        standing += [f"{layout.ARCHIVE_DIR}/{name}" for name in sorted(os.listdir(folder))]
    foreign = next((path for path in standing if is_projection(path)), "")
    if foreign:
        raise WriteRefused(
            f"{prefix}{foreign} is there, and Diurna did not write it: no home is made around it",
            where=f"{prefix}{foreign}",
            hint=f"`diurna import ledger {repository.top}` takes that memory over, with its texts",
        )
    refuse_left(obstacles(home, rows))


def refuse_others_folder(repository: Repository, commit: str, prefix: str) -> None:
    """Refuse a home in a folder that is somebody else's, a package of Python for instance.

    The commit is that at HEAD, "" for none; the prefix is of the home that is to be.

    Raises:
        WriteRefused: something is in it, or in its place, that Diurna does not write.
    """
    top, folder = repository.top, prefix.rstrip("/")
    rows = repository.git().tree_files(commit, folder) if commit else []
    standing = [path for _, _, path in rows]
    if os.path.islink(f"{top}/{folder}") or os.path.isfile(f"{top}/{folder}"):
        standing.append(folder)
    for place, _, names in os.walk(f"{top}/{folder}"):
        standing += [os.path.relpath(f"{place}/{name}", top) for name in names]
    theirs = min((path for path in standing if not is_known(path[len(prefix) :])), default="")
    if theirs:
        raise WriteRefused(
            f"{theirs} is there, and not of Diurna's; it is left as it is, and no home is made around it",
            where=theirs,
            hint="`diurna init --folder FOLDER` keeps it in another folder, `diurna init` on a branch "
            "of its own, `diurna init DIR` in a folder elsewhere",
        )


def is_known(path: str) -> bool:
    """Tell whether Diurna itself writes files of such a path in a home."""
    folder, _, below = path.partition("/")
    if below:
        ends = below.endswith((".md", _KEEP))
        return ends and folder in (layout.SESSIONS_DIR, layout.ARCHIVE_DIR)
    names = (layout.POLICY_FILE, layout.ATTRIBUTES_FILE, layout.MOVED_FILE, _KEEP)
    return folder in (*names, *layout.EDITABLE)


def refuse_overwriting(repository: Repository, files: tuple[tuple[str, bytes], ...]) -> None:
    """Refuse when an uncommitted file that says something else stands where one would be written.

    Raises:
        WriteRefused: there is one.
    """
    for path, data in files:
        full = f"{repository.top}/{path}"
        if os.path.lexists(full) and plain_bytes(full) != data:
            raise WriteRefused(
                f"{path} is there and is not committed; it is left as it is",
                where=path,
                hint="commit it or move it elsewhere; a ledger of another tool is taken over by "
                "`diurna import ledger`",
            )
