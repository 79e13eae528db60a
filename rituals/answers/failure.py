"""Define what is said of an exception, on the command line and over MCP."""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.record import Record


class Failure(Record):
    """How an exception is reported.

    Args:
        exit_code: of the command.
        code: the class's name, for scripts.
        message: one sentence.
        where: a file and line, a folder, or the command.
        hint: what to do.
        findings: all that was wrong with a draft.
        stem: of the log that waits in the spool, else "".
    """

    exit_code: int
    code: str
    message: str
    where: str
    hint: str = ""
    findings: tuple[Finding, ...] = ()
    stem: str = ""
