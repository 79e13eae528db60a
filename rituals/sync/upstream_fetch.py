"""Fetch the homes of others that the policy names; nothing is ever sent there (Y8).

One that fails is told and changes nothing: what was fetched last goes on being read. Each is fetched
into a bare repository of our own, in which nothing that comes can touch the user's. git reaches a remote
there by the same settings, and a place that a repository names, not the user, by git's rules for such.
"""

from __future__ import annotations

import os
from glob import escape, glob

from ledger.environment import now_seconds
from ledger.errors import DiurnaError
from ledger.git.cli import Git
from ledger.home import Home, prefix_in
from ledger.model.finding_codes import Finding
from ledger.model.layout import FETCHED_FILE, POLICY_FILE, SESSIONS_DIR, STATE_DIR, UPSTREAM_BRANCH
from ledger.remote.remote import Remote, check_remote, local_path, without_credentials
from ledger.remote.transport import RemoteRefused, fetch_newest
from ledger.wal.atomic_files import Lock, make_folder, replace_file
from memory import FetchedHome, Reader, as_fetched, note_of, upstream_folder, upstreams
from projection.policy.model import Policy
from rituals.sync.sync_report import Brought

#: What a git that was killed leaves; under our lock it belongs to nobody.
_LEFT = ("*.lock", f"refs/{STATE_DIR}/**/*.lock", "refs/heads/*.lock", "objects/pack/tmp_*")
#: The settings of the user's repository by which git reaches a remote.
_REACHING = r"^(protocol\.|credential\.|http\.|url\.|core\.sshcommand$)"
#: Where a fetch goes at first, until it is known for a home.
_ARRIVED = f"refs/{STATE_DIR}/arrived"
_TIP = f"refs/heads/{UPSTREAM_BRANCH}"


def fetch_upstreams(home: Home, policy: Policy) -> tuple[tuple[Brought, ...], tuple[Finding, ...]]:
    """Fetch each home of others, one after the other; return what came, and what went wrong."""
    brought: list[Brought] = []
    findings: list[Finding] = []
    for one in upstreams(home, policy):
        shown = without_credentials(one.url)
        try:
            brought.append(_fetch(home, one))
        except DiurnaError as problem:
            brought.append(Brought(one.name, shown, problem=problem.message))
            kept = f"; what is read of it was {one.age(now_seconds())}" if one.home else ""
            said = f"{one.name} was not fetched: {problem.message}{kept}"
            findings.append(Finding("upstream-stale", said, POLICY_FILE, hint=problem.hint or ""))
    return tuple(brought), tuple(findings)


def _fetch(home: Home, one: FetchedHome) -> Brought:
    """Fetch one into a bare repository of our own, for one at a time; made where it is not there.

    Its logs are counted, which readies it for the first question.
    """
    folder = upstream_folder(home, one.name)
    make_folder(f"{folder}/{STATE_DIR}")
    with Lock(f"{folder}/{STATE_DIR}/fetching"):
        _clear(folder)
        git, ssh_set = _bare(home, folder)
        begin = ("init", "--quiet", "--bare", "--template=")
        git.run(*begin, f"--initial-branch={UPSTREAM_BRANCH}", folder)
        try:
            remote = _remote(home, git, one, ssh_set=ssh_set)
            try:
                arrived = fetch_newest(git, remote)
            except RemoteRefused as problem:
                if "not allowed" not in problem.message:
                    raise
                raise RemoteRefused(
                    f"{remote.shown} is named by a repository, and git takes such a path from users "
                    "alone",
                    hint="who trusts paths of this machine says so: git config protocol.file.allow always",
                ) from None
            found = prefix_in(git, arrived) if arrived else None
            if found is None:
                where = f"branch {remote.shown_branch}" if remote.branch else "branch to look at"
                said = f"its {where} has no {POLICY_FILE}" if arrived else f"it has no {where}"
                raise RemoteRefused(
                    f"there is no memory in {remote.shown}: {said}",
                    hint="name the branch that has it: URL#BRANCH",
                )
            before = git.resolve(_TIP)[0]
            git.run("update-ref", _TIP, arrived)
            note = note_of(one.url, found, now_seconds())
            replace_file(f"{folder}/{FETCHED_FILE}", note, 0o600)
        finally:
            _clear(folder)
    there = as_fetched(home, one).home
    assert there is not None
    reader = Reader(there)
    try:
        logs = reader.ask(lambda cache: cache.summary.logs)
    finally:
        reader.close()
    folder = there.prefix + SESSIONS_DIR
    rows = there.repository.git().changes(before, there.tip(), folder) if before else None
    new = logs if rows is None else sum([row[0] == "A" for row in rows])
    return Brought(one.name, without_credentials(one.url), logs, new)


def _bare(home: Home, folder: str) -> tuple[Git, bool]:
    """Return git in a folder, with the home's settings for remotes; and whether these name an ssh."""
    asked = ("config", "--local", "-z", "--get-regexp", _REACHING)
    said = home.repository.git().text(*asked, check=False)
    rows = [row.partition("\n") for row in said.split("\0")]
    settings = [(key, value) for key, sign, value in rows if sign]
    settings.append(("core.bigFileThreshold", "1m"))  # what is larger is not held in memory
    more = {"GIT_CONFIG_COUNT": str(len(settings)), "GIT_PROTOCOL_FROM_USER": "0"}
    for number, (key, value) in enumerate(settings):
        more |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return Git(folder, more), any(key == "core.sshcommand" for key, _ in settings)


def _remote(home: Home, git: Git, one: FetchedHome, *, ssh_set: bool) -> Remote:
    """Return where one is.

    Raises:
        NoRemote: git could take the URL for an option or a command.
    """
    named, sign, branch = one.url.rpartition("#")
    url = named if sign else one.url
    check_remote(url)
    path = "" if url.startswith("file://") else local_path(url, home.repository.where)
    there = os.path.normpath(path) if path else url
    remote = Remote(there, f"refs/heads/{branch}" if sign else "", _ARRIVED, there, ssh_set)
    if sign and git.call("check-ref-format", remote.branch)[0]:
        raise RemoteRefused(f"{without_credentials(one.url)} names no branch", hint="URL#BRANCH")
    return remote


def _clear(folder: str) -> None:
    """Take away what a git that was ended in the middle left."""
    for pattern in _LEFT:
        for path in glob(f"{escape(folder)}/{pattern}", recursive=True):
            os.unlink(path)
