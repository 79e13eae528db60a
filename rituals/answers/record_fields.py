"""Describe records by their fields: what all objects of `--json` answers, and failures, are made of."""

from __future__ import annotations

from ledger.model.findings import Finding
from ledger.model.record import Record
from projection.document.fact_remarks import YES, Elsewhere, Mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Failure(Record):
    """How an exception is reported."""

    exit_code: int  #: of the command
    code: str  #: the class's name, for scripts
    message: str  #: one sentence
    where: str  #: a file and line, a folder, or the command
    hint: str = ""  #: what to do
    findings: tuple[Finding, ...] = ()  #: all that was wrong with a draft
    stem: str = ""  #: of the log that waits in the spool, else ""


#: Of what HEAD holds.
_HERE = Elsewhere("", YES, "", "", "", "")


def fields_of(value: object, names: str) -> dict[str, Any]:
    """Describe a value by some of its fields: keys are the fields' names, tuples become lists.

    The names have blanks between, and are told in that order.
    """
    found: dict[str, Any] = {}
    for name in names.split():
        said = getattr(value, name)
        found[name] = list(said) if isinstance(said, tuple) else said
    return found


def all_fields_of(value: Any) -> dict[str, Any]:
    """Describe a record by all of its fields."""
    return fields_of(value, " ".join(value._fields))


def mark_object(mark: Mark) -> dict[str, Any]:
    """Describe what a reader has to know before the text of a fact."""
    gone = [all_fields_of(one) for one in mark.gone]
    row = mark.here or _HERE
    here = {**fields_of(row, "here branch point landed how"), "text_here": row.text}
    return {**fields_of(mark, "closed false instead"), "marks": gone, **here}
