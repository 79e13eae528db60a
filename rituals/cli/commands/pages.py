"""Run `diurna check --publish`, `--absorb` and `--replay`: the projection and people's edits of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ledger.model.finding_codes import Finding
from ledger.model.layout import CONTINUITY_FILE
from memory import (
    PageEdit,
    cold_state,
    committed_projection,
    drift_findings,
    is_behind,
    projection_files,
)
from rituals.answers.fact_objects import event_line, event_object, summary_object
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout

_PUBLISHED = Layout("""
dropped|lines:40|- {}
dropped|{=wrote} {file} anew; as it was it {=kept} in {kept}
files|{=wrote} {}
committed in {commit%7} on {=branch}
!files|nothing to do: the projection is in step
""")
_ABSORBED = Layout("""
=edits|[would absorb the edit of {=dry}][{=stem~:yellow}  committed in {commit%7} on {=branch}]
=edits|!events|the ledger says it already; {file} {=anew} written anew
=edits|=events|{}
{=nothing}
""")
_REPLAYED = Layout("""
replayed {logs#log}, {sessions#work session}, {facts#fact}; digest {digest%16}
written|{=wrote} {}
behind the logs: {=behind}
{=step}the projection is in step
""")


def publish(call: Invocation, discard_edits: bool, dry_run: bool) -> int:
    """Write and commit the pages where they differ."""
    from memory import publishing

    memory = call.memory()
    if not dry_run:
        call.out.findings(memory.drain())
    found = memory.discard_edits(dry_run=dry_run) if discard_edits else None
    if found and found.dropped:
        files, commit = found.files, found.commit
    else:
        files, commit = memory.publish(dry_run=dry_run)
    where, hints = publishing(memory.home, memory.policy), []
    if commit and not where.here and where.trunk:
        said = f"a pull request from {memory.home.branch} can conflict in them"
        hints = [f"these files are published on {where.trunk}; {said}"]
    values = {
        "files": files,
        "commit": commit,
        "dropped": found.dropped if found else (),
        "dry_run": dry_run,
        "=wrote": "would write" if dry_run else "wrote",
        "=kept": "would be kept" if dry_run else "is kept",
        "=branch": memory.home.branch,
    }
    call.answer(values, _PUBLISHED, hints=hints)
    return 0


def absorb(call: Invocation, dry_run: bool) -> int:
    """Make a log of edits of pages."""
    memory = call.memory()
    found = memory.absorb(dry_run=dry_run)
    more = (*found.committed, *memory.left_alone())
    edits = found.edits
    call.landed = any(one.commit for one in edits) or bool(found.committed)
    nothing = "nothing to do: continuity.md is as Diurna wrote it"
    if found.committed:
        nothing = f"committed edits {'would become' if dry_run else 'became'} logs"
    elif more:
        nothing = "nothing new: what no log can say stays in the file"
    told = [_edit_object(one, dry_run) for one in edits or (PageEdit("", b""),)]
    values = {
        **told[0],
        "others": told[1:],
        "dry_run": dry_run,
        "=edits": told if edits else [],
        "=nothing": "" if edits else nothing,
        "=branch": memory.home.branch,
        "=anew": "would be" if dry_run else "is",
    }
    findings = (*[said for one in edits for said in one.findings], *more)
    call.answer(values, _ABSORBED, findings=findings)
    return 0


def _edit_object(found: PageEdit, dry_run: bool) -> dict[str, Any]:
    return {
        **fields_of(found, "file stem commit findings"),
        "events": [event_object(event) for event in found.events],
        "others": [],
        "=events": list(map(event_line, found.events)),
        "=dry": found.file if dry_run and found.events else "",
        "=stem": found.stem if found.events else "",
    }


def replay(call: Invocation, write: bool, dry_run: bool) -> int:
    """Replay all from git and compare; 1 where something differs."""
    memory = call.memory()
    absorbed = memory.absorb_first() if write and not dry_run else ()
    home = memory.home
    cold = cold_state(memory.snapshot.tip, home.tip())
    files, committed = projection_files(cold), committed_projection(home, home.tip(), cold.policy)
    differ = [path for path, _ in files.changes(committed)]
    stale = [path for path, _ in files.against(projection_files(memory.tip_state()).blobs)]
    page = committed.get(CONTINUITY_FILE)
    (body,) = home.repository.git().blobs([page]) if page else (None,)
    drift, behind = ([], differ) if is_behind(body, cold.summary) else (differ, [])
    written: Sequence[str] = ()
    if write:
        written = differ if dry_run else memory.write_projection(cold)
    hint = "the ledger is right: move the cache folder under .git/diurna aside and report this"
    odd = [
        Finding("drift", f"the cache gives another {path} than the ledger", path, hint=hint)
        for path in stale
    ]
    findings = (*absorbed, *drift_findings(drift), *odd)
    summary, facts, in_step = cold.summary, len(cold), not (drift or stale)
    values = {
        **summary_object(summary),
        "drift": drift,
        "cache_differs": stale,
        "facts": facts,
        "written": written,
        "dry_run": dry_run,
        "findings": findings,
        "=wrote": "would write" if dry_run else "wrote",
        "=behind": () if write else behind,
        "=step": in_step,
    }
    call.answer(values, _REPLAYED, findings=findings)
    return 0 if in_step or (write and not dry_run) else 1
