"""Fetch the homes of others that the policy names; nothing is ever sent there (FORMAT.md, Y8).

One that fails is told and changes nothing: what was fetched last goes on being read.
"""

from __future__ import annotations

from typing import Any

from ledger.environment import now_seconds
from ledger.errors import DiurnaError, NoRemote, RemoteRefused
from ledger.home import Home, prefix_in
from ledger.model.findings import Finding
from ledger.model.layout import FETCHED_FILE, POLICY_FILE, SESSIONS_DIR, STATE_DIR, UPSTREAM_BRANCH
from ledger.remote.remote import Remote, without_credentials
from ledger.remote.transport import fetch_newest
from ledger.wal.atomic_files import replace_file
from memory.api import Memory
from memory.query.reader import Reader
from memory.replay.upstream_homes import Fetched, as_fetched, note_of, upstream_folder, upstreams
from projection.policy.model import Policy
from rituals.decide.recorded_endings import ended_lines
from rituals.setup.strays import join_strays
from rituals.sync.inbox_fetch import Happening, exchange
from rituals.sync.remote_mirrors import Bare, by_leave, opened
from rituals.sync.request_sending import send_answers
from rituals.sync.sync_report import Brought, Report
from rituals.sync.sync_rounds import sync

#: Where a fetch goes at first, until it is known for a home.
_ARRIVED = f"refs/{STATE_DIR}/arrived"
_TIP = f"refs/heads/{UPSTREAM_BRANCH}"


def sync_all(memory: Memory, asked: str = "", **how: Any) -> Report:
    """Sync a home with its remote, then fetch the homes of others and requests, without a remote too.

    `asked` and `how` are as for `sync`.

    Raises:
        DiurnaError: as `sync` does.
    """
    joined = () if how.get("dry_run") else join_strays(memory)
    ended = ended_lines(memory, dry_run=bool(how.get("dry_run")))
    try:
        report = sync(memory, asked, **how)
    except NoRemote as problem:
        policy = _policy(memory)
        if asked or how.get("dry_run") or not (policy.upstream or policy.inbox.accept):
            raise
        home = memory.home
        report = Report("", home.branch, "", home.tip(), offline=problem.message)
    report = report._replace(findings=(*joined, *report.findings), ended=ended)
    if report.dry_run:
        return report
    brought, findings = fetch_upstreams(memory.home, _policy(memory))
    online = not (report.remote and report.offline)
    try:
        done = exchange(memory, asked, online=online)
        done += send_answers(memory, again=True) if online else ()
    except DiurnaError as problem:  # what was synced stays so
        done = (Happening("failed", "inbox", problem.message),)
    findings = (*report.findings, *findings)
    return report._replace(upstreams=brought, inbox=done, findings=findings)


def _policy(memory: Memory) -> Policy:
    return memory.policy


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
            arrived = fetch_newest(bare.guarded, remote)
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
