"""Define what is said of an exception, on the command line and over MCP."""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.record import Record


class Failure(Record):
    """How an exception is reported."""

    exit_code: int  #: of the command
    code: str  #: the class's name, for scripts
    message: str  #: one sentence
    where: str  #: a file and line, a folder, or the command
    hint: str = ""  #: what to do
    findings: tuple[Finding, ...] = ()  #: all that was wrong with a draft
    stem: str = ""  #: of the log that waits in the spool, else ""
