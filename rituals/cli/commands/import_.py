"""Run `diurna import`: bring in what another tool, a decision record or another home has."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

import click

from ledger.environment import working_directory
from ledger.errors import DiurnaError, NotFound, WrongUsage
from rituals.answers.record_fields import fields_of
from rituals.cli.context import STDIN, Invocation
from rituals.cli.operation import DRY_RUN, option, word
from rituals.cli.output import counted
from rituals.intake.sources import SOURCES, source_named

DOCS, EVENTS, ITEMS, LEDGER = "docs", "events", "items", "ledger"
_DOES = {
    DOCS: "the repository's decision records: MADR, Nygard, log4brains",
    ITEMS: "what an agent proposes of documents, with the words and the line",
    LEDGER: "the memory folder of a tool with the same format: logs and pages",
    **{one.name: one.does for one in SOURCES},
}
NAMES = (*_DOES, EVENTS)
_WIDTH = max(map(len, NAMES))


class _SourceName(click.Choice[str]):
    """One of the names, or a path that is there."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or the path as it was typed."""
        if value in self.choices or os.path.exists(os.path.join(working_directory(), value)):
            return value
        named = ", ".join(self.choices)
        piped = "`… | diurna import jsonl -` takes in what another tool keeps (the page MOVING.md)"
        self.fail(f"`{value}` is no path here, and no source ({named}); {piped}", param, ctx)


_SOURCE = _SourceName(NAMES)


def import_(
    call: Invocation, *,
    source: str = word("[SOURCE|PATH]", type=_SOURCE), paths: tuple[str, ...] = word("[PATH]..."),
    write: bool = option("Take it in without asking.", spelled="--write --yes"),
    pick: str = option("With items: which of them to record, 1,3-7 or all.", "NUMBERS"),
    verbose: bool = option("Show all of it, and each thing that is left out.", spelled="-v --verbose"),
    dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Bring in what another tool remembers, or (`events`) what another home exported.

    What memory knows already is counted, and what changed in the tool updates its fact. Dates and authors
    come along, secrets do not, and what is about you goes to your personal home alone. Without SOURCE it
    looks for everything, decision records too; without PATH it looks in this project, and where the tool
    keeps data of this project, and says where. On a terminal it shows the plan and asks once; elsewhere
    it only shows it, and --write takes it in.

    Of a decision record of HEAD that is accepted, title and decision come, as they stand, with `source:
    path:line@commit`; a record that supersedes another does so here. Rules files and prose become no
    facts by themselves: `diurna import` names them, and an agent with the skill `diurna-harvest` reads
    them and proposes items. `items -` takes these, an object a line: `quote`, `source` (FILE:LINE), and
    `text`, `kind`, `id`. The words have to stand there in HEAD; every heading and lead-in above them is
    put before the text. All are shown with numbers, and --pick, or a person who is asked, says which are
    recorded.

    `ledger DIR` reads the memory folder of another tool that writes session logs in this format. They
    stay as they are; one log brings what its pages say: texts, footers, and what is no fact as text.
    Where there is no home yet, the folder becomes one.

    Examples:
      diurna import
      diurna import claude
      diurna import docs docs/adr
      diurna import items proposed.jsonl --pick 1,3-7
      diurna import jsonl facts.jsonl --write
      diurna import ledger . --write
      ssh other diurna --home work/api export events | diurna import events -
    """
    if pick and source != ITEMS:
        raise WrongUsage(
            "--pick chooses among what is proposed", hint="diurna import items - --pick 1,3-7"
        )
    if source == ITEMS:
        from rituals.cli.intake_input import take_in_items

        return take_in_items(call, paths, pick, write=write, dry_run=dry_run)
    if not source:
        from rituals.cli.intake_input import take_in_all

        return take_in_all(call, write=write, dry_run=dry_run, verbose=verbose)
    if source == EVENTS:
        if len(paths) != 1:
            raise WrongUsage("it takes one FILE, or - for standard input", where="import events")
        return _import_events(call, paths[0], dry_run=dry_run)
    if source == LEDGER:
        from rituals.cli.commands.import_ledger import import_ledger

        if len(paths) != 1:
            raise WrongUsage("it takes one DIR", where="import ledger")
        return import_ledger(call, paths[0], write=write, dry_run=dry_run, verbose=verbose)
    from rituals.cli.intake_input import take_in, take_in_records

    known = source_named(source)
    if known is not None:
        return take_in(call, known, paths, write=write, dry_run=dry_run, verbose=verbose)
    paths = paths if source == DOCS else (source, *paths)
    take_in_records(call, paths, write=write, dry_run=dry_run, verbose=verbose)


import_.__doc__ = "\n      ".join([
    f"{(import_.__doc__ or '').rstrip()}\n\n    Sources:",
    *[f"{name:<{_WIDTH}}  {does}" for name, does in _DOES.items()],
    f"{'PATH':<{_WIDTH}}  a decision record or a folder of them, whatever it is called",
])  # fmt: skip


def _import_events(call: Invocation, file: str, *, dry_run: bool) -> None:
    """Bring in a file of events, or standard input."""
    from rituals.report.events_in import apply_arrival, plan_arrival

    memory, name = call.memory(), "standard input" if file == STDIN else file
    with _opened(call, file) as lines:
        found = plan_arrival(memory, lines, name, call.out.progress)
    if not dry_run:
        found = apply_arrival(memory, found)
    logs, verb = counted(len(found.new), "log"), "would be imported" if dry_run else "imported"
    here = found.logs - len(found.new) - len(found.left_out)
    there = f", {here} are here already" * (here > 0)
    there += f", {len(found.left_out)} left out" * bool(found.left_out)
    line = f"{logs} {verb} from {found.project or name}{there}"
    said = fields_of(found, "project logs redacted left_out commits")
    values = {**said, "new": [one.path for one in found.new], "dry_run": dry_run}
    call.answer(values, [line], findings=found.left_out)


def _opened(call: Invocation, file: str) -> BinaryIO:
    """Open what is imported."""
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
    return sys.stdin.buffer
