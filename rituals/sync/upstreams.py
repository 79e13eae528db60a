"""Fetch the homes of others that the policy names; nothing is ever sent there (FORMAT.md, Y8).

One that fails is told and changes nothing: what was fetched last goes on being read.
"""

from __future__ import annotations

import os
from glob import escape, glob

from ledger.environment import now_seconds
from ledger.errors import DiurnaError, NoRemote, RemoteRefused
from ledger.git.cli import Git
from ledger.home import prefix_in
from ledger.model.findings import Finding
from ledger.model.layout import (
    FETCHED_FILE,
    POLICY_FILE,
    SESSIONS_DIR,
    STATE_DIR,
    UPSTREAM_BRANCH,
)
from ledger.remote.remote import Remote, check_remote, local_path, without_credentials
from ledger.remote.transport import fetch_newest
from ledger.wal.atomic_files import Lock, make_folder, replace_file
from memory.query.reader import Reader
from memory.replay.upstreams import as_fetched, note_of, upstream_folder, upstreams
from rituals.decide.endings import record_ended
from rituals.setup.strays import join_strays
from rituals.sync.report import Brought, Report
from rituals.sync.sync import sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ledger.home import Home
    from memory.api import Memory
    from memory.replay.upstreams import Fetched
    from projection.policy.model import Policy

#: Where a fetch goes at first, until it is known for a home.
_ARRIVED = f"refs/{STATE_DIR}/arrived"
_TIP = f"refs/heads/{UPSTREAM_BRANCH}"
#: What a git that was killed leaves; under our lock it belongs to nobody.
_LEFT = ("*.lock", f"refs/{STATE_DIR}/*.lock", "refs/heads/*.lock", "objects/pack/tmp_*")
#: The settings of the user's repository by which git reaches a remote.
_REACHING = r"^(protocol\.|credential\.|http\.|url\.|core\.sshcommand$)"


def sync_all(memory: Memory, asked: str = "", **how: Any) -> Report:
    """Sync a home with its remote, then fetch the homes of others; one without a remote has these alone.

    `asked` and `how` are as for `sync`.

    Raises:
        DiurnaError: as `sync` does.
    """
    joined = () if how.get("dry_run") else join_strays(memory)
    ended = record_ended(memory, dry_run=bool(how.get("dry_run")))
    try:
        report = sync(memory, asked, **how)
    except NoRemote as problem:
        if asked or how.get("dry_run") or not _policy(memory).upstream:
            raise
        home = memory.home
        report = Report("", home.branch, "", home.tip(), offline=problem.message)
    lines = tuple([one.line for one in ended])
    report = report._replace(findings=(*joined, *report.findings), ended=lines)
    if report.dry_run:
        return report
    brought, findings = fetch_upstreams(memory.home, _policy(memory))
    return report._replace(upstreams=brought, findings=(*report.findings, *findings))


def _policy(memory: Memory) -> Policy:
    return memory.snapshot.tip.ask(lambda cache: cache.policy)


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
    """Fetch one.

    Raises:
        DiurnaError: it is as it was.
    """
    folder = upstream_folder(home, one.name)
    make_folder(f"{folder}/{STATE_DIR}")
    with Lock(f"{folder}/{STATE_DIR}/fetching"):
        _clear(folder)
        git = Git(folder)
        git.run(
            "init",
            "--quiet",
            "--bare",
            "--template=",
            f"--initial-branch={UPSTREAM_BRANCH}",
            folder,
        )
        remote, settings = _remote(home, one), _settings(home.repository.git())
        try:
            arrived = _arrive(git, remote, settings)
        finally:
            _clear(folder)
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
    return _counted(home, one, before)


def _clear(folder: str) -> None:
    """Take away what a git that was ended in the middle left."""
    for pattern in _LEFT:
        for path in glob(f"{escape(folder)}/{pattern}"):
            os.unlink(path)


def _arrive(git: Git, remote: Remote, settings: list[tuple[str, str]]) -> str:
    """Fetch the newest commit; a path of this machine takes the user's leave, by git's own rule."""
    if any(key == "core.sshcommand" for key, _ in settings):
        remote = remote._replace(ssh_set=True)
    try:
        return fetch_newest(git, remote, settings)
    except RemoteRefused as problem:
        if "not allowed" not in problem.message:
            raise
        raise RemoteRefused(
            f"{remote.shown} is named by a repository, and git takes such a path from users alone",
            hint="who trusts paths of this machine says so: git config protocol.file.allow always",
        ) from None


def _remote(home: Home, one: Fetched) -> Remote:
    """Return where one is.

    Raises:
        NoRemote: git could take its URL for an option or a command.
        RemoteRefused: its branch has no name that a branch can have.
    """
    url, sign, branch = one.url.rpartition("#")
    url, branch = (url, f"refs/heads/{branch}") if sign else (one.url, "")
    check_remote(url)
    git = home.repository.git()
    if sign and git.call("check-ref-format", branch)[0]:
        raise RemoteRefused(f"{without_credentials(one.url)} names no branch", hint="URL#BRANCH")
    path = "" if url.startswith("file://") else local_path(url, home.repository.where)
    there = os.path.normpath(path) if path else url
    return Remote(there, branch, _ARRIVED, there)


def _settings(git: Git) -> list[tuple[str, str]]:
    """Return the settings of the user's repository by which git reaches a remote, as it finds others."""
    said = git.run("config", "--local", "-z", "--get-regexp", _REACHING, check=False)
    rows = said.decode("utf-8", "surrogateescape").split("\0")
    return [(key, value) for key, sign, value in (row.partition("\n") for row in rows) if sign]


def _counted(home: Home, one: Fetched, before: str) -> Brought:
    """Count the logs of one, which readies it for the first question."""
    there = as_fetched(home, one).home
    assert there is not None
    reader = Reader(there)
    try:
        logs = reader.snapshot.ask(lambda cache: cache.summary.logs)
    finally:
        reader.close()
    git, folder = there.repository.git(), there.prefix + SESSIONS_DIR
    rows = git.changes(before, there.tip(), folder) if before else None
    new = logs if rows is None else sum([row[0] == "A" for row in rows])
    return Brought(one.name, without_credentials(one.url), logs, new)
