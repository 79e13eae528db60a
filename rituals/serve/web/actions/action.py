"""Define what a form can record, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.api import Memory
from rituals.serve.web.actions.form_fields import Fields


class Recorded(Record):
    """What was recorded."""

    stems: tuple[str, ...] = ()  #: of the logs; none where there was nothing to record
    commits: tuple[str, ...] = ()  #: that have them, in the same order
    does: tuple[str, ...] = ()  #: what they do, a line each
    already: str = ""  #: why there was nothing to record, "" if there was
    title: str = ""  #: of the log
    command: str = ""  #: that does the same on the command line
    #: what was noticed: a secret that is redacted, an id that is odd
    findings: tuple[Finding, ...] = ()
    reversible: bool = True  #: whether a log can take it back
    publishes: bool = False  #: whether pages are published behind it, as behind a review
    facts: tuple[str, ...] = ()  #: the ids that were born with it


#: Appends the log that a form asks for; a refusal is a `DiurnaError`, and has changed nothing.
Action = Callable[[Memory, Fields], Recorded]
