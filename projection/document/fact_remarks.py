"""Say what a reader has to know of the text of a fact: that it is closed, or false, or names what is gone.

One body for every answer, so that none shows what does not hold as if it held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ledger.model.record import Record
from projection.document.branch_remarks import Elsewhere
from projection.fold.fact_history import Fact

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
        return gone_said(self.gone)

    @property
    def standing(self) -> str:
        """What is said of what holds all the same: that a pattern did not hold up."""
        return "" if self.closed or self.false else self.said

    @property
    def whole(self) -> str:
        """What stands before the words of the fact, in the same line."""
        return f"{self.said} ({self.text})" if self.text else self.said


def gone_said(gone: Iterable[Gone]) -> str:
    """Say what is gone, as it stands behind a text; "" for nothing."""
    said = "; ".join([one.said for one in gone])
    return f" ({said})" if said else ""


def is_gone(gone: Iterable[Gone]) -> bool:
    """Tell whether one of some marks says that what a fact names is not there any more."""
    return any(one.code not in (ELSEWHERE, OTHERWISE) for one in gone)


def is_behind(gone: Iterable[Gone]) -> bool:
    """Tell whether some marks put a fact behind those that hold."""
    return any(one.code != OTHERWISE for one in gone)


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
