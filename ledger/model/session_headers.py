"""Write and read the headers of a captured log: how far it tells of a session, and what that was shown.

`observed: 1795682412417 0-57` are observations 0 to 56 of the spool that began at that millisecond, and
`transcript: 87bdddb9.jsonl 0-184223` are bytes of the transcript of that name (FORMAT.md, C3).

`shown` has the facts that briefs and news showed to its session, `told` those that were told when they
were needed, `characters` how many characters both were (FORMAT.md, W13). The report alone reads these. A
log names the facts that no log of the session named before; of two that were written at once both may name
a fact, so it counts once for each session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ledger.model.ids import is_fact_id
from ledger.model.record import Record

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


SHOWN_KEY, TOLD_KEY, COST_KEY = "shown", "told", "characters"
#: How many ids one log names; of the others it says how many there were.
SHOWN_IDS = 200


def shown_value(ids: Sequence[str], more: int = 0) -> str:
    """Write such a header for facts and `more` unnamed ones; "" where there is nothing to name."""
    more += len(ids[SHOWN_IDS:])
    return ", ".join([*ids[:SHOWN_IDS], *([f"+{more}"] if more else [])])


def shown_since(ids: Sequence[str], told: int, seen: int) -> str:
    """Return the header for facts that a session met and no log of it names.

    Args:
        ids: those that it met, in order.
        told: how many of them logs of it name.
        seen: how many it met, those too that are not listed.
    """
    told = told if told <= seen else 0
    return shown_value(ids[told:], seen - max(told, len(ids)))


def shown_in(value: str) -> tuple[str, ...]:
    """Read the ids of the header, each once."""
    parts = [part.strip() for part in value.split(",")]
    return tuple(dict.fromkeys([part for part in parts if is_fact_id(part)]))


def cost_in(value: str) -> tuple[int, int]:
    """Read how many characters a session was shown, and told; 0 for what is no count."""
    shown, _, told = value.partition(", told ")
    return int(shown) if _is_number(shown) else 0, int(told) if _is_number(told) else 0


def cost_since(now: tuple[int, int], told: tuple[int, int]) -> str:
    """Write that header for what came since a log told of it; "" for nothing.

    Args:
        now: how many characters a session was shown, and told.
        told: how many of them logs of it tell; of a count that began anew none.
    """
    shown, needed = [new - old if old <= new else new for new, old in zip(now, told, strict=True)]
    return f"{shown}, told {needed}" if needed else str(shown or "")
