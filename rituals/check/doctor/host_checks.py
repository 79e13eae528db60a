"""Check what `diurna install` put into agents' programs: whole, as it is written now, and at work."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from ledger.environment import now_seconds
from ledger.errors import DiurnaError
from ledger.git.repository import find_repository
from ledger.model.findings import Finding
from rituals.check.doctor.doctor_values import Machine
from rituals.check.doctor.host_programs import hook_fails, on_path, server_fails
from rituals.hosts.adapters import HOSTS
from rituals.hosts.capture.stamps import sessions
from rituals.hosts.install.install_plan import base_folder, installed, plan_install
from rituals.hosts.payloads import faults

#: How long a hook that failed is told of.
_FAULT_DAYS = 7


def hosts_noticed(machine: Machine) -> Iterator[Finding]:
    """Say what is missing beside a hook that is there, what does not run, and what failed."""
    calling: dict[str, None] = {}
    project: tuple[str, ...] = ()
    below = False
    serving: dict[str, None] = {}
    for user in (False, True):
        try:
            base = base_folder(machine.where, user=user)
        except DiurnaError:
            continue  # there is no project; other checks say more
        for host in installed(base, user=user):
            calling[host] = None
            yield from _incomplete(base, host, user=user)
        if not user:
            project, below = tuple(calling), os.path.realpath(machine.where) != base
        serving |= dict.fromkeys(installed(base, user=user, holds="server"))
    if not calling:
        return
    yield from _deaf(project if below else ())
    yield from _commands(machine, tuple(calling), tuple(serving))
    for host in calling:
        if HOSTS[host].told:
            said = (
                f"{host}: its hooks are set up as its documentation says; nobody has seen them run"
            )
            hint = "`diurna brief` shows whether its sessions leave anything"
            yield Finding("host-untried", said, hint=hint)
    repository = find_repository(machine.where)
    if repository is not None:
        yield from _unreviewed(repository.commondir, calling)
        yield from _failed(repository.commondir)


def _commands(
    machine: Machine, calling: tuple[str, ...], serving: tuple[str, ...]
) -> Iterator[Finding]:
    """Say that what hosts call is not there, or does not answer."""
    names, program = ", ".join(calling), on_path(machine.folders)
    hint = "install Diurna so that every shell finds it, for instance by `uv tool install`"
    if not program:
        said = f"{names}: the hook calls `diurna`, which is not on PATH"
        yield Finding("host-command", said, hint=hint)
        return
    why = hook_fails(program, calling[0], HOSTS[calling[0]].start)
    if why:
        said = f"{names}: the hook calls {program}, which {why}"
        yield Finding("host-command", said, hint=hint)
    elif serving and (why := server_fails(program, machine.where)):
        said = f"{', '.join(serving)}: the MCP server `{program} mcp` {why}"
        hint = "in a clone of Diurna `uv tool install '.[mcp]'` brings the extra; hooks work without it"
        yield Finding("host-server", said, hint=hint)


def _deaf(hosts: Iterable[str]) -> Iterator[Finding]:
    """Say which programs read no hooks of the project where they are started in this folder of it."""
    users = installed(base_folder("", user=True), user=True)
    for host in hosts:
        if not HOSTS[host].below and host not in users:
            said = f"{host}: started in this folder, it does not read the project's hooks"
            hint = f"start it at the top, or `diurna install {host} --user` for every folder"
            yield Finding("host-folder", said, hint=hint)


def _unreviewed(commondir: str, calling: Iterable[str]) -> Iterator[Finding]:
    """Say that a host which asks before it runs a hook ran none, while others did."""
    ran = {one.host for one in sessions(commondir)}
    if "codex" in calling and ran and "codex" not in ran:
        said = (
            f"codex: none of its sessions called a hook here, those of {', '.join(sorted(ran))} did"
        )
        hint = "Codex skips hooks that nobody looked at: start `codex` here once and look at /hooks"
        yield Finding("host-unreviewed", said, hint=hint)


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
