"""Sum up the lives of facts: ages, uses, who wrote what was false, reviews that were skipped.

Whole numbers only. Quartiles are observed values, the smallest that at least a quarter, a half or three
quarters of all do not exceed (definition 1 of Hyndman and Fan, The American Statistician 50, 1996).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.model.record import Record
from ledger.model.session import Entry
from projection.fold.live_view import BY_HAND, CLOSED, FADED, INVALIDATED, SUPERSEDED
from projection.lifecycle.lives import RETURNED, Life, Moment
from projection.policy.model import Policy

#: The fewest values whose middle means anything.
ENOUGH = 3


class Spread(Record):
    """The quartiles of some numbers, and how many there are; all 0 where there are too few."""

    size: int
    lower: int = 0
    median: int = 0
    upper: int = 0

    @property
    def enough(self) -> bool:
        """Whether the quartiles mean anything."""
        return self.size >= ENOUGH


class Ages(Record):
    """How old facts were when something happened to them, in work sessions and in days.

    A fact to which it happened twice counts twice.
    """

    sessions: Spread
    days: Spread


class Group(Record):
    """What became of the facts of one kind, or of all."""

    kind: str  #: its name, "" for all
    facts: int  #: how many there are; the next four add up to it
    live: int  #: how many stand in `continuity.md`
    faded: int  #: how many stand in the archive unused
    closed: int  #: how many threads stand there closed
    false: int  #: how many are superseded or invalidated
    uses: Spread  #: logs that use a fact (F4)
    fading: Ages  #: ages at which facts became archived
    returns: int  #: how often an archived fact came back
    superseding: Ages  #: ages at which facts were superseded
    invalidating: Ages  #: ages at which facts were invalidated
    closing: Ages  #: ages at which threads were closed


class Author(Record):
    """What became of the facts that one agent created."""

    agent: str  #: "" where nobody is named
    facts: int  #: how many there are
    false: int  #: how many of them are superseded or invalidated
    unused: int  #: how many faded without a use by another log than that of the birth


class Reviews(Record):
    """How the reviews were kept. One is due by every `every` work sessions without one."""

    every: int  #: of the policy, 0 for never
    held: int  #: reviews in the ledger
    early: int  #: how many of them came before they were due
    skipped: int  #: how often one was due, and the next one came due before any was held
    due: bool  #: whether one is due now


def spread(numbers: Iterable[int]) -> Spread:
    """Return the quartiles of some numbers."""
    ordered = sorted(numbers)
    count = len(ordered)
    if count < ENOUGH:
        return Spread(count)
    return Spread(count, *[ordered[(count * quarter + 3) // 4 - 1] for quarter in (1, 2, 3)])


def groups_of(lives: Sequence[Life], kinds: Sequence[str]) -> tuple[Group, ...]:
    """Group lives by kind: those that there are, in the order of the policy and then by name."""
    there: dict[str, list[Life]] = {}
    for life in lives:
        there.setdefault(life.kind, []).append(life)
    names = [kind for kind in kinds if kind in there]
    names += sorted(set(there) - set(names))
    return tuple([group_of(kind, there[kind]) for kind in names])


def group_of(kind: str, lives: Sequence[Life]) -> Group:
    """Say what became of some facts."""
    moments = [moment for life in lives for moment in life.moments]
    reasons = [life.reason for life in lives]
    return Group(
        kind, facts=len(lives), live=reasons.count(""),
        faded=reasons.count(FADED) + reasons.count(BY_HAND), closed=reasons.count(CLOSED),
        false=reasons.count(SUPERSEDED) + reasons.count(INVALIDATED),
        uses=spread(life.uses for life in lives), fading=_ages(moments, FADED),
        returns=sum(1 for moment in moments if moment.what == RETURNED),
        superseding=_ages(moments, SUPERSEDED), invalidating=_ages(moments, INVALIDATED),
        closing=_ages(moments, CLOSED),
    )  # fmt: skip


def _ages(moments: Iterable[Moment], what: str) -> Ages:
    chosen = [(one.age_sessions, one.age_days) for one in moments if one.what == what]
    return Ages(spread(sessions for sessions, _ in chosen), spread(days for _, days in chosen))


def authors_of(lives: Iterable[Life]) -> tuple[Author, ...]:
    """Say what became of what each agent created: most false facts first, then most facts."""
    there: dict[str, list[Life]] = {}
    for life in lives:
        there.setdefault(life.agent, []).append(life)
    found = []
    for agent, made in there.items():
        false = sum(1 for life in made if life.tier == "superseded")
        unused = sum(1 for life in made if life.tier == "archived" and life.last <= life.born)
        found.append(Author(agent, len(made), false, unused))
    return tuple(sorted(found, key=lambda one: (-one.false, -one.facts, one.agent)))


def reviews_of(entries: Iterable[Entry], policy: Policy) -> Reviews:
    """Say how the reviews were kept, by the count of work sessions alone.

    Entries come in ledger order, and the policy counts as if it always had been in force.
    """
    every = policy.review.every
    held = early = skipped = since = 0
    for entry in entries:
        if entry.work:
            since += 1
            skipped += bool(every and since > every and since % every == 0)
        elif entry.type == "review":
            held += 1
            early += since < every
            since = 0
    return Reviews(every, held, early, skipped, 0 < every <= since)
