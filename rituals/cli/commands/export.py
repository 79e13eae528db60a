"""Run `diurna export`: write a memory in a form that other programs read."""

from __future__ import annotations

import os

from ledger.errors import WrongUsage
from rituals.cli.context import Invocation
from rituals.cli.output import counted


def export(
    call: Invocation,
    what: str,
    dir: str,
    base: str,
    allow_shallow: bool,
    dry_run: bool,
) -> int:
    """Run `diurna export`."""
    if allow_shallow and what != "site":
        raise WrongUsage("--allow-shallow goes with `site`", hint="diurna export site DIR")
    if base and (what != "site" or not base.startswith(("https://", "http://"))):
        said = "--base is the address under which a `site` will be found"
        raise WrongUsage(said, hint="diurna export site DIR --base https://…")
    if what == "events":
        if dir or dry_run:
            raise WrongUsage("events are printed", hint="diurna export events > FILE")
        from rituals.report.event_lines import event_lines

        for line in event_lines(call.memory(), call.out.progress):
            call.out.text(line)
        return 0
    if not dir:
        raise WrongUsage("no folder is named", hint=f"diurna export {what} DIR")
    folder = os.path.normpath(os.path.join(call.folder(), dir))
    if what == "vault":
        return _write_vault(call, folder, dry_run)
    from rituals.cli.commands.web import write_site

    write_site(call, folder, base, dry_run, shallow=allow_shallow)
    return 0


def _write_vault(call: Invocation, folder: str, dry_run: bool) -> int:
    from rituals.answers.json_objects import finding_objects
    from rituals.report.vault_files import apply_vault, plan_vault

    plan = plan_vault(call.memory(), folder, call.out.progress)
    if not dry_run:
        apply_vault(plan)
    written = [path for path, _ in plan.write]
    if call.json:
        said = {"folder": plan.folder, "files": plan.files, "written": written, "dry_run": dry_run}
        findings = finding_objects(plan.left)
        call.out.answer({**said, "removed": list(plan.remove), "findings": findings})
    else:
        done = "would write" if dry_run else "wrote"
        removed = f", {'remove' if dry_run else 'removed'} {len(plan.remove)}" * bool(plan.remove)
        same = plan.files - len(written) - len(plan.left)
        kept = f", {same} as they were" * bool(same)
        call.out.line(f"{done} {counted(len(written), 'note')}{removed}{kept}: {plan.folder}")
    call.out.findings(plan.left)
    return 1 if plan.left else 0
