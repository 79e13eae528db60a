"""Define what is told of the life of a fact, keep track of one while it is walked, and walk plain ones.

A plain fact was created once, then used, reworded or confirmed, and no more. Most facts of any ledger are.
Where one stands follows from three numbers alone, the sessions of its birth, of its last use and of now:
nothing has to be resolved on the way. `lives` says the same the long way, of every fact. What changed
between two states is said as transitions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ledger.model import event as log_events
from ledger.model.ids import WITHHELD
from ledger.model.order import milliseconds_of
from ledger.model.record import Record
from ledger.model.session import IMPORT_KEYS
from projection.fold.fact_history import Act, Fact
from projection.fold.full_replay import State
from projection.fold.projection_state import (
    ARCHIVED_TIERS,
    BY_HAND,
    CLOSED,
    FADED,
    INVALIDATED,
    SUPERSEDED,
    Standing,
)
from projection.fold.tiers import Decay
from projection.policy.model import CLOSABLE, DEFAULT_KIND, Policy

#: What can happen to a fact, beside `faded`, `superseded`, `invalidated` and `closed` of `state`.
RETURNED, REINSTATED = "returned", "reinstated"
_DAY_MS = 86_400_000


class Moment(Record):
    """Something that happened to a fact."""

    what: str  #: `faded`, `returned`, `superseded`, `invalidated`, `reinstated` or `closed`
    stem: str  #: the log at which it did; for what the clock did alone, the work log that moved it
    session: int  #: how many work logs there were, that one included
    age_sessions: int  #: work logs behind the birth by then
    age_days: int  #: calendar days since the birth


class Life(Record):
    """One fact from its birth to where it stands at the end."""

    id: str  #: of the fact
    kind: str  #: of it, at the end
    agent: str  #: who wrote the log of its birth, "" where nobody is named
    born: str  #: where age counts from; compares with stems
    session: int  #: how many work logs there were then
    uses: int  #: logs that use it (F4)
    last: str  #: the newest of them, "" if none
    tier: str  #: at the end
    reason: str  #: why it is archived then, "" for a live one
    moments: tuple[Moment, ...]  #: what happened, oldest first
    #: (session, tier) for each session at whose end it stood in another tier than before
    spans: tuple[tuple[int, str], ...]


class Track:
    """What happened to one fact so far.

    Args:
        born: where its age counts from.
        birth: how many work logs there were then.
    """

    def __init__(self, born: str = "", birth: int = 0) -> None:
        self.moments: list[Moment] = []
        self.spans: list[tuple[int, str]] = []
        self.tier = ""
        self._born, self._birth = born, birth
        self._closed = True  # one that is closed at birth was not closed by anything

    def step(self, fact: Fact, session: int, stem: str, tier: str, birth: int) -> None:
        """Note where the fact stands from a log on.

        `session` is how many work logs there are then, `birth` how many there were when it was born.
        """
        self._born, self._birth = fact.born, birth
        if tier != self.tier:
            self.turn(session, stem, tier, superseded=bool(fact.superseded_by))
        if fact.closed and not self._closed:
            self._note(CLOSED, session, stem)
        self._closed = fact.closed

    def turn(self, session: int, stem: str, tier: str, *, superseded: bool = False) -> None:
        """Note that the fact stands in another tier from a log on."""
        before, self.tier = self.tier, tier
        if tier == "archived":
            self._note(FADED, session, stem)
        elif tier == "superseded":
            self._note(SUPERSEDED if superseded else INVALIDATED, session, stem)
        elif before in ARCHIVED_TIERS:
            self._note(RETURNED if before == "archived" else REINSTATED, session, stem)
        if self.spans and self.spans[-1][0] == session:
            self.spans.pop()
        self.spans.append((session, tier))

    def _note(self, what: str, session: int, stem: str) -> None:
        days = _day_of(stem[:10]) - _day_of(self._born[:10])
        age = max(session - self._birth, 0)
        self.moments.append(Moment(what, stem, session, age, max(days, 0)))


@lru_cache(maxsize=4096)
def _day_of(date: str) -> int:
    """Return the number of a day; moments of many facts share it."""
    return milliseconds_of(date) // _DAY_MS


#: What changes neither where a fact stands nor since when it counts, by its type alone.
_IDLE = (
    log_events.FactVerified, log_events.FactReferenced, log_events.FactHelped,
    log_events.FactIgnored,
)  # fmt: skip


def plain_kind(id: str, acts: Sequence[Act]) -> str:
    """Return the kind of a plain fact; "" for one of which there is more to tell.

    `acts` is all that logs say of it, in ledger order.
    """
    if not acts:
        return ""
    birth = acts[0].event
    if (
        type(birth) is not log_events.FactCreated
        or birth.mark
        or (birth.text or WITHHELD)[:1] == WITHHELD
    ):
        return ""
    kind = ""
    for key, value in birth.meta:
        if key == "kind":
            kind = value
        elif key in IMPORT_KEYS:
            return ""  # it was born before that log
    for act in acts[1:]:
        event = act.event
        if type(event) is log_events.FactUpdated:
            if any(key == "kind" for key, _ in event.meta):
                return ""
        elif type(event) is log_events.FactSuperseded:
            if event.id == id:
                return ""  # and not only the one that took another's place
        elif type(event) not in _IDLE:
            return ""
    kind = kind or DEFAULT_KIND
    return "" if kind in CLOSABLE else kind


class PlainWalker:
    """Walks plain facts along one ledger.

    Args:
        decay: of its work logs.
        numbers: which session each of them is, from 1 on.
        lasting: the kinds that never decay.
    """

    def __init__(self, decay: Decay, numbers: Mapping[str, int], lasting: frozenset[str]) -> None:
        self._work, self._decay, self._numbers = decay.work, decay, numbers
        self._lasting = lasting

    def walk(self, id: str, kind: str, born: str, uses: Sequence[str], agent: str) -> Life:
        """Return the life of a plain fact.

        `born` is the stem of the log that created it, `uses` are those of the logs that use it, in
        order; `agent` wrote the first of them.
        """
        birth = self._position(born)
        last = uses[-1] if uses else ""
        track = Track(born, birth)
        if kind in self._lasting:
            track.turn(birth, born, "core")
        else:
            self._walk(track, born, birth, uses)
        reason = FADED if track.tier == "archived" else ""
        return Life(
            id, kind, agent, born, birth, len(uses), last,
            track.tier, reason, tuple(track.moments), tuple(track.spans),
        )  # fmt: skip

    def _walk(self, track: Track, born: str, birth: int, uses: Sequence[str]) -> None:
        """Follow a fact that decays from its birth to the end."""
        passed, end = self._decay.passed, len(self._work)
        young_until = passed(born, "working", birth) - 1
        used = bisect_right(uses, born)  # what named it before it was there counts, too
        anchor = self._position(uses[used - 1]) if used else birth
        point, since, at = born, uses[used - 1] if used else born, birth
        while True:
            following = uses[used] if used < len(uses) else ""
            until = end
            if following:
                session = self._numbers.get(following, 0)
                until = session - 1 if session else self._position(following)
            young = young_until if used <= 1 else -1
            active = passed(since, "active", anchor) - 1
            # between two uses near to each other nothing happens
            if track.tier != "active" or young >= 0 or until > active:
                archive = passed(since, "archive", anchor) - 1
                for turn, tier in _stretch(young, active, archive, at, until):
                    if tier != track.tier:
                        track.turn(turn, point if turn == at else self._work[turn - 1], tier)
            if not following:
                return
            used, point, since = used + 1, following, following
            at = anchor = session or until

    def _position(self, stem: str) -> int:
        return self._numbers.get(stem) or bisect_right(self._work, stem)


def _stretch(
    young: int, active: int, archive: int, at: int, until: int
) -> Iterator[tuple[int, str]]:
    """Yield (session, tier) wherever the tier may change from one log on a fact to the next.

    The last session in which it is too young to have been used twice, -1 for none, in which it is active,
    and before it fades; that of the log, and the last one before the next.
    """
    for session in sorted({at, young + 1, active + 1, archive + 1}):
        if at <= session <= until:
            if session <= young:
                yield session, "working"
            elif session <= active:
                yield session, "active"
            else:
                yield session, "archive-candidate" if session <= archive else "archived"


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


def ageing(before: State | None, now: Sequence[Standing], decay: Decay, policy: Policy) -> Ageing:
    """Compare the facts of an earlier state with those of now.

    With None for the earlier state only what fades next is told; `decay` is of all work logs.
    """
    next_out = fading(now, decay, policy)
    if before is None:
        return Ageing(fading=next_out)
    born: list[str] = []
    changed: list[Change] = []
    faded: list[str] = []
    swept: list[str] = []
    returned: list[str] = []
    false: list[str] = []
    for standing in now:
        fact = standing.fact.id
        earlier = before.get(fact)
        if earlier is None:
            born.append(fact)
            if standing.live:
                continue
        elif earlier.tier != standing.tier:
            changed.append(Change(fact, earlier.tier, standing.tier))
        if earlier is not None and standing.live and not earlier.live:
            returned.append(fact)
        if standing.live or (earlier is not None and not earlier.live and
                             earlier.reason == standing.reason):  # fmt: skip
            continue
        where = {FADED: faded, BY_HAND: faded, CLOSED: swept}.get(standing.reason, false)
        where.append(fact)
    return Ageing(
        tuple(born), tuple(changed), tuple(faded), tuple(swept), tuple(returned), tuple(false),
        next_out,
    )  # fmt: skip


def fading(now: Iterable[Standing], decay: Decay, policy: Policy) -> tuple[Fading, ...]:
    """Return the live facts that would be archived before the next review is due, soonest first.

    Where the windows ask for days, only those that would be within a week's work days.
    """
    horizon = policy.review.every or policy.windows.active
    if policy.windows.archive_days:
        horizon = max(horizon, WEEK_DAYS)
    found = []
    for standing in now:
        left = left_of(standing, decay, policy)
        if left and left.left <= horizon and left.days <= WEEK_DAYS:
            found.append(left)
    return tuple(sorted(found, key=lambda one: (one.left, one.days, one.id)))


def left_of(standing: Standing, decay: Decay, policy: Policy) -> Fading | None:
    """Return how much work may still pass without a fact before it is archived; None: it stays."""
    fact = standing.fact
    if not standing.live or standing.tier == "core" or fact.open:
        return None
    # a closed thread is swept or fades, whichever comes first
    oldest = min(fact.anchor, fact.closed_at) if fact.closed else fact.anchor
    sessions, days = policy.windows.of("archive")
    days = max(days + 1 - decay.days_behind(oldest), 0) if days else 0
    behind = len(decay.work) - bisect_right(decay.work, oldest)
    return Fading(fact.id, max(sessions + 1 - behind, days), days)
