"""Import the events that another home exported: the same logs to the byte, so the same state."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile

from ledger.errors import DiurnaError, NotFound
from rituals.answers.json_objects import finding_objects
from rituals.answers.record_fields import fields_of
from rituals.cli.context import STDIN
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from rituals.cli.context import Invocation


def import_events(call: Invocation, file: str, *, dry_run: bool) -> None:
    """Bring in a file of events, or standard input.

    Raises:
        DiurnaError: a line is not what it says: nothing was written.
    """
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
