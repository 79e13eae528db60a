"""Write and read the headers `shown`, `told` and `characters` of a captured log (FORMAT.md, W13).

The first has the facts that briefs and news showed to its session, the second those that were told when
they were needed; the last how many characters both were.

The report alone reads it. A log names those that no log of the session named before; of two that were
written at once both may name a fact, so it counts once for each session.
"""

from __future__ import annotations

from ledger.model.ids import is_fact_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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


def shown_in(value: str) -> tuple[tuple[str, ...], int]:
    """Read the header: the ids, each once, and how many facts there were beside them."""
    parts = [part.strip() for part in value.split(",")]
    ids = dict.fromkeys([part for part in parts if is_fact_id(part)])
    more = [part[1:] for part in parts if part[:1] == "+"]
    counted = [int(one) for one in more if one.isascii() and one.isdigit() and len(one) < 10]
    return tuple(ids), sum(counted)


def cost_in(value: str) -> tuple[int, int]:
    """Read how many characters a session was shown, and told; 0 for what is no count."""
    shown, _, told = value.partition(", told ")
    counts = [
        int(one) if one.isascii() and one.isdigit() and len(one) < 10 else 0
        for one in (shown, told)
    ]
    return counts[0], counts[1]


def cost_since(now: tuple[int, int], told: tuple[int, int]) -> str:
    """Write that header for what came since a log told of it; "" for nothing.

    Args:
        now: how many characters a session was shown, and told.
        told: how many of them logs of it tell; of a count that began anew none.
    """
    shown, needed = [new - old if old <= new else new for new, old in zip(now, told, strict=True)]
    return f"{shown}, told {needed}" if needed else str(shown or "")
