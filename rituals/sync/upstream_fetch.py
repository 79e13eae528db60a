"""Fetch the homes of others that the policy names; nothing is ever sent there (Y8).

One that fails is told and changes nothing: what was fetched last goes on being read. Each is fetched
into a bare repository of our own, in which nothing that comes can touch the user's. git reaches a remote
there by the same settings, and a place that a repository names, not the user, by git's rules for such.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape, glob
from typing import Any

from ledger.environment import now_seconds
from ledger.errors import DiurnaError, NoRemote, RemoteRefused
from ledger.git.cli import Git
from ledger.home import Home, prefix_in
from ledger.model.findings import Finding
from ledger.model.layout import FETCHED_FILE, POLICY_FILE, SESSIONS_DIR, STATE_DIR, UPSTREAM_BRANCH
from ledger.remote.remote import Remote, check_remote, local_path, without_credentials
from ledger.remote.transport import fetch_newest
from ledger.wal.atomic_files import Lock, make_folder, replace_file
from memory.api import Memory
from memory.query.reader import Reader
from memory.replay.upstream_homes import Fetched, as_fetched, note_of, upstream_folder, upstreams
from projection.policy.model import Policy
from rituals.decide.recorded_endings import ended_lines
from rituals.setup.move import join_strays
from rituals.sync.sync_report import Brought, Report
from rituals.sync.sync_rounds import sync

#: What a git that was killed leaves; under our lock it belongs to nobody.
_LEFT = ("*.lock", f"refs/{STATE_DIR}/**/*.lock", "refs/heads/*.lock", "objects/pack/tmp_*")
#: The settings of the user's repository by which git reaches a remote.
_REACHING = r"^(protocol\.|credential\.|http\.|url\.|core\.sshcommand$)"
#: Where a fetch goes at first, until it is known for a home.
_ARRIVED = f"refs/{STATE_DIR}/arrived"
_TIP = f"refs/heads/{UPSTREAM_BRANCH}"


def sync_all(memory: Memory, asked: str = "", **how: Any) -> Report:
    """Sync a home with its remote, then fetch the homes of others, without a remote too.

    `asked` and `how` are as for `sync`.

    Raises:
        DiurnaError: as `sync` does.
    """
    joined = () if how.get("dry_run") else join_strays(memory)
    ended = ended_lines(memory, dry_run=bool(how.get("dry_run")))
    try:
        report = sync(memory, asked, **how)
    except NoRemote as problem:
        if asked or how.get("dry_run") or not memory.policy.upstream:
            raise
        home = memory.home
        report = Report("", home.branch, "", home.tip(), offline=problem.message)
    report = report._replace(findings=(*joined, *report.findings), ended=ended)
    if report.dry_run:
        return report
    brought, findings = fetch_upstreams(memory.home, memory.policy)
    return report._replace(upstreams=brought, findings=(*report.findings, *findings))


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


def _fetch(home: Home, one: Fetched) -> Brought:
    """Fetch one."""
    with opened(home, upstream_folder(home, one.name)) as bare:
        git, remote = bare.git, _remote(bare, one)
        with by_leave(remote):
            arrived = fetch_newest(git, remote)
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
        replace_file(f"{bare.folder}/{FETCHED_FILE}", note, 0o600)
    return _counted(home, one, before)


def _remote(bare: Bare, one: Fetched) -> Remote:
    """Return where one is."""
    url, sign, branch = one.url.rpartition("#")
    remote = bare.remote(url if sign else one.url, f"refs/heads/{branch}" if sign else "", _ARRIVED)
    if sign and bare.git.call("check-ref-format", remote.branch)[0]:
        raise RemoteRefused(f"{without_credentials(one.url)} names no branch", hint="URL#BRANCH")
    return remote


def _counted(home: Home, one: Fetched, before: str) -> Brought:
    """Count the logs of one, which readies it for the first question."""
    there = as_fetched(home, one).home
    assert there is not None
    reader = Reader(there)
    try:
        logs = reader.ask(lambda cache: cache.summary.logs)
    finally:
        reader.close()
    git, folder = there.repository.git(), there.prefix + SESSIONS_DIR
    rows = git.changes(before, there.tip(), folder) if before else None
    new = logs if rows is None else sum([row[0] == "A" for row in rows])
    return Brought(one.name, without_credentials(one.url), logs, new)


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
        self.git = Git(folder, {**more, "GIT_PROTOCOL_FROM_USER": "0"})

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
