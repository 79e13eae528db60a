"""Run `diurna import` and `harvest`: bring in what another tool, a document or another home has."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from typing import BinaryIO

import click

from ledger.environment import working_directory
from ledger.errors import DiurnaError, NotFound, WrongUsage
from rituals.answers.json_objects import finding_objects
from rituals.answers.record_fields import fields_of
from rituals.cli.command_words import words_of
from rituals.cli.context import STDIN, Invocation
from rituals.cli.output import counted
from rituals.intake.sources.source_table import DOCUMENTS, SOURCES, source_named

EVENTS = "events"
_DOES = words_of("import") | {one.name: one.does for one in SOURCES}
NAMES = (*_DOES, *DOCUMENTS, EVENTS)
_WIDTH = max(map(len, NAMES))
LISTED = "\n".join(
    [
        "\b", "Sources:", *[f"  {name:<{_WIDTH}}  {does}" for name, does in _DOES.items()],
        f"  {', '.join(DOCUMENTS)}: the documents in which these keep rules and memory banks",
        f"  {'PATH':<{_WIDTH}}  a document or a folder of them, whatever it is called",
    ]
)  # fmt: skip


def import_(
    call: Invocation,
    source: str | None,
    paths: tuple[str, ...],
    write: bool,
    verbose: bool,
    dry_run: bool,
) -> None:
    """Run `diurna import`."""
    if source is None:
        from rituals.cli.moving_in import take_in_all

        return take_in_all(call, write=write, dry_run=dry_run, verbose=verbose)
    if source == EVENTS:
        if len(paths) != 1:
            raise WrongUsage("it takes one FILE, or - for standard input", where="import events")
        return _import_events(call, paths[0], dry_run=dry_run)
    known = source_named(source)
    if known is None:
        paths = (*(kept_by(call, source) if source in DOCUMENTS else (source,)), *paths)
        return harvest(call, paths, write=write, dry_run=dry_run, verbose=verbose)
    from rituals.cli.intake_input import take_in

    take_in(call, known, paths, write=write, dry_run=dry_run, verbose=verbose)


class _SourceName(click.Choice[str]):
    """One of the names, or a path that is there."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or the path as it was typed."""
        there = value not in self.choices and os.path.exists(
            os.path.join(working_directory(), value)
        )
        return value if there else super().convert(value, param, ctx)


SOURCE = _SourceName(NAMES)


def harvest(
    call: Invocation,
    paths: Sequence[str],
    *,
    budget: int = 0,
    handed_in: str = "",
    write: bool,
    dry_run: bool,
    verbose: bool,
) -> None:
    """Read documents, show the plan, and take in what they say.

    Without paths it reads all. `budget` is the most new facts, `handed_in` a file of what an agent found,
    "" for none; `write` does not ask.
    """
    from rituals.cli.terminal import intake_text as views
    from rituals.intake.harvest.harvest_plan import BUDGET, plan_harvest

    memory, out = call.memory(), call.out
    plan = plan_harvest(
        memory,
        [os.path.join(call.folder(), path) for path in paths],
        budget=budget or BUDGET,
        handed_in=call.read(handed_in) if handed_in else None,
        name="standard input" if handed_in == STDIN else handed_in,
        progress=out.progress,
    )
    harvest, intake = plan.harvest, plan.intake
    if not call.json:
        since = f" that changed since {harvest.since[:7]}" if harvest.since else ""
        if not handed_in:
            found = counted(harvest.read, "document")
            out.line(f"read {found}{since} of {harvest.documents} at {harvest.commit[:7]}")
            views.show_documents(views.of_documents(harvest, intake), out, verbose)
        views.show_plan(intake, out, everything=verbose)
    done = views.take_in(call, intake, write=write, dry_run=dry_run)
    due = [one.fact.id for one in harvest.changed]
    if call.json:
        said = {"commit": harvest.commit, "since": harvest.since, "documents": harvest.documents}
        answer = {**views.intake_object(intake, done), **said, "read": harvest.read, "due": due}
        return out.answer({**answer, "dry_run": done is None})
    views.show_written(intake, done, out, memory.home.branch)
    if intake.beyond:
        out.hint("`diurna import docs PATH` brings the next of a document or folder")
    if due:
        what = counted(len(due), "fact") + (" comes" if len(due) == 1 else " come")
        out.hint(f"{what} from documents that say something else now; `diurna review` asks")


def kept_by(call: Invocation, tool: str) -> tuple[str, ...]:
    """Return the documents of this project in which a tool keeps what it knows.

    Raises:
        NotFound: there is none.
    """
    top = call.project()
    here = [f"{top}/{path}" for path in DOCUMENTS[tool] if os.path.exists(f"{top}/{path}")]
    if not here:
        places = ", ".join(DOCUMENTS[tool])
        raise NotFound(
            f"this project has none of {places}", hint="name the file: `diurna import PATH`"
        )
    return tuple(here)


def _import_events(call: Invocation, file: str, *, dry_run: bool) -> None:
    """Bring in a file of events, or standard input."""
    from rituals.report.export.events_in import apply_arrival, plan_arrival

    memory, name = call.memory(), "standard input" if file == STDIN else file
    with _opened(call, file) as lines:
        found = plan_arrival(memory, lines, name, call.out.progress)
        if found.new and not dry_run:
            lines.seek(0)
            found = apply_arrival(memory, lines, name, found)
    call.out.findings(found.left_out)
    if call.json:
        said = fields_of(found, "project logs new redacted commits")
        left_out = finding_objects(found.left_out)
        return call.out.answer({**said, "left_out": left_out, "dry_run": dry_run})
    logs, verb = counted(len(found.new), "log"), "would be imported" if dry_run else "imported"
    here = found.logs - len(found.new) - len(found.left_out)
    there = f", {here} are here already" * (here > 0)
    there += f", {len(found.left_out)} left out" * bool(found.left_out)
    call.out.line(f"{logs} {verb} from {found.project or name}{there}")


def _opened(call: Invocation, file: str) -> BinaryIO:
    """Open what is imported, so that it can be read twice."""
    hint = "name a file that `diurna export events > FILE` wrote, or - for standard input"
    if file != STDIN:
        try:
            return open(os.path.join(call.folder(), file), "rb")
        except FileNotFoundError:
            raise NotFound("there is no such file", where=file, hint=hint) from None
        except OSError as problem:
            raise DiurnaError(problem.strerror or "", where=file, hint=hint) from problem
    if not sys.stdin:
        raise DiurnaError("it is closed", where="standard input", hint=hint)
    kept = tempfile.TemporaryFile()  # noqa: SIM115 - by the caller
    shutil.copyfileobj(sys.stdin.buffer, kept)
    kept.seek(0)
    return kept
