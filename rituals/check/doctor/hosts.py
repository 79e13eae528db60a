"""Check what `diurna install` put into agents' programs: whole, as it is written now, and able to run."""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.model.findings import Finding
from rituals.check.doctor.values import Noticed
from rituals.hosts.install.plan import base_folder, installed, plan_install

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rituals.check.doctor.values import Machine


def hosts_noticed(machine: Machine) -> Iterator[Noticed]:
    """Say what is missing beside a hook that is there, and that nobody would find its command."""
    calling: dict[str, None] = {}
    for user in (False, True):
        try:
            base = base_folder(machine.where, user=user)
        except DiurnaError:
            continue  # there is no project; other checks say more
        for host in installed(base, user=user):
            calling[host] = None
            yield from _incomplete(base, host, user=user)
    if calling and not any(
        os.path.isabs(folder) and os.access(f"{folder}/diurna", os.X_OK)
        for folder in machine.folders
    ):
        said = f"{', '.join(calling)}: the hook calls `diurna`, which is not on PATH"
        hint = "install Diurna so that every shell finds it, for instance by `uv tool install`"
        yield Noticed(Finding("host-command", said, hint=hint))


def _incomplete(base: str, host: str, *, user: bool) -> Iterator[Noticed]:
    """Name the files of a host that are not as they would be written."""
    plan = plan_install(base, (host,), user=user, servers=False)
    command = f"diurna install {host}{' --user' if user else ''}"
    for change in plan.changes:
        said = f"{host}: what `{command}` writes is not in {base}/{change.file}"
        yield Noticed(Finding("host-files", said, hint=f"`{command}` writes it"))
    for left in plan.left:
        said = f"{host}: {base}/{left.file} {left.why}"
        yield Noticed(Finding("host-files", said, hint=left.hint))
