"""Count what the logs that arrived change in memory, by the facts that they name."""

from __future__ import annotations

from ledger.model.record import Record
from projection.fold.fold import collect, merged, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.model.session import Entry
    from memory.replay.snapshot import Snapshot
    from projection.fold.fact import Fact


class Learned(Record):
    """How many facts are new, have a new text, are false now, are closed, and are contested now."""

    new: int = 0
    updated: int = 0
    superseded: int = 0
    closed: int = 0
    contradictions: int = 0


def learned(snapshot: Snapshot, tip: str, entries: Sequence[Entry]) -> Learned:
    """Count what logs change.

    Args:
        snapshot: of the home.
        tip: the commit without them, "" for none.
        entries: of the logs.
    """
    news = collect(entries)
    if not news:
        return Learned()
    known = snapshot.cache(tip).some_histories(news) if tip else {}
    counts = [0, 0, 0, 0, 0]
    for name, history in merged(known, news).items():
        before = resolve(name, known[name]) if name in known else None
        after = resolve(name, history)
        if after is not None:
            for place, counted in enumerate(_changes(before, after)):
                counts[place] += counted
    return Learned(*counts)


def _changes(before: Fact | None, after: Fact) -> tuple[bool, ...]:
    contested = _contested(after) and not (before and _contested(before))
    if before is None:
        return True, False, after.false, False, contested
    return (
        False,
        after.text != before.text and not contested,
        after.false and not before.false,
        after.closed and not before.closed,
        contested,
    )


def _contested(fact: Fact) -> bool:
    return len(fact.heads) > 1 or len(fact.superseded_by) > 1 or fact.circular or fact.torn
