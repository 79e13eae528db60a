"""Print which hosts are found, and what becomes of their files, and carry it out."""

from __future__ import annotations

import os
from difflib import unified_diff

from rituals.cli.output import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rituals.cli.context import Invocation
    from rituals.hosts.install.install_plan import Change, Plan


def carry_out(
    call: Invocation, plan: Plan, hosts: Iterable[str], *, user: bool, dry_run: bool
) -> int:
    """Do what is planned, unless it is only to be said; return the exit code."""
    from rituals.answers.record_fields import all_fields_of
    from rituals.hosts.install.install_plan import apply_plan

    if not dry_run:
        apply_plan(plan, user=user)
    if call.json:
        files = [{"file": one.file, "did": _step(one).partition(" ")[0]} for one in plan.changes]
        left = [all_fields_of(one) for one in plan.left]
        said = {"base": plan.base, "hosts": list(hosts), "files": files, "left": left}
        call.out.answer({**said, "dry_run": dry_run})
    else:
        for change in plan.changes:
            call.out.line(told(_step(change), done=not dry_run))
            if dry_run:
                call.out.text(_diff(change))
        if not plan.changes and not plan.left:
            call.out.line(f"nothing to do in {plan.base} for {', '.join(hosts) or 'any host'}")
    for one in plan.left:
        call.out.talk(("diurna:", "red"), f" {one.file}: it {one.why}")
        call.out.hint(one.hint)
    return 1 if plan.left else 0


def list_found(call: Invocation, base: str, found: tuple[str, ...], *, user: bool) -> int:
    """Say what could be installed, and change nothing."""
    from rituals.hosts.install.host_files import LAYOUTS

    if call.json:
        said = {"base": base, "hosts": list(found), "files": [], "left": []}
        call.out.answer({**said, "dry_run": True})
        return 0
    if not found:
        call.out.line(f"no agent's program was found here; name one: {', '.join(LAYOUTS)}")
        return 0
    call.out.line(f"found: {', '.join(found)}; nothing is installed yet")
    call.out.hint(f"diurna install {' '.join(found)}{' --user' if user else ''}")
    return 0


def export_plugin(call: Invocation, folder: str, *, alone: bool, dry_run: bool) -> int:
    """Write the plugin for marketplaces; return the exit code.

    `alone` says that nothing else was asked for.
    """
    from ledger.errors import WrongUsage
    from rituals.hosts.install.plugin_export import LOADING, plan_export

    if not alone:
        raise WrongUsage(
            "a plugin is the same for all hosts", hint=f"diurna install --export {folder}"
        )
    plan = plan_export(os.path.join(call.folder(), folder))
    code = carry_out(call, plan, LOADING, user=False, dry_run=dry_run)
    if not code:
        call.out.hint(f"claude --plugin-dir {folder} tries it; the page AGENTS.md has the others")
    return code


def _step(change: Change) -> str:
    if change.before is None:
        return f"make {change.file}"
    if change.after is None:
        return f"take away {change.file}"
    return f"write {change.file}"


def _diff(change: Change) -> str:
    """Return a unified diff of a file."""
    before, after = (
        (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
        for data in (change.before, change.after)
    )
    old, new = (
        "/dev/null" if data is None else change.file for data in (change.before, change.after)
    )
    lines = unified_diff(before, after, old, new)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
