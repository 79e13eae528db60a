"""Say of a fact what another branch says of it, and HEAD does not hold (B2)."""

from __future__ import annotations

from ledger.model.record import Record

#: Whether the work behind a fact is in HEAD.
YES, NO, REVERTED, UNKNOWN = "yes", "no", "reverted", "unknown"
#: What was said elsewhere: the fact itself, another text, what replaces it, that it is false, holds after
#: all, is closed, or open again.
BORN, REWORDED, REPLACED, FALSE, TRUE = "born", "reworded", "replaced", "false", "true"
CLOSED, REOPENED = "closed", "reopened"
#: The kinds of facts that speak of the code (B6).
OF_CODE = frozenset((
    "fact", "state", "stack", "pattern", "decision", "convention", "invariant", "attempt", "finding",
))  # fmt: skip
_PART_CHARS = 80
#: So many words at the end are told again: a unit says what a number is.
_SAME_WORDS = 2


class Elsewhere(Record):
    """What is said elsewhere of one fact, and was not of it here."""

    fact: str  #: its id
    here: str  #: `NO` or `REVERTED`
    change: str  #: what was said: `BORN`, `REWORDED`, …
    branch: str  #: on which it was said
    by: str  #: the agent who said it
    point: str  #: the commit that has the work, "" where none has it yet
    landed: str = ""  #: the commit that brought it, where that was reverted
    how: str = ""  #: how that one did
    reverted: str = ""  #: the commit that took it back
    when: str = ""  #: of that one, `YYYY-MM-DD`
    text: str = ""  #: what holds here; "" where nothing of it does
    other: str = ""  #: what holds there: the text, or the id of what stands instead
    #: the branch has been gone for so long that a brief says nothing of it any more
    gone: bool = False

    @property
    def holds(self) -> bool:
        """Whether something of the fact holds here all the same, or nobody can tell."""
        return self.change != BORN

    @property
    def said(self) -> str:
        """What stands behind the words of the fact."""
        if self.here == REVERTED:
            by = f"reverted by {self.reverted[:7]}, {self.when}"
            return by if self.change == BORN else f"{self._there}: {by}"
        there = self.branch if self.change == BORN else self._there
        if not self.point:
            return f"{there}, {_UNCOMMITTED}"
        return f"not here yet: {there}" if self.change == BORN else there

    @property
    def _there(self) -> str:
        if self.change == REWORDED:
            return f"{self.branch}: {differing(self.text, self.other)}"
        if self.change == REPLACED:
            return f"{self.branch} replaces it by {self.other}"
        return f"{self.branch} {_DOES[self.change]}"


_UNCOMMITTED = "not committed"
_DOES = {
    FALSE: "calls it false", TRUE: "says that it holds", CLOSED: "closed it", REOPENED: "opened it again",
}  # fmt: skip


def differing(text: str, other: str) -> str:
    """Return what of another text is not in a text, with the word before it: `after 5 s`."""
    from projection.text.clipping import clipped

    ours, theirs = text.split(), other.split()
    most = min(len(ours), len(theirs))
    begin = next((n for n in range(most) if ours[n] != theirs[n]), most)
    end = next((n for n in range(most - begin) if ours[-1 - n] != theirs[-1 - n]), most - begin)
    end = end if end > _SAME_WORDS else 0
    part = " ".join(theirs[max(0, begin - 1) : len(theirs) - end]) or " ".join(theirs)
    return clipped(part, _PART_CHARS).rstrip(".")
