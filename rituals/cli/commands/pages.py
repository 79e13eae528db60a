"""Run `diurna check --publish`, `--absorb` and `--replay`: the projection and people's edits of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.layout import CONTINUITY_FILE
from memory.replay.replayed_state import cold_state
from memory.worktree.projection_files import (
    committed_projection,
    drift_findings,
    projection_files,
)
from projection.document.page_parser import machine_line
from projection.fold.projection_state import Summary
from rituals.answers.json_objects import event_line, event_object, summary_object
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import Line, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.edits.detect import Edit
    from memory.edits.discard import Dropped

#: How many lines of a page that goes are shown.
_SHOWN = 40


def publish(call: Invocation, discard_edits: bool, dry_run: bool) -> int:
    """Write and commit the pages where they differ."""
    from memory.replay.trunk import publishing

    memory = call.memory()
    if not dry_run:
        landed = memory.drain()
        call.out.findings(landed.findings if landed else ())
    found = memory.discard_edits(dry_run=dry_run) if discard_edits else None
    if found and found.dropped:
        files, commit = found.files, found.commit
    else:
        files, commit = memory.publish(dry_run=dry_run)
    dropped, done = found.dropped if found else (), "would write" if dry_run else "wrote"
    lines = [line for one in dropped for line in _dropped(one, dry_run)]
    lines += [f"{done} {path}" for path in files]
    where, hints = publishing(memory.home, memory.policy), []
    if commit:
        lines.append(f"committed in {commit[:7]} on {memory.home.branch}")
        if not where.here and where.trunk:
            said = f"a pull request from {memory.home.branch} can conflict in them"
            hints = [f"these files are published on {where.trunk}; {said}"]
    lines = lines or ["nothing to do: the projection is in step"]
    values = {"files": files, "commit": commit, "dropped": dropped, "dry_run": dry_run}
    call.answer(values, lines, hints=hints)
    return 0


def _dropped(one: Dropped, dry_run: bool) -> Iterator[str]:
    """Yield what goes of a file, and where it is kept."""
    yield from [f"- {line}" for line in one.lines[:_SHOWN]]
    if len(one.lines) > _SHOWN:
        yield f"… and {len(one.lines) - _SHOWN} more lines"
    would, keep = ("would write", "would be kept") if dry_run else ("wrote", "is kept")
    yield f"{would} {one.file} anew; as it was it {keep} in {one.kept}"


def absorb(call: Invocation, dry_run: bool) -> int:
    """Make a log of edits of pages."""
    from memory.edits.detect import Edit

    memory = call.memory()
    found = memory.absorb(dry_run=dry_run)
    more = (*found.committed, *memory.left_alone())
    edits, branch = found.edits, memory.home.branch
    call.landed = any(one.commit for one in edits) or bool(found.committed)
    if edits:
        lines = [line for one in edits for line in _absorbed(one, call, branch, dry_run)]
    elif found.committed:
        lines = ["committed edits " + ("would become logs" if dry_run else "became logs")]
    elif more:
        lines = ["nothing new: what no log can say stays in the file"]
    else:
        lines = ["nothing to do: continuity.md is as Diurna wrote it"]
    findings = (*[said for one in edits for said in one.findings], *more)
    first, *others = map(_edit_object, edits or (Edit("", b""),))
    call.answer({**first, "others": others, "dry_run": dry_run}, lines, findings=findings)
    return 0


def _absorbed(found: Edit, call: Invocation, branch: str, dry_run: bool) -> Iterator[Line]:
    """Yield what became of the edit of one file."""
    if not found.events:
        written = f"{found.file} {'would be' if dry_run else 'is'} written anew"
        yield f"the ledger says it already; {written}"
    elif dry_run:
        yield f"would absorb the edit of {found.file}"
    else:
        stem = (call.out.short(found.stem), "yellow")
        yield stem, f"  committed in {found.commit[:7]} on {branch}"
    yield from map(event_line, found.events)


def _edit_object(found: Edit) -> dict[str, Any]:
    return {
        **fields_of(found, "file stem commit findings"),
        "events": [event_object(event) for event in found.events],
        "others": [],
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
    may_lag = home.plain and _is_older(home, committed.get(CONTINUITY_FILE, ""), cold.summary)
    drift, behind = ([], differ) if may_lag else (differ, [])
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
    numbers = ((summary.logs, "log"), (summary.sessions, "work session"), (facts, "fact"))
    said = ", ".join([counted(number, noun) for number, noun in numbers])
    lines = [f"replayed {said}; digest {summary.digest[:16]}"]
    lines += [f"{'would write' if dry_run else 'wrote'} {path}" for path in written]
    if behind and not write:
        lines.append(f"behind the logs: {', '.join(behind)}")
    elif in_step:
        lines.append("the projection is in step")
    told = {"drift": drift, "cache_differs": stale, "facts": facts, "written": written}
    more = {"dry_run": dry_run, "findings": findings}
    call.answer({**summary_object(summary), **told, **more}, lines, findings=findings)
    return 0 if in_step or (write and not dry_run) else 1


def _is_older(home: Home, page: str, summary: Summary) -> bool:
    """Tell whether a page, by its blob id, is of fewer logs than a state; "" is of none."""
    (data,) = home.repository.git().blobs([page]) if page else (None,)
    line = machine_line((data or b"").decode("utf-8", "replace"))
    older = line is not None and line.digest != summary.digest and line.newest <= summary.newest
    return older or not page
