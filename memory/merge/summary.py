"""Count what the logs that arrived change in memory, by the facts that they name."""

from __future__ import annotations

from ledger.model.record import Record
from projection.document.archive import summary_of
from projection.fold.fold import collect, merged, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.model.session import Entry
    from memory.replay.snapshot import Snapshot
    from projection.fold.fact import Fact


#: What can be said of a fact, in the order of the counts of `Learned`.
_WORDS = "new", "updated", "superseded", "closed", "contradiction"


class Learned(Record):
    """How many facts are new, have a new text, are false now, are closed, and are contested now.

    `named` has each of them: what is said of it, its id, and how its text begins.
    """

    new: int = 0
    updated: int = 0
    superseded: int = 0
    closed: int = 0
    contradictions: int = 0
    named: tuple[tuple[str, str, str], ...] = ()


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
    named: list[tuple[str, str, str]] = []
    for name, history in merged(known, news).items():
        before = resolve(name, known[name]) if name in known else None
        after = resolve(name, history)
        if after is not None:
            changes = _changes(before, after)
            counts = [count + one for count, one in zip(counts, changes, strict=True)]
            said = [word for word, one in zip(_WORDS, changes, strict=True) if one]
            if said:
                named.append((", ".join(said), name, summary_of(after)))
    named.sort(key=lambda one: (_WORDS.index(one[0].split(",")[0]), one[1]))
    new, updated, superseded, closed, contradictions = counts
    return Learned(new, updated, superseded, closed, contradictions, tuple(named))


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
