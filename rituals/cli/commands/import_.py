"""Run `diurna import`: bring in what another home exported."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from typing import BinaryIO

import click

from ledger.errors import DiurnaError, NotFound
from rituals.answers.fields import fields_of
from rituals.cli import options
from rituals.cli.context import STDIN, Invocation
from rituals.cli.output import counted


@click.command("import")
@click.argument("what", type=click.Choice(("events",)), metavar="events")
@click.argument("file", metavar="FILE|-")
@options.dry_run
@options.command
def command(call: Invocation, what: str, file: str, dry_run: bool) -> None:
    """Bring in what `diurna export events` wrote: the same logs to the byte, so the same state.

    Every line is read before anything is written; one that is not what it says refuses them all, by its
    number. What is here already is passed over, so a second import changes nothing. The policy of this
    home stays its own. What another tool wrote is taken over by `diurna adopt`.

    \b
    Examples:
      diurna import events memory.ndjson --dry-run
      ssh other diurna --home work/api export events | diurna import events -
    """
    from rituals.report.export.events_in import apply_arrival, plan_arrival

    memory, name = call.memory(), "standard input" if file == STDIN else file
    with _opened(call, file) as lines:
        found = plan_arrival(memory, lines, name, call.out.progress)
        if found.new and not dry_run:
            lines.seek(0)
            found = apply_arrival(memory, lines, name, found)
    if call.json:
        said = fields_of(found, "project logs new redacted commits")
        return call.out.answer({**said, "dry_run": dry_run})
    logs, verb = counted(len(found.new), "log"), "would be imported" if dry_run else "imported"
    there = f", {found.logs - len(found.new)} are here already" * (len(found.new) < found.logs)
    call.out.line(f"{logs} {verb} from {found.project or name}{there}")


def _opened(call: Invocation, file: str) -> BinaryIO:
    """Open what is imported, so that it can be read twice.

    Raises:
        NotFound: there is no such file.
        DiurnaError: it can not be read.
    """
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
