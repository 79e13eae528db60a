"""Choose the remote that is meant, and check how it is named.

A name or URL that git could take for an option or a command is refused (fault:J8 and fault:J10),
and what is printed holds no user's name, password or token.
"""

from __future__ import annotations

import os
from _collections_abc import Iterable

from ledger.errors import DiurnaError
from ledger.git.cli import Git
from ledger.git.config_files import settings as asked_settings
from ledger.model.ids import sha1
from ledger.model.layout import STATE_DIR
from ledger.model.record import Record

#: The settings that say which remote is meant: sections, and last names.
_SETTINGS = ("remote", "branch", "core"), ("url", "pushurl", "remote", "merge", "sshcommand")


class NoRemote(DiurnaError):
    """Which remote is meant is not clear, or the one that was named is not to be used."""


class Remote(Record):
    """One branch of one remote."""

    name: str  #: the remote as git is told: a name of the configuration, or a URL
    branch: str  #: the branch's full name there
    tracking: str  #: the reference here that remembers where it was
    url: str  #: where it is; may hold a password
    ssh_set: bool = False  #: the user says which ssh to use

    @property
    def shown(self) -> str:
        """The remote as it may be printed."""
        return without_credentials(self.name)

    @property
    def shown_branch(self) -> str:
        """The branch's short name there."""
        return self.branch.removeprefix("refs/heads/")


def choose_remote(git: Git, branch: str, asked: str = "", known: str = "") -> Remote:
    """Choose the remote of a branch: the one asked for, its upstream, `origin`, or the only one.

    `branch` is the short name here; `asked` is a remote's name, a URL or a path, "" for none; `known`
    is a remote-tracking branch of that name, whose remote comes before `origin`.

    Raises:
        NoRemote: none or several could be meant, or it is of a kind that is never used.
    """
    urls: dict[str, str] = {}
    settings = dict(rows := asked_settings(git, *_SETTINGS))
    for key, value in rows:
        if key.startswith("remote."):
            check_remote(value)
            if key.endswith(".url"):
                urls.setdefault(key[7:-4], value)
    upstream = settings.get(f"branch.{branch}.remote", "")
    upstream = upstream or known.removeprefix("refs/remotes/").removesuffix(f"/{branch}")
    name = asked or _default(urls, upstream)
    check_remote(name)
    there = f"refs/heads/{branch}"
    if name == upstream and upstream in urls:
        there = settings.get(f"branch.{branch}.merge", there)
    ssh_set = "core.sshcommand" in settings
    if name in urls:
        short = there.removeprefix("refs/heads/")
        return Remote(name, there, f"refs/remotes/{name}/{short}", urls[name], ssh_set)
    if not (":" in name or "/" in name or name.startswith(".")):
        raise NoRemote(f"there is no remote {name}", hint=_remotes_hint(urls))
    path = local_path(name, git.where)
    if path and not os.path.exists(path):  # a slip, where a configured one is a disk that is away
        raise NoRemote(f"there is nothing at {name}", hint=_remotes_hint(urls))
    key = sha1(name.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()[:12]
    return Remote(name, there, f"refs/{STATE_DIR}/remotes/{key}/{branch}", name, ssh_set)


def _default(urls: Iterable[str], upstream: str) -> str:
    names = sorted(urls)
    for name in (upstream, "origin", *names[: len(names) == 1]):
        if name in names:
            return name
    if names:
        message = f"there are {len(names)} remotes, and none is this branch's upstream"
        raise NoRemote(message, hint=_remotes_hint(names))
    hint = "git remote add origin URL-OR-PATH"
    raise NoRemote("this repository has no remote to sync with", hint=hint)


def _remotes_hint(names: Iterable[str]) -> str:
    listed = ", ".join(sorted(names))
    return f"diurna sync REMOTE, with one of: {listed}" if listed else "git remote add NAME URL"


def check_remote(name: str) -> None:
    """Refuse what git would take for an option or for a command to run (fault:J10)."""
    helper = name.partition("::")[0]
    if name.startswith("-") or (helper != name and helper.isalnum()):
        message = f"{without_credentials(name)} is not used as a remote: it could run a command"
        raise NoRemote(message, hint="use a path or a URL of https, ssh or git")
    if any(char < " " or char == "\x7f" for char in name):
        raise NoRemote("a remote's name or URL holds control characters", hint="git remote -v")


def local_path(url: str, where: str) -> str:
    """Return the path that a URL means on this machine, "" for one that means another machine.

    `url` is a path, a `file://` URL or any other; paths start from `where`, the folder that git runs
    in.
    """
    if url.startswith("file://"):
        return url[7:]
    before = url.partition("/")[0]
    return "" if ":" in before else os.path.join(where, url)


def without_credentials(text: str) -> str:
    """Return a text in which no URL holds a user's name, password or token."""
    parts = text.split("://")
    for number in range(1, len(parts)):
        host = parts[number]
        end = min([at for at in (host.find(c) for c in "/ '\"\n\t") if at >= 0], default=len(host))
        at = host.rfind("@", 0, end)
        parts[number] = host[at + 1 :]
    return "://".join(parts)
