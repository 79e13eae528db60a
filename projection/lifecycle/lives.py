"""Trace the life of each fact: at which log it was archived, came back, was closed or became false.

Section 5 of the format, seen over time (T5). Each fact is walked once, over the logs that name it; between
two of them only the clock moves, and the sessions at which it changes the tier follow from the windows.
What a tier is, `tiers.tier` alone says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from ledger.model import event as log_events
from ledger.model.order import is_date, is_stem, key_of
from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.model.verbs import CLOSING
from projection.fold.fact_history import Act, Fact, History
from projection.fold.fold import collect, resolve, with_uses
from projection.fold.full_replay import Cuts
from projection.fold.tiers import Decay, never_decaying, stand, tier
from projection.lifecycle.life import Life, PlainWalker, Track, plain_kind
from projection.policy.model import TASK_KIND, Policy

#: Events that change neither the tier of a fact nor whether it is closed, other than by their name.
_IDLE = (
    log_events.FactVerified, log_events.FactRedacted, log_events.FactReferenced,
    log_events.FactHelped, log_events.FactIgnored,
)  # fmt: skip
#: Events of which only the last counts (F7).
_LAST_WORDS = (
    (log_events.ThreadClosed, log_events.ThreadReopened),
    (log_events.FactPromoted, log_events.FactDemoted),
    (log_events.FactArchived, log_events.FactReactivated),
)


class Lives(Record):
    """All facts of a ledger by id, and the stems of its work logs."""

    lives: tuple[Life, ...]
    work: tuple[str, ...]


def counts_from(act: Act) -> str:
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


def lives_of(
    entries: Iterable[Entry],
    policy: Policy,
    until: str = "",
    progress: Callable[[int, int], None] | None = None,
    histories: Mapping[str, History] | None = None,
) -> Lives:
    """Work out how all facts of a ledger lived.

    Args:
        entries: of all logs, in any order.
        policy: in force; its windows hold for the whole past.
        until: a string that sorts behind the last stem to look at, "" for all.
        progress: told how far this is, as (done, total).
        histories: what all logs say, where that was collected before.
    """
    ordered = sorted(entries, key=lambda entry: entry.stem)
    limit = until or "~"
    uses: dict[str, list[str]] = {}
    work: list[str] = []
    agents: dict[str, str] = {}
    for entry in ordered:
        agents[entry.stem] = entry.agent
        if not entry.uses or entry.stem > limit:
            continue
        if entry.work:
            work.append(entry.stem)
        for fact in entry.named:
            uses.setdefault(fact, []).append(entry.stem)
    histories = collect(ordered) if histories is None else histories
    walker = _Walker(work, policy, Cuts(histories), limit)
    plain = PlainWalker(walker.decay, walker.numbers, walker.lasting)
    found = []
    for number, fact in enumerate(sorted(histories)):
        if progress is not None and not number % 256:
            progress(number, len(histories))
        acts, used = histories[fact].acts, uses.get(fact, ())
        kind = plain_kind(fact, acts)
        if not kind:
            life = walker.walk(fact, acts, used, agents)
        elif acts[0].stem > limit:
            continue
        else:
            born = acts[0].stem
            life = plain.walk(fact, kind, born, used, agents.get(born, ""))
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
        limit: sorts behind the last stem to look at.
    """

    def __init__(self, work: Sequence[str], policy: Policy, cuts: Cuts, limit: str) -> None:
        self._work, self._cuts, self._limit = work, cuts, limit
        self.decay = Decay(work, policy.windows)
        self.numbers = {stem: number for number, stem in enumerate(work, 1)}
        self.lasting = never_decaying(policy)

    def walk(
        self, id: str, acts: Iterable[Act], uses: Sequence[str], agents: Mapping[str, str]
    ) -> Life | None:
        """Return the life of a fact; None where no log brought a text of it."""
        said: dict[str, list[Act]] = {}
        for act in acts:
            start = counts_from(act)
            if start <= self._limit:
                said.setdefault(start, []).append(act)
        turns = self._cuts.turns(id, self._limit)
        points = sorted({*said, *uses, *turns})
        acts = tuple(acts)
        full = any(_sees(act) for act in acts if act.event.id == id)
        brought = log_events.FactCreated | log_events.FactUpdated
        told = [act.event for act in acts if isinstance(act.event, brought)]
        kinds = {value for event in told for key, value in event.meta if key == "kind"}
        known: list[Act] = []
        denying = stale = False
        fact: Fact | None = None
        track = Track()
        used, last = 0, ""
        for place, point in enumerate(points):
            if used < len(uses) and uses[used] == point:
                used, last = used + 1, point
            met = said.get(point, [])
            news = [act for act in met if fact is None or denying or _matters(act)]
            denying = denying or (full and any(map(_sees, met)))
            for act in met if full else news:
                _learn(known, act, full or TASK_KIND in kinds)
            idle = fact is not None and not full and all(_keeps(act, fact) for act in news)
            if (news and not idle) or point in turns:
                known.sort()
                history = History(used, last, tuple(known))
                fact = resolve(id, history, self._cuts.at(point, id, history))
                if fact is not None and kinds == {TASK_KIND} and not full:
                    known[:] = _unanswered(known, fact)
                stale = False
            elif fact is not None:
                stale = stale or bool(news)
                fact = with_uses(fact, used, last)
            if fact is not None:
                following = points[place + 1] if place + 1 < len(points) else ""
                for session, stem, name in self._stretch(fact, point, following):
                    track.step(fact, session, stem, name, self._position(fact.born))
        if fact is not None and stale:  # moves that left it open, or closed
            history = History(used, last, tuple(sorted(known)))
            fact = resolve(id, history, self._cuts.at(points[-1], id, history))
        if fact is None:
            return None
        now = stand(fact, self.decay.clock(), self.lasting)
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
            last = self._position(following) - (following in self.numbers)
        yield first, start, tier(fact, self.decay.clock(first), self.lasting)
        unused, young = self._position(fact.anchor), fact.young or fact.born
        turning = {
            self.decay.passed(young, "working", self._position(young)),
            self.decay.passed(fact.anchor, "active", unused),
            self.decay.passed(fact.anchor, "archive", unused),
        }
        for session in sorted(turning):
            if first < session <= last:
                name = tier(fact, self.decay.clock(session), self.lasting)
                yield session, self._work[session - 1], name

    def _position(self, stem: str) -> int:
        """Count the work logs up to a place."""
        return self.numbers.get(stem) or bisect_right(self._work, stem)


