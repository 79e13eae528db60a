"""Say what changed between two states: what is new, faded, came back or became false; what fades next."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from ledger.model.record import TYPE_CHECKING, Record
from projection.fold.live_view import BY_HAND, CLOSED, FADED, Decay, Standing
from projection.policy.model import Policy

if TYPE_CHECKING:
    from projection.fold.full_replay import State

#: What fades within so many work days is told.
WEEK_DAYS = 5


class Change(Record):
    """A fact whose tier changed."""

    id: str
    before: str
    after: str


class Fading(Record):
    """A live fact that is archived after so much more work that does not name it."""

    id: str  #: of the fact
    left: int  #: work sessions, at the least
    days: int = 0  #: work days that they have to be spread over; 0 where the policy asks for none


class Ageing(Record):
    """What happened between two states."""

    born: tuple[str, ...] = ()  #: ids of the facts that are new
    changed: tuple[Change, ...] = ()  #: facts whose tier changed, by id
    faded: tuple[str, ...] = ()  #: ids of the facts that went to the archive unused
    swept: tuple[str, ...] = ()  #: ids of the closed threads that went there
    returned: tuple[str, ...] = ()  #: ids of the facts that came back from it
    false: tuple[str, ...] = ()  #: ids of the facts that were superseded or invalidated
    fading: tuple[Fading, ...] = ()  #: what goes to the archive next, soonest first


#: Where what went to the archive is told, by its reason.
_WENT = {FADED: "faded", BY_HAND: "faded", CLOSED: "swept"}


def ageing(before: State | None, now: Sequence[Standing], decay: Decay, policy: Policy) -> Ageing:
    """Compare the facts of an earlier state with those of now.

    With None for the earlier state only what fades next is told; `decay` is of all work logs.
    """
    next_out = fading(now, decay, policy)
    if before is None:
        return Ageing(fading=next_out)
    groups: dict[str, list[str]] = {
        name: [] for name in ("born", "faded", "swept", "returned", "false")
    }
    changed: list[Change] = []
    for standing in now:
        fact, earlier = standing.fact.id, before.get(standing.fact.id)
        if earlier is None:
            groups["born"].append(fact)
        elif earlier.tier != standing.tier:
            changed.append(Change(fact, earlier.tier, standing.tier))
        if standing.live:
            groups["returned"] += [fact] * (earlier is not None and not earlier.live)
        elif earlier is None or earlier.live or earlier.reason != standing.reason:
            groups[_WENT.get(standing.reason, "false")].append(fact)
    born, faded, swept, returned, false = map(tuple, groups.values())
    return Ageing(born, tuple(changed), faded, swept, returned, false, next_out)


def fading(now: Iterable[Standing], decay: Decay, policy: Policy) -> tuple[Fading, ...]:
    """Return the live facts that would be archived before the next review is due, soonest first.

    Where the windows ask for days, only those that would be within a week's work days.
    """
    return soonest([left_of(standing, decay, policy) for standing in now], policy)


def horizon(policy: Policy) -> int:
    """Return within how many work sessions a fact has to fade to be told."""
    sessions = policy.review.every or policy.windows.active
    return max(sessions, WEEK_DAYS) if policy.windows.archive_days else sessions


def soonest(found: Iterable[Fading | None], policy: Policy) -> tuple[Fading, ...]:
    """Return those that are to be told, soonest first."""
    told = [one for one in found if one and one.left <= horizon(policy) and one.days <= WEEK_DAYS]
    return tuple(sorted(told, key=lambda one: (one.left, one.days, one.id)))


def left_of(standing: Standing, decay: Decay, policy: Policy) -> Fading | None:
    """Return how much work may still pass without a fact before it is archived; None: it stays."""
    fact = standing.fact
    if not standing.live or standing.tier == "core" or fact.open:
        return None
    # a closed thread is swept or fades, whichever comes first
    oldest = min(fact.anchor, fact.closed_at) if fact.closed else fact.anchor
    return left_from(fact.id, oldest, decay, policy)


def left_from(fact: str, oldest: str, decay: Decay, policy: Policy) -> Fading:
    """Return how much work may still pass without a fact that ages from a stem on."""
    sessions, days = policy.windows.of("archive")
    days = max(days + 1 - decay.days_behind(oldest), 0) if days else 0
    behind = len(decay.work) - bisect_right(decay.work, oldest)
    return Fading(fact, max(sessions + 1 - behind, days), days)
