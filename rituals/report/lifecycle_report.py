"""Put the report together: how the facts of one pinned commit lived, and what they cost, as a value.

What sessions were shown and told stands in the headers of captured logs, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ledger.environment import now_ms
from ledger.model.log_names import day_seen
from ledger.model.record import Record
from ledger.model.session import COST_KEY, SHOWN_KEY, TOLD_KEY, Entry, cost_in, shown_in
from memory import Memory
from projection.fold.live_view import TIERS
from projection.lifecycle import statistics
from projection.lifecycle.lives import Life, Lives, lives_of, tier_counts
from projection.policy import model
from projection.policy.model import Policy

#: How many points of time the web's picture and `--json` have at most.
MOST_POINTS = 240
#: What is open stays in the brief, and so does what stands for ever.
_STAYS, _STANDING_KINDS = "core", (model.THREAD_KIND, model.HANDOFF_KIND, model.TASK_KIND)


class Course(Record):
    """How many facts stood in each tier at the ends of sessions."""

    sessions: tuple[int, ...]  #: numbers of work sessions, ascending; 0 where there is none
    dates: tuple[str, ...]  #: of them, "" for session 0
    tiers: tuple[tuple[str, tuple[int, ...]], ...]  #: (tier, a count for each session), all six


class Usage(Record):
    """How a fact was met."""

    id: str  #: of the fact
    shown: int  #: to how many sessions, as captured logs say
    told: int  #: how many were told it when they needed it
    #: it lives, and was shown to so many sessions since its last use that briefs leave it out
    rests: bool


class Cost(Record):
    """How many characters memory put before a session, as its captured logs say, from which day on."""

    session: str
    date: str
    shown: int
    told: int


class Report(Record):
    """How the facts lived."""

    project: str  #: its name
    sessions: int  #: work sessions
    first: str  #: date of the first of them, "" for none
    last: str  #: date of the last one
    whole: statistics.Group  #: all facts together
    groups: tuple[statistics.Group, ...]  #: the same by kind
    authors: tuple[statistics.Author, ...]  #: by who created them
    reviews: statistics.Reviews  #: how they were kept
    usage: tuple[Usage, ...]  #: how they were met, by id
    shown_to: int  #: how many sessions were shown facts
    costs: tuple[Cost, ...]  #: of the sessions that say so, oldest first
    course: Course  #: tiers over time
    lives: tuple[Life, ...]  #: of all facts, by id

    @property
    def resting(self) -> tuple[Usage, ...]:
        """Facts that rest, those that were shown most often first."""
        found = [one for one in self.usage if one.rests]
        return tuple(sorted(found, key=lambda one: (-one.shown, one.id)))


def report(memory: Memory, progress: Callable[[int, int], None] | None = None) -> Report:
    """Report on a home; progress is told how far this is."""
    entries, policy = memory.ask(
        lambda cache: ([entry for _, entry in cache.entries()], cache.policy)
    )
    return report_on(lives_of(entries, policy, progress=progress), entries, policy)


def report_on(found: Lives, entries: Iterable[Entry], policy: Policy) -> Report:
    """Report on facts whose lives are worked out, of these entries."""
    told = sorted(entries, key=lambda entry: entry.stem)
    now = now_ms()
    clocks = {entry.stem: day_seen(entry.clock, now) for entry in told}
    days = [clocks[stem] for stem in found.work]
    usage, shown_to, costs = _met(told, found.lives, policy.brief.rest)
    return Report(
        project=policy.project,
        sessions=len(days),
        first=days[0] if days else "",
        last=days[-1] if days else "",
        whole=statistics.group_of("", found.lives),
        groups=statistics.groups_of(found.lives, [one.name for one in policy.kinds]),
        authors=statistics.authors_of(found.lives),
        reviews=statistics.reviews_of(told, policy),
        usage=usage,
        shown_to=shown_to,
        costs=costs,
        course=_course(found.lives, days),
        lives=found.lives,
    )


def _met(
    entries: Iterable[Entry], lives: Iterable[Life], rest: int
) -> tuple[tuple[Usage, ...], int, tuple[Cost, ...]]:
    """Count how facts were met, to how many sessions one was shown, and what it cost.

    A fact rests that was shown to `rest` sessions since its last use; 0 is never.
    """
    met: dict[str, dict[str, dict[str, str]]] = {SHOWN_KEY: {}, TOLD_KEY: {}}
    costs: dict[str, Cost] = {}
    for entry in entries:
        said, session = dict(entry.reported or ()), entry.session or entry.stem
        for key, found in met.items():
            for id in shown_in(said[key]) if said.get(key) else ():
                found.setdefault(id, {}).setdefault(session, entry.stem)
        if value := said.get(COST_KEY):
            shown, told = cost_in(value)
            before = costs.get(session, Cost(session, entry.clock[:10], 0, 0))
            costs[session] = before._replace(shown=before.shown + shown, told=before.told + told)
    shown_to, told_to = met[SHOWN_KEY], met[TOLD_KEY]
    usage: list[Usage] = []
    for life in lives:
        shown_at, since = shown_to.get(life.id, {}), max(life.born, life.last)
        live = not life.reason and life.tier != _STAYS and life.kind not in _STANDING_KINDS
        rests = live and sum(stem > since for stem in shown_at.values()) >= rest > 0
        usage.append(Usage(life.id, len(shown_at), len(told_to.get(life.id, ())), rests))
    sessions = {session for some in shown_to.values() for session in some}
    return tuple(usage), len(sessions), tuple(costs.values())


def _course(lives: Sequence[Life], days: Sequence[str]) -> Course:
    """Count tiers at evenly spaced sessions, the first and the last one among them."""
    last = len(days)
    first = min(1, last)
    points = min(MOST_POINTS, last - first + 1)
    span = max(points - 1, 1)
    sessions = tuple(first + (last - first) * point // span for point in range(points))
    dates = tuple(days[session - 1] if session else "" for session in sessions)
    counts = tier_counts(lives, sessions, TIERS)
    return Course(sessions, dates, tuple(zip(TIERS, counts, strict=True)))
