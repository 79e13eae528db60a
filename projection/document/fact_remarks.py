"""Say what a reader has to know of the text of a fact: that it is closed, or false, or names what is gone.

One body for every answer, so that none shows what does not hold as if it held.
"""

from __future__ import annotations

from ledger.model.record import TYPE_CHECKING, Record
from projection.fold.fact_history import Fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Met = dict[str, tuple[str, ...]]

#: So many names stand in the words of a mark; it has all that stand instead.
_NAMED = 8


GONE, RENAMED, NOWHERE, ENDED, FAILS = "gone", "renamed", "nowhere", "ended", "fails"
ELSEWHERE, OTHERWISE = "elsewhere", "otherwise"


class Gone(Record):
    """Something that a fact names and a commit took away after the fact was written; or the fact."""

    #: `GONE` or `RENAMED` of a path, `NOWHERE` of a name of code, `FAILS` of what the fact is checked by,
    #: `ENDED` and `ELSEWHERE` of the fact, `OTHERWISE` of one that is something else elsewhere
    code: str
    subject: str  #: as the fact writes it; what came true, of one that ended; all, of one elsewhere
    #: that took it away, in short, "" where a day ended the fact; elsewhere of the work
    commit: str
    date: str  #: of that commit, `YYYY-MM-DD`
    now: str = ""  #: the path that it has since, "" for none

    @property
    def said(self) -> str:
        """The mark as one reads it."""
        if self.code in (ELSEWHERE, OTHERWISE):
            return self.subject
        if self.code == ENDED:
            by = f"by {self.commit}, {self.subject}, {self.date}"
            return f"ended {by}" if self.commit else f"ended on {self.date}"
        if self.code == FAILS:
            return f"its check fails since {self.commit}, {self.date}: {self.subject}"
        if self.now:
            return f"{self.subject} is {self.now} since {self.commit}, {self.date}"
        gone = "is gone from the code" if self.code == NOWHERE else "is gone"
        return f"{self.subject} {gone} since {self.commit}, {self.date}"


class Mark(Record):
    """How a fact is marked."""

    closed: bool = False  #: it is a thread, and done
    false: bool = False  #: it was superseded or invalidated
    instead: tuple[str, ...] = ()  #: ids of what stands in its place
    said: str = ""  #: all of that in words, "" for what simply holds
    text: str = ""  #: how the text of what stands in its place begins, where one thing does
    gone: tuple[Gone, ...] = ()  #: what it names that the code no longer has, and what is elsewhere
    here: Elsewhere | None = None  #: what of it HEAD does not hold

    @property
    def ended(self) -> bool:
        """Whether what ends the fact, as its footer says, came true."""
        return is_ended(self.gone)

    @property
    def weight(self) -> float:
        """By which its score counts among what answers a question: less where HEAD does not hold it."""
        return 1.0 if self.here is None or self.here.holds else _ELSEWHERE_WEIGHT

    @property
    def behind(self) -> str:
        """What stands behind the words of the fact: what of it a commit made untrue."""
        return f" ({'; '.join([one.said for one in self.gone])})" if self.gone else ""

    @property
    def standing(self) -> str:
        """What is said of what holds all the same: that a pattern did not hold up."""
        return "" if self.closed or self.false else self.said

    @property
    def whole(self) -> str:
        """What stands before the words of the fact, in the same line."""
        return f"{self.said} ({self.text})" if self.text else self.said


def is_gone(gone: Iterable[Gone]) -> bool:
    """Tell whether one of some marks says that what a fact names is not there any more."""
    return any(one.code not in (ELSEWHERE, OTHERWISE) for one in gone)


def is_behind(gone: Iterable[Gone]) -> bool:
    """Tell whether some marks put a fact behind those that hold."""
    return bool([1 for one in gone if one.code != OTHERWISE])


def is_ended(gone: Iterable[Gone]) -> bool:
    """Tell whether one of some marks says that the fact has ended: it stands behind all others (U3)."""
    return any(one.code == ENDED for one in gone)


_ELSEWHERE_WEIGHT = 0.8
PLAIN = Mark()
_BEGINNING_CHARS = 80


def mark_of(fact: Fact | None, known: Callable[[str], Fact | None], met: Met | None = None) -> Mark:
    """Mark a fact where it stands now; what is none has no mark.

    `met` is kept by whoever marks many facts of one state (`instead_of`).
    """
    if fact is None or not (fact.closed or fact.superseded_by or fact.invalidated_at):
        return PLAIN
    if not fact.superseded_by:
        said = "invalidated" if fact.invalidated_at else "closed"
        return Mark(fact.closed, fact.false, (), said)
    instead = instead_of(fact, known, met)
    said = f"superseded by {some_of(fact.superseded_by, ', ')}"
    if instead != tuple(sorted(fact.superseded_by)):
        said += f"; {some_of(instead, ' and ') or 'nothing'} stands instead"
    other = known(instead[0]) if len(instead) == 1 else None
    text = "" if other is None or other.redacted else beginning(other.text)
    return Mark(fact.closed, True, instead, said, text)


def beginning(text: str) -> str:
    """Return how a text begins, cut at a word."""
    from projection.text.clipping import clipped

    return clipped(" ".join(text.split()), _BEGINNING_CHARS)


def instead_of(
    fact: Fact, known: Callable[[str], Fact | None], met: Met | None = None
) -> tuple[str, ...]:
    """Return what stands in the place of a superseded fact, by id; nothing where all of that is false too.

    Supersessions close no circle (F6). `met` is what was found for other facts of one state, by id: in
    a long row nothing is looked for twice.
    """
    met = {} if met is None else met
    todo = [fact]
    begun: set[str] = set()
    while todo:
        here = todo[-1]
        if here.id in met:
            todo.pop()
        elif here.id not in begun:
            begun.add(here.id)
            for name in here.superseded_by:
                other = known(name) if name not in met else None
                if other is None:
                    met.setdefault(name, ())
                elif not other.false:
                    met[name] = (name,)
                elif name not in begun:
                    todo.append(other)
        else:
            ends = {id(met[name]): met[name] for name in here.superseded_by if met.get(name)}
            some = [*ends.values()]
            met[here.id] = some[0] if len(some) == 1 else tuple(sorted(set().union(*some)))
            todo.pop()
    return met[fact.id]


def some_of(names: Sequence[str], joint: str) -> str:
    """Name facts in a line: of many the first few, and how many more."""
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED + 1 else []
    return joint.join([*(names[:_NAMED] if more else names), *more])


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