def _keeps(act: Act, fact: Fact) -> bool:
    """Tell whether a move leaves a task as open, or as closed, as it is."""
    event = act.event
    if fact.kind != TASK_KIND or not isinstance(event, log_events.FactMoved):
        return False
    return fact.closed == (event.state in CLOSING)


def _unanswered(known: Iterable[Act], fact: Fact) -> list[Act]:
    """Return what decides where a task stands, without the moves that were answered for good (F11)."""
    if fact.kind != TASK_KIND:
        return list(known)
    standing = {move.stem for move in fact.moves}
    moves = log_events.FactMoved | log_events.ThreadClosed | log_events.ThreadReopened
    return [act for act in known if not isinstance(act.event, moves) or act.stem in standing]


def _learn(known: list[Act], act: Act, full: bool) -> None:
    """Add an event to those that decide where a fact stands, in place of one that no longer counts.

    Where the texts that stand tell, too, it is all of them (`full`).
    """
    for deciding in _LAST_WORDS:
        if not full and isinstance(act.event, deciding):
            known[:] = [other for other in known if not isinstance(other.event, deciding)]
    known.append(act)


def _sees(act: Act) -> bool:
    """Tell whether something calls a fact false by the texts that stand: then every text matters (F10)."""
    event = act.event
    return (
        isinstance(event, log_events.FactSuperseded | log_events.FactInvalidated)
        and event.was is not None
    )


def _matters(act: Act) -> bool:
    """Tell whether an event can change the tier of a fact, or close it, other than by naming it."""
    event = act.event
    if isinstance(event, log_events.FactUpdated):
        return any(key == "kind" for key, _ in event.meta)
    return not isinstance(event, _IDLE)
