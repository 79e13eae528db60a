"""Define what a form can record, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from ledger.model.record import Record
from rituals.serve.web.actions.fields import Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.model.findings import Finding
    from memory.api import Memory


class Recorded(Record):
    """What was recorded.

    Args:
        stems: of the logs; none where there was nothing to record.
        commits: that have them, in the same order.
        does: what they do, a line each.
        already: why there was nothing to record, "" if there was.
        title: of the log.
        command: that does the same on the command line.
        findings: what was noticed: a secret that is redacted, an id that is odd.
        reversible: whether a log can take it back.
    """

    stems: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    does: tuple[str, ...] = ()
    already: str = ""
    title: str = ""
    command: str = ""
    findings: tuple[Finding, ...] = ()
    reversible: bool = True


class Action(Record):
    """Something that a form records.

    Args:
        name: in the address that the form is posted to.
        record: appends the log; a refusal is a `DiurnaError`, and has changed nothing.
    """

    name: str
    record: Callable[[Memory, Fields], Recorded]
