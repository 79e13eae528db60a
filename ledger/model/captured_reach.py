"""Say how far a captured log tells of a host's session: the spans that its header names (FORMAT.md, C3).

`observed: 1795682412417 0-57` are observations 0 to 56 of the spool that began at that millisecond, and
`transcript: 87bdddb9.jsonl 0-184223` are bytes of the transcript of that name.
"""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OBSERVED, TRANSCRIPT = "observed", "transcript"
#: More digits than any count of bytes has; a file is not larger.
_DIGITS = 18


class Span(Record):
    """A part of what a session left: from `start` up to `end` of what bears a name."""

    name: str
    start: int
    end: int

    def __str__(self) -> str:
        """Write it as a header does."""
        return f"{self.name} {self.start}-{self.end}"


def span_of(value: str) -> Span | None:
    """Read a span of a header; None where it is none."""
    name, _, numbers = value.rpartition(" ")
    start, dash, end = numbers.partition("-")
    if not (name and dash and _is_number(start) and _is_number(end)):
        return None
    return Span(name, int(start), int(end))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS


def reach_in(header: Mapping[str, str]) -> tuple[str, ...]:
    """Return the host and the spans of a captured log, as its header writes them; () of any other log."""
    observed, transcript = header.get(OBSERVED, ""), header.get(TRANSCRIPT, "")
    return (header.get("host", ""), observed, transcript) if observed or transcript else ()
