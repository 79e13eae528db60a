"""Check the machine: git, and what `diurna install` put into agents' programs: whole, and at work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator

from ledger.environment import now_seconds, variables
from ledger.errors import DiurnaError
from ledger.git.cli import Git
from ledger.git.repository import find_repository
from ledger.model.finding_codes import Finding
from ledger.model.record import Record
from rituals.hosts.adapters import HOSTS
from rituals.hosts.install.install_plan import base_folder, installed, plan_install
from rituals.hosts.session_files import faults

#: `git maintenance run` came with 2.29; 2.30 is the first whose owner check was mended everywhere.
OLDEST_GIT = (2, 30)
#: How long a hook that failed is told of.
_FAULT_DAYS = 7
_HOOK_SECONDS = 10


class Machine(Record):
    """Where a visit is made from: the folder, and those in which commands are looked for."""

    where: str
    folders: tuple[str, ...]


def git_noticed(machine: Machine) -> Iterator[Finding]:
    """Say that git is missing or too old."""
    try:
        said = Git(machine.where).run("version").decode("utf-8", "replace").strip()
    except DiurnaError as problem:
        yield Finding("git-unusable", problem.message, hint=problem.hint)
        return
    found = tuple(map(int, re.findall(r"\d+", said)[:2]))
    if found and found < OLDEST_GIT:
        hint = "install a newer git; nothing in the repository has to change"
        yield Finding("git-unusable", f"this is {said}; Diurna needs git 2.30 or newer", hint=hint)


def hosts_noticed(machine: Machine) -> Iterator[Finding]:
    """Say what is missing beside a hook that is there, what does not run, and what failed."""
    calling: dict[str, None] = {}
    for user in (False, True):
        try:
            base = base_folder(machine.where, user=user)
        except DiurnaError:
            continue  # there is no project; other checks say more
        for host in installed(base, user=user):
            calling[host] = None
            yield from _incomplete(base, host, user=user)
    if not calling:
        return
    first, failing = next(iter(calling)), "is not on PATH"
    there = (f"{folder}/diurna" for folder in machine.folders if os.path.isabs(folder))
    program = next((path for path in there if os.access(path, os.X_OK)), "")
    if program:
        failing = hook_fails(program, first, next(iter(HOSTS[first].events)))
    if failing:
        said = f"{', '.join(calling)}: the hook calls {program or '`diurna`'}, which {failing}"
        hint = "install Diurna so that every shell finds it, for instance by `uv tool install`"
        yield Finding("host-command", said, hint=hint)
    repository = find_repository(machine.where, fit=False)
    if repository is not None:
        yield from _failed(repository.commondir)


def _failed(commondir: str) -> Iterator[Finding]:
    """Tell of the hooks that failed of late."""
    begin = time.strftime("%Y-%m-%d", time.gmtime(now_seconds() - _FAULT_DAYS * 86_400))
    late = [one for one in faults(commondir) if one.at >= begin]
    if late:
        many = "1 hook" if len(late) == 1 else f"{len(late)} hooks"
        said = (
            f"{many} failed within {_FAULT_DAYS} days; the last at {late[-1].at}: {late[-1].said}"
        )
        hint = "agents went on without the answer; `DIURNA_HOOKS=off` silences the hooks of a shell"
        yield Finding("host-faults", said, hint=hint)


def _incomplete(base: str, host: str, *, user: bool) -> Iterator[Finding]:
    """Name the files of a host that are not as they would be written."""
    plan = plan_install(base, (host,), user=user, servers=False)
    command = f"diurna install {host}{' --user' if user else ''}"
    for change in plan.changes:
        said = f"{host}: what `{command}` writes is not in {base}/{change.file}"
        yield Finding("host-files", said, hint=f"`{command}` writes it")
    for left in plan.left:
        said = f"{host}: {base}/{left.file} {left.why}"
        yield Finding("host-files", said, hint=left.hint)


def hook_fails(program: str, host: str, event: str) -> str:
    """Return why a hook does not answer as it has to, "" where it does; nothing is told by it.

    The host is a key of `HOSTS`, the event one of its own.
    """
    environment = {**variables(), "DIURNA_HOOKS": "off"}
    command = [program, "hook", host, event]
    try:
        done = subprocess.run(  # noqa: S603 - the same that hosts call
            command, input=b"{}", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
            env=environment, timeout=_HOOK_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"does not answer within {_HOOK_SECONDS} seconds"
    except OSError as problem:
        return f"can not be run ({problem.strerror})"
    if done.returncode:
        return f"ends with {done.returncode}"
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = None
    return "" if isinstance(answer, dict) else "answers no JSON object"
