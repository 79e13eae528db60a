"""Run `diurna check --publish`, `--absorb` and `--replay`: the projection and people's edits of it."""

from __future__ import annotations

from typing import Any

from rituals.answers.json_objects import event_line, event_object, finding_objects, summary_object
from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.edits.absorb import Absorption
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
    dropped = found.dropped if found else ()
    if call.json:
        lost = [{"file": one.file, "kept": one.kept, "lines": list(one.lines)} for one in dropped]
        call.out.answer(
            {"files": list(files), "commit": commit, "dropped": lost, "dry_run": dry_run}
        )
        return 0
    for one in dropped:
        _show(one, call, dry_run)
    for path in files:
        call.out.line(f"{'would write' if dry_run else 'wrote'} {path}")
    if commit:
        call.out.line(f"committed in {commit[:7]} on {memory.home.branch}")
        where = publishing(memory.home, memory.policy)
        if not where.here and where.trunk:
            said = f"a pull request from {memory.home.branch} can conflict in them"
            call.out.hint(f"these files are published on {where.trunk}; {said}")
    elif not files and not dropped:
        call.out.line("nothing to do: the projection is in step")
    return 0


def absorb(call: Invocation, dry_run: bool) -> int:
    """Make a log of edits of pages."""
    memory = call.memory()
    found = memory.absorb(dry_run=dry_run)
    more = (*found.committed, *memory.left_alone())
    call.landed = bool(found.commit or found.committed)
    out = call.out
    if call.json:
        out.answer({**_absorption_object(found), "dry_run": dry_run})
    elif not found.file and found.committed:
        out.line("committed edits " + ("would become logs" if dry_run else "became logs"))
    elif not found.file and more:
        out.line("nothing new: what no log can say stays in the file")
    elif not found.file:
        out.line("nothing to do: continuity.md is as Diurna wrote it")
    else:
        for one in (found, *found.others):
            _print(one, call, memory.home.branch, dry_run)
    others = [said for one in found.others for said in one.findings]
    out.findings((*found.findings, *others, *more))
    return 0


def replay(call: Invocation, write: bool, dry_run: bool) -> int:
    """Replay all from git and compare; 1 where something differs."""
    from rituals.check.verify.projection_checks import recheck

    memory = call.memory()
    absorbed = memory.absorb_first() if write and not dry_run else ()
    found = recheck(memory)
    written: tuple[str, ...] = ()
    if write:
        new = (*found.drift, *found.behind)
        written = new if dry_run else memory.write_projection(found.state)
    summary, facts = found.state.summary, len(found.state)
    if call.json:
        call.out.answer(
            {
                **summary_object(summary),
                "facts": facts,
                "drift": list(found.drift),
                "cache_differs": list(found.stale),
                "written": list(written),
                "dry_run": dry_run,
                "findings": finding_objects((*absorbed, *found.findings())),
            }
        )
    else:
        numbers = ((summary.logs, "log"), (summary.sessions, "work session"), (facts, "fact"))
        said = ", ".join(counted(number, noun) for number, noun in numbers)
        call.out.line(f"replayed {said}; digest {summary.digest[:16]}")
        for path in written:
            call.out.line(f"{'would write' if dry_run else 'wrote'} {path}")
        if found.behind and not write:
            call.out.line(f"behind the logs: {', '.join(found.behind)}")
        elif found.in_step:
            call.out.line("the projection is in step")
    call.out.findings((*absorbed, *found.findings()))
    return 0 if found.in_step or (write and not dry_run) else 1


def _show(one: Dropped, call: Invocation, dry_run: bool) -> None:
    """Show what goes of a file, and where it is kept."""
    out = call.out
    for line in one.lines[:_SHOWN]:
        out.line(f"- {line}")
    if len(one.lines) > _SHOWN:
        out.line(f"… and {len(one.lines) - _SHOWN} more lines")
    would = "would write" if dry_run else "wrote"
    keep = "would be kept" if dry_run else "is kept"
    out.line(f"{would} {one.file} anew; as it was it {keep} in {one.kept}")


def _print(found: Absorption, call: Invocation, branch: str, dry_run: bool) -> None:
    """Say what became of the edit of one file."""
    out = call.out
    if not found.events:
        said = "the ledger says it already"
        return out.line(f"{said}; {found.file} {'would be' if dry_run else 'is'} written anew")
    if dry_run:
        out.line(f"would absorb the edit of {found.file}")
    else:
        stem = out.short(found.stem)
        out.line((stem, "yellow"), f"  committed in {found.commit[:7]} on {branch}")
    for event in found.events:
        out.line(event_line(event))


def _absorption_object(found: Absorption) -> dict[str, Any]:
    return {
        "file": found.file,
        "events": [event_object(event) for event in found.events],
        **fields_of(found, "stem commit"),
        "findings": finding_objects(found.findings),
        "others": [_absorption_object(one) for one in found.others],
    }
