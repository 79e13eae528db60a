"""Say what a reader has to know before the text of a fact: that it is closed, or false.

One body for every answer, so that none shows what does not hold as if it held.
"""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from projection.fold.fact import Fact


class Mark(Record):
    """How a fact is marked.

    Args:
        closed: it is a thread, and done.
        false: it was superseded or invalidated.
        instead: ids of what stands in its place.
        said: all of that in words, "" for what simply holds.
        text: how the text of what stands in its place begins, where one thing does.
    """

    closed: bool = False
    false: bool = False
    instead: tuple[str, ...] = ()
    said: str = ""
    text: str = ""

    @property
    def standing(self) -> str:
        """What is said of what holds all the same: that a pattern did not hold up."""
        return "" if self.closed or self.false else self.said

    @property
    def whole(self) -> str:
        """What stands before the words of the fact, in the same line."""
        return f"{self.said} ({self.text})" if self.text else self.said


PLAIN = Mark()
_BEGINNING_CHARS = 80


def mark_of(fact: Fact | None, known: Callable[[str], Fact | None]) -> Mark:
    """Mark a fact; what is none has no mark.

    Args:
        fact: where it stands now.
        known: finds a fact.
    """
    if fact is None or not (fact.closed or fact.superseded_by or fact.invalidated_at):
        return PLAIN
    if not fact.superseded_by:
        said = "invalidated" if fact.invalidated_at else "closed"
        return Mark(fact.closed, fact.false, (), said)
    instead = instead_of(fact, known)
    said = f"superseded by {', '.join(fact.superseded_by)}"
    if instead != tuple(sorted(fact.superseded_by)):
        said += f"; {' and '.join(instead) or 'nothing'} stands instead"
    other = known(instead[0]) if len(instead) == 1 else None
    text = "" if other is None or other.redacted else beginning(other.text)
    return Mark(fact.closed, True, instead, said, text)


def beginning(text: str) -> str:
    """Return how a text begins, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= _BEGINNING_CHARS:
        return line
    return line[:_BEGINNING_CHARS].rpartition(" ")[0].rstrip() + "…"


def instead_of(fact: Fact, known: Callable[[str], Fact | None]) -> tuple[str, ...]:
    """Return what stands in the place of a superseded fact, by id; nothing where all of that is false too.

    Args:
        fact: that may be superseded, once or in a row.
        known: finds a fact.
    """
    found: set[str] = set()
    seen, todo = {fact.id}, list(fact.superseded_by)
    while todo:
        name = todo.pop()
        other = None if name in seen else known(name)
        seen.add(name)
        if other is not None:
            todo += other.superseded_by
            if not other.false:
                found.add(name)
    return tuple(sorted(found))
