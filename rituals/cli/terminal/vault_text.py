"""Write a vault, and print what was written."""

from __future__ import annotations

from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.context import Invocation


def write_vault(call: Invocation, folder: str, dry_run: bool) -> int:
    """Write linked notes into a folder, say how many, and return the exit code."""
    from rituals.answers.json_objects import finding_objects
    from rituals.report.export.vault_files import apply_vault, plan_vault

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
