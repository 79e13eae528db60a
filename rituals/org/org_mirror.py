"""Keep a mirror of each ledger: a bare repository with its branch's history and the files of its home.

A branch that may have code on it is fetched without files; the library brings those of the home alone.
What a remote sends is limited in size and time, and is never a setting, a hook or another remote's name.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

from ledger.errors import DiurnaError, GitFailed, RemoteRefused
from ledger.git.cli import Git
from ledger.git.repository import Repository
from ledger.home import IN_TREE, OWN_REPOSITORY, Home, prefix_in
from ledger.model.layout import DEFAULT_BRANCH, POLICY_FILE
from ledger.model.record import Record
from ledger.remote.remote import Remote, check_remote, local_path
from ledger.remote.transport import USUAL_BRANCHES, advertised, fetch_limited
from ledger.wal.atomic_files import Lock, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: What the branch is called here, whatever its name there.
_TIP = "refs/heads/memory"
LIMIT_MB, LIMIT_SECONDS = 200, 120.0
_OWN = f"refs/heads/{DEFAULT_BRANCH}"
_WHOLE = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
#: Without the extension that git writes beside it: libgit2 does not open a repository that has one.
_PARTIAL = """[remote "origin"]
	promisor = true
	partialclonefilter = blob:none
	url = {}
"""


class NoMemory(RemoteRefused):
    """There is no ledger in a repository, which may have one tomorrow."""


class Fetched(Record):
    """A ledger as it was fetched."""

    home: Home
    branch: str  #: its full name there
    tip: str


def folder_of(mirrors: str, ledger: int) -> str:
    """Return the folder of a ledger's mirror."""
    return f"{mirrors}/{ledger}.git"


def forget(mirrors: str, ledger: int) -> None:
    """Take a mirror away."""
    shutil.rmtree(folder_of(mirrors, ledger), ignore_errors=True)


@contextmanager
def fetched(mirrors: str, ledger: int, url: str, branch: str) -> Iterator[Fetched]:
    """Fetch a ledger into its mirror, for one process at a time; make it anew where it does not open.

    `branch` is "" for `memory`, or else the default one.

    Raises:
        DiurnaError: it can not be reached, is too large, or has no memory.
    """
    check_remote(url)
    folder = folder_of(mirrors, ledger)
    make_folder(mirrors)
    with Lock(folder + ".lock"):
        try:
            found = _fetch(folder, url, branch)
        except GitFailed:
            shutil.rmtree(folder, ignore_errors=True)
            found = _fetch(folder, url, branch)
        except DiurnaError:
            _clear(folder)  # of a pack that has no end a part is there
            raise
        yield found


def _fetch(folder: str, url: str, branch: str) -> Fetched:
    path = local_path(url, "/")
    git = Git(folder, {"GIT_ALLOW_PROTOCOL": "file" if path else "https:ssh:git"})
    if not os.path.exists(f"{folder}/HEAD"):
        _make(folder)
    _clear(folder)
    remote = Remote(url, branch, _TIP, url)
    if not branch:
        there = advertised(git, remote, USUAL_BRANCHES, LIMIT_SECONDS)
        branch = next((one for one in USUAL_BRANCHES if one in there), "")
        if not branch:
            raise NoMemory("there is no branch to look at", hint="name one: URL#BRANCH")
        remote = remote._replace(branch=branch)
    filtered: tuple[str, ...] = ()
    if branch != _OWN:
        filtered = ("--filter=blob:none",)
        remote = remote._replace(name="origin")
        _configure(folder, url)
        if not git.resolve(_TIP)[0]:
            _look(f"{folder}.look", url, remote)
    fetch_limited(git, remote, (f"+{branch}:{_TIP}",), LIMIT_SECONDS, LIMIT_MB, *filtered)
    tip = git.resolve(_TIP)[0]
    prefix = _prefix(git, tip)
    kind = IN_TREE if prefix else OWN_REPOSITORY
    repository = Repository("", folder, folder, "origin" if filtered else "")
    return Fetched(Home(kind, repository, _TIP, prefix, everywhere=True), branch, tip)


def _prefix(git: Git, tip: str) -> str:
    """Return where in a commit the home is.

    Raises:
        NoMemory: nowhere.
    """
    prefix = prefix_in(git, tip) if tip else None
    if prefix is None:
        raise NoMemory(f"its branch has no {POLICY_FILE}", hint="name the branch: URL#BRANCH")
    return prefix


def _look(folder: str, url: str, remote: Remote) -> None:
    """See by the newest commit alone that there is a home: no history of code is fetched for nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _make(folder)
        _configure(folder, url)
        path = local_path(url, "/")
        git = Git(folder, {"GIT_ALLOW_PROTOCOL": "file" if path else "https:ssh:git"})
        how = ("--depth=1", "--update-shallow", "--filter=blob:none")
        fetch_limited(git, remote, (f"+{remote.branch}:{_TIP}",), LIMIT_SECONDS, LIMIT_MB, *how)
        _prefix(git, git.resolve(_TIP)[0])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make(folder: str) -> None:
    """Make an empty repository: what `git init` would make, without a process."""
    for name in ("objects/pack", "objects/info", "refs/heads"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    for name, text in (("config", _WHOLE), ("HEAD", f"ref: {_TIP}\n")):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _configure(folder: str, url: str) -> None:
    """Let git bring what a filter left out from where the rest came from."""
    quoted = url.replace("\\", "\\\\").replace('"', '\\"')
    with open(f"{folder}/config", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(_WHOLE + _PARTIAL.format(f'"{quoted}"'))


def _clear(folder: str) -> None:
    """Take away what a git that was killed left: under our lock it belongs to nobody."""
    for where in ("", "/refs/heads", "/objects/pack"):
        for name in os.listdir(folder + where):
            if name.endswith(".lock") or name.startswith("tmp_"):
                os.unlink(f"{folder}{where}/{name}")


def tidy(folder: str) -> None:
    """Throw away what no branch leads to any more: a purged text is in no pack."""
    git = Git(folder)
    try:
        git.run("reflog", "expire", "--expire=now", "--all")
        git.run("gc", "--quiet", "--prune=now")
    except DiurnaError:  # a mirror is never worth mending
        shutil.rmtree(folder, ignore_errors=True)
