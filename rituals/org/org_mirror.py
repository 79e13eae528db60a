"""Keep a mirror of each ledger: a bare repository with its branch's history and the files of its home.

A branch that may have code on it is fetched without files; the library brings those of the home alone.
What a remote sends is limited in size and time, and is never a setting, a hook or another remote's name.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from ledger.errors import DiurnaError, GitFailed, RemoteRefused
from ledger.git.cli import Git
from ledger.git.repository import Repository
from ledger.home import IN_TREE, OWN_REPOSITORY, Home, prefix_in
from ledger.model.layout import DEFAULT_BRANCH, POLICY_FILE
from ledger.remote.remote import Remote, check_remote, local_path
from ledger.remote.transport import USUAL_BRANCHES, advertised, fetch_limited
from ledger.wal.atomic_files import Lock, make_folder

#: What the branch is called here, whatever its name there.
_TIP = "refs/heads/memory"
LIMIT_MB, LIMIT_SECONDS = 200, 120.0
_OWN = f"refs/heads/{DEFAULT_BRANCH}"
_WHOLE = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
#: Without the extension that git writes beside it: libgit2 does not open a repository that has one.
_PARTIAL = """[remote "origin"]
	promisor = true
	partialclonefilter = blob:none
	url = "{}"
"""
_EVERYTHING = "--depth=2147483647"


class NoMemory(RemoteRefused):
    """There is no ledger in a repository, which may have one tomorrow."""


#: A ledger as it was fetched: its home, the full name of its branch there, and the tip.
Fetched = tuple[Home, str, str]


def forget(mirrors: str, ledger: int) -> None:
    """Take a mirror away."""
    shutil.rmtree(f"{mirrors}/{ledger}.git", ignore_errors=True)


@contextmanager
def fetched(mirrors: str, ledger: int, url: str, branch: str) -> Iterator[Fetched]:
    """Fetch a ledger into its mirror, for one process at a time; make it anew where it does not open.

    `branch` is "" for `memory`, or else the default one.
    """
    check_remote(url)
    folder = f"{mirrors}/{ledger}.git"
    make_folder(mirrors)
    with Lock(folder + ".lock"):
        try:
            found = _fetch(folder, url, branch)
        except GitFailed:
            forget(mirrors, ledger)
            found = _fetch(folder, url, branch)
        except DiurnaError:
            _clear(folder)  # of a pack that has no end a part is there
            raise
        yield found


def _fetch(folder: str, url: str, branch: str) -> Fetched:
    for name in ("objects/pack", "objects/info", "refs/heads"):
        os.makedirs(f"{folder}/{name}", exist_ok=True)
    _clear(folder)
    _write(f"{folder}/HEAD", f"ref: {_TIP}\n")
    _write(f"{folder}/config", _WHOLE)
    git = Git(folder, {"GIT_ALLOW_PROTOCOL": "file" if local_path(url, "/") else "https:ssh:git"})
    remote = Remote(url, branch, _TIP, url)
    if not branch:
        there = advertised(git, remote, USUAL_BRANCHES)
        branch = next((one for one in USUAL_BRANCHES if one in there), "")
        if not branch:
            raise NoMemory("there is no branch to look at", hint="name one: URL#BRANCH")
        remote = remote._replace(branch=branch)
    limits = ((f"+{branch}:{_TIP}",), LIMIT_SECONDS, LIMIT_MB)
    more: tuple[str, ...] = ()
    if branch != _OWN:  # git is to bring what a filter leaves out from where the rest comes from
        quoted = url.replace("\\", "\\\\").replace('"', '\\"')
        _write(f"{folder}/config", _WHOLE + _PARTIAL.format(quoted))
        remote, more = remote._replace(name="origin"), ("--filter=blob:none",)
        if not git.resolve(_TIP)[0] or os.path.exists(f"{folder}/shallow"):
            # by the newest commit alone, so that no history of code is fetched for nothing
            fetch_limited(git, remote, *limits, "--depth=1", "--update-shallow", *more)
            _prefix(git)
            more = (_EVERYTHING, *more)
    fetch_limited(git, remote, *limits, *more)
    prefix = _prefix(git)
    repository = Repository("", folder, folder, "origin" if more else "")
    kind = IN_TREE if prefix else OWN_REPOSITORY
    home = Home(kind, repository, _TIP, prefix, everywhere=True)
    return home, branch, git.resolve(_TIP)[0]


def _prefix(git: Git) -> str:
    """Return where in the newest commit the home is."""
    tip = git.resolve(_TIP)[0]
    prefix = prefix_in(git, tip) if tip else None
    if prefix is None:
        raise NoMemory(f"its branch has no {POLICY_FILE}", hint="name the branch: URL#BRANCH")
    return prefix


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _clear(folder: str) -> None:
    """Take away what a git that was killed left: under our lock it belongs to nobody."""
    for where in ("", "/refs/heads", "/objects/pack"):
        for name in os.listdir(folder + where):
            if name.endswith(".lock") or name.startswith("tmp_"):
                os.unlink(f"{folder}{where}/{name}")
