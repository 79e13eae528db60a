"""Trace the life of each fact: at which log it was archived, came back, was closed or became false.

Section 5 of the format, seen over time (T5). Each fact is walked once, over the logs that name it; between
two of them only the clock moves, and the sessions at which it changes the tier follow from the windows.
What a tier is, `tiers.tier` alone says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

from ledger.model import event as log_events
from ledger.model.log_names import is_date, is_stem, key_of, milliseconds_of
from ledger.model.record import Record
from ledger.model.session import Entry
from projection.fold.fact_history import Act, Fact, History
from projection.fold.fold import collect, resolve, with_uses
from projection.fold.full_replay import Cuts
from projection.fold.live_view import (
    ARCHIVED_TIERS,
    CLOSED,
    FADED,
    INVALIDATED,
    SUPERSEDED,
    Decay,
    never_decaying,
    stand,
    tier,
)
from projection.policy.model import Policy

#: What can happen to a fact, beside `faded`, `superseded`, `invalidated` and `closed` of `state`.
RETURNED, REINSTATED = "returned", "reinstated"
_DAY_MS = 86_400_000
#: What changes neither the tier of a fact nor whether it is closed, other than by its name.
_IDLE = (
    log_events.FactVerified, log_events.FactRedacted, log_events.FactReferenced,
    log_events.FactHelped, log_events.FactIgnored,
)  # fmt: skip


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


class Lives(Record):
    """All facts of a ledger by id, and the stems of its work logs."""

    lives: tuple[Life, ...]
    work: tuple[str, ...]


def lives_of(
    entries: Iterable[Entry],
    policy: Policy,
    progress: Callable[[int, int], None] | None = None,
    histories: Mapping[str, History] | None = None,
) -> Lives:
    """Work out how all facts of a ledger lived.

    Args:
        entries: of all logs, in any order.
        policy: in force; its windows hold for the whole past.
        progress: told how far this is, as (done, total).
        histories: what all logs say, where that was collected before.
    """
    ordered = sorted(entries, key=lambda entry: entry.stem)
    uses: dict[str, list[str]] = {}
    for entry in ordered:
        for fact in entry.named if entry.uses else ():
            uses.setdefault(fact, []).append(entry.stem)
    work = [entry.stem for entry in ordered if entry.work]
    agents = {entry.stem: entry.agent for entry in ordered}
    histories = collect(ordered) if histories is None else histories
    walker = _Walker(work, policy, Cuts(histories))
    found = []
    for number, fact in enumerate(sorted(histories)):
        if progress is not None and not number % 256:
            progress(number, len(histories))
        life = walker.walk(fact, histories[fact].acts, uses.get(fact, ()), agents)
        if life is not None:
            found.append(life)
    return Lives(tuple(found), tuple(work))


def tier_counts(
    lives: Iterable[Life], sessions: Sequence[int], tiers: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """Count facts at the ends of sessions: for each tier a count for each session.

    `sessions` are numbers, ascending; 0 is what was before the first.
    """
    places = {name: place for place, name in enumerate(tiers)}
    steps = [[0] * (len(sessions) + 1) for _ in tiers]
    for life in lives:
        before = None
        for session, name in life.spans:
            at = bisect_right(sessions, session - 1)  # the first one that is not before it
            if before is not None:
                steps[before][at] -= 1
            before = places[name]
            steps[before][at] += 1
    return tuple(tuple(accumulate(row[:-1])) for row in steps)


class _Walker:
    """Walks facts along one ledger.

    Args:
        work: stems of its work logs, in order.
        policy: in force.
        cuts: which supersessions do not count.
    """

    def __init__(self, work: Sequence[str], policy: Policy, cuts: Cuts) -> None:
        self._work, self._cuts = work, cuts
        self._decay = Decay(work, policy.windows)
        self._numbers = {stem: number for number, stem in enumerate(work, 1)}
        self._lasting = never_decaying(policy)

    def walk(
        self, id: str, acts: Iterable[Act], uses: Sequence[str], agents: Mapping[str, str]
    ) -> Life | None:
        """Return the life of a fact; None where no log brought a text of it."""
        said: dict[str, list[Act]] = {}
        full = False
        for act in acts:
            said.setdefault(_counts_from(act), []).append(act)
            event = act.event
            if isinstance(event, log_events.FactSuperseded | log_events.FactInvalidated):
                # by the texts that stand: then every text matters (F10)
                full = full or (event.id == id and event.was is not None)
        turns = self._cuts.turns(id)
        points = sorted({*said, *uses, *turns})
        known: list[Act] = []
        fact: Fact | None = None
        track = _Track()
        used, last = 0, ""
        for point, following in zip(points, (*points[1:], ""), strict=False):
            if used < len(uses) and uses[used] == point:
                used, last = used + 1, point
            news = said.get(point, ())
            known += news
            if point in turns or any(fact is None or full or _matters(act) for act in news):
                known.sort()
                history = History(used, last, tuple(known))
                fact = resolve(id, history, self._cuts.at(point, id, history))
            elif fact is not None:
                fact = with_uses(fact, used, last)
            if fact is not None:
                for session, stem, name in self._stretch(fact, point, following):
                    track.step(fact, session, stem, name, self._position(fact.born))
        if fact is None:
            return None
        now = stand(fact, self._decay.clock(), self._lasting)
        born = self._position(fact.born)
        return Life(
            id, fact.kind, agents.get(fact.origin, ""), fact.born, born, fact.uses, last,
            now.tier, now.reason, tuple(track.moments), tuple(track.spans),
        )  # fmt: skip

    def _stretch(self, fact: Fact, start: str, following: str) -> Iterator[tuple[int, str, str]]:
        """Yield (session, stem, tier) wherever the tier may change before the next log on the fact."""
        first, last = self._position(start), len(self._work)
        if following:
            # a work log is a session of its own; any other log falls into the session before it
            last = self._position(following) - (following in self._numbers)
        yield first, start, tier(fact, self._decay.clock(first), self._lasting)
        if last == first or fact.false or fact.kind in self._lasting:
            return
        unused, young = self._position(fact.anchor), fact.young or fact.born
        turning = {
            self._decay.passed(young, "working", self._position(young)),
            self._decay.passed(fact.anchor, "active", unused),
            self._decay.passed(fact.anchor, "archive", unused),
        }
        for session in sorted(turning):
            if first < session <= last:
                name = tier(fact, self._decay.clock(session), self._lasting)
                yield session, self._work[session - 1], name

    def _position(self, stem: str) -> int:
        """Count the work logs up to a place."""
        return self._numbers.get(stem) or bisect_right(self._work, stem)


class _Track:
    """What happened to one fact so far."""

    def __init__(self) -> None:
        self.moments: list[Moment] = []
        self.spans: list[tuple[int, str]] = []
        self._tier = ""
        self._closed = True  # one that is closed at birth was not closed by anything

    def step(self, fact: Fact, session: int, stem: str, tier: str, birth: int) -> None:
        """Note where the fact stands from a log on.

        `session` is how many work logs there are then, `birth` how many there were when it was born.
        """
        before, self._tier = self._tier, tier
        what = [CLOSED] if fact.closed and not self._closed else []
        self._closed = fact.closed
        if tier != before:
            if tier == "archived":
                what.insert(0, FADED)
            elif tier == "superseded":
                what.insert(0, SUPERSEDED if fact.superseded_by else INVALIDATED)
            elif before in ARCHIVED_TIERS:
                what.insert(0, RETURNED if before == "archived" else REINSTATED)
            if self.spans and self.spans[-1][0] == session:
                self.spans.pop()
            self.spans.append((session, tier))
        for one in what:
            days = _day_of(stem[:10]) - _day_of(fact.born[:10])
            self.moments.append(Moment(one, stem, session, max(session - birth, 0), max(days, 0)))


@lru_cache(maxsize=4096)
def _day_of(date: str) -> int:
    """Return the number of a day; moments of many facts share it."""
    return milliseconds_of(date) // _DAY_MS


def _counts_from(act: Act) -> str:
    """Return the place in the ledger from which something that was said counts in a life.

    That is its log; for a birth that an import tells it is that birth, if it is earlier.
    """
    event = act.event
    if isinstance(event, log_events.FactCreated) and event.meta:
        said = dict(event.meta)
        origin, created = said.get("origin", ""), said.get("created", "")
        if origin and is_stem(origin):
            return min(key_of(origin), act.stem)
        if is_date(created):
            return min(created + "~", act.stem)
    return act.stem


def _matters(act: Act) -> bool:
    """Tell whether an event can change the tier of a fact, or close it, other than by naming it."""
    event = act.event
    if isinstance(event, log_events.FactUpdated):
        return any(key == "kind" for key, _ in event.meta)
    return not isinstance(event, _IDLE)
