"""Reach other repositories from bare ones of our own, in which nothing that comes can touch the user's.

git reaches a remote there by the same settings. A place that a repository names, not the user, is reached
by git's rules for such (FORMAT.md, Y8).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape, glob

from ledger.errors import RemoteRefused
from ledger.git.cli import Git
from ledger.home import Home
from ledger.model.layout import STATE_DIR, UPSTREAM_BRANCH
from ledger.remote.remote import Remote, check_remote, local_path
from ledger.wal.atomic_files import Lock, make_folder

#: What a git that was killed leaves; under our lock it belongs to nobody.
_LEFT = ("*.lock", f"refs/{STATE_DIR}/**/*.lock", "refs/heads/*.lock", "objects/pack/tmp_*")
#: The settings of the user's repository by which git reaches a remote.
_REACHING = r"^(protocol\.|credential\.|http\.|url\.|core\.sshcommand$)"


class Bare:
    """A bare repository of our own, for one who holds its lock (`opened`).

    Args:
        home: whose settings say how remotes are reached.
        folder: where it is.
    """

    def __init__(self, home: Home, folder: str) -> None:
        said = home.repository.git().run(
            "config", "--local", "-z", "--get-regexp", _REACHING, check=False
        )
        rows = said.decode("utf-8", "surrogateescape").split("\0")
        settings = [
            (key, value) for key, sign, value in (one.partition("\n") for one in rows) if sign
        ]
        settings.append(("core.bigFileThreshold", "1m"))  # what is larger is not held in memory
        more = {"GIT_CONFIG_COUNT": str(len(settings))}
        for number, (key, value) in enumerate(settings):
            more |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        self.home = home
        self._ssh_set = any(key == "core.sshcommand" for key, _ in settings)
        self.folder = folder
        #: for places that the user names, and for those that a repository names
        self.git = Git(folder, more)
        self.guarded = Git(folder, {**more, "GIT_PROTOCOL_FROM_USER": "0"})

    def remote(self, url: str, branch: str = "", tracking: str = "") -> Remote:
        """Return where a URL is.

        Raises:
            NoRemote: git could take the URL for an option or a command.
        """
        check_remote(url)
        where = self.home.repository.where
        path = "" if url.startswith("file://") else local_path(url, where)
        there = os.path.normpath(path) if path else url
        return Remote(there, branch, tracking, there, self._ssh_set)


@contextmanager
def opened(home: Home, folder: str) -> Iterator[Bare]:
    """Open the bare repository in a folder below the git directory, for one at a time; make it first."""
    make_folder(f"{folder}/{STATE_DIR}")
    with Lock(f"{folder}/{STATE_DIR}/fetching"):
        _clear(folder)
        bare = Bare(home, folder)
        begin = ("init", "--quiet", "--bare", "--template=")
        bare.git.run(*begin, f"--initial-branch={UPSTREAM_BRANCH}", folder)
        try:
            yield bare
        finally:
            _clear(folder)


@contextmanager
def by_leave(remote: Remote) -> Iterator[None]:
    """Say it in our words where git refuses a path of this machine: that takes the user's leave."""
    try:
        yield
    except RemoteRefused as problem:
        if "not allowed" not in problem.message:
            raise
        raise RemoteRefused(
            f"{remote.shown} is named by a repository, and git takes such a path from users alone",
            hint="who trusts paths of this machine says so: git config protocol.file.allow always",
        ) from None


def _clear(folder: str) -> None:
    """Take away what a git that was ended in the middle left."""
    for pattern in _LEFT:
        for path in glob(f"{escape(folder)}/{pattern}", recursive=True):
            os.unlink(path)
