"""Put the report together: the lives of facts of one pinned commit, as a value."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from ledger.home import Home
from ledger.model.event import FactCreated
from ledger.model.logset import LogRef
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.api import Memory
from memory.cache.cache_file import Cache
from memory.replay.log_bytes import read_bytes
from projection.fold.fact_history import History
from projection.fold.fold import collect, resolve
from projection.fold.projection_state import TIERS
from projection.lifecycle import statistics
from projection.lifecycle.life import Life
from projection.lifecycle.lives import Lives, lives_of, tier_counts
from projection.policy.model import Policy
from rituals.report.repeats import Repeats, repeats_of
from rituals.report.usage import Attention, attention_of

#: How many points of time the picture and `--json` have at most.
MOST_POINTS = 240


class Course(Record):
    """How many facts stood in each tier at the ends of sessions."""

    sessions: tuple[int, ...]  #: numbers of work sessions, ascending; 0 where there is none
    dates: tuple[str, ...]  #: of them, "" for session 0
    tiers: tuple[tuple[str, tuple[int, ...]], ...]  #: (tier, a count for each session), all six


class Report(Record):
    """How the facts lived."""

    project: str  #: its name
    sessions: int  #: work sessions from `since` to `until`
    first: str  #: date of the first of them, "" for none
    last: str  #: date of the last one
    whole: statistics.Group  #: all facts together
    groups: tuple[statistics.Group, ...]  #: the same by kind
    authors: tuple[statistics.Author, ...]  #: by who created them
    reviews: statistics.Reviews  #: how they were kept
    attention: Attention  #: how they were met, and what logs tell the report alone
    repeats: Repeats  #: what happened again although memory had it
    course: Course  #: tiers over time, of all facts of the kind, whenever they were born
    lives: tuple[Life, ...]  #: of the facts that are told of, by id
    work: tuple[str, ...]  #: stems of all work logs up to the end, in order


def report(
    memory: Memory,
    since: str = "",
    until: str = "",
    kind: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Report on a home.

    Args:
        memory: the home, open.
        since: only on facts born, and reviews held or skipped, from this time or stem on.
        until: as if the ledger ended with this time (a day is all of it) or stem.
        kind: only on facts of this kind.
        progress: told how far this is.

    Raises:
        NotFound: a bound is neither a time nor a stem.
    """
    since, until = memory.bounds(since, until)

    def read(cache: Cache) -> tuple[list[tuple[LogRef, Entry]], Policy]:
        total, found = cache.summary.logs, []
        for number, (_, ref, entry) in enumerate(cache.entries()):
            if progress is not None and not number % 256:
                progress(number, total)
            found.append((ref, entry))
        return found, cache.policy

    logs, policy = memory.ask(read)
    entries = [entry for _, entry in logs]
    return report_of(entries, policy, since, until, kind, progress, captured(memory.home, logs))


def captured(home: Home, logs: Iterable[tuple[LogRef, Entry]]) -> dict[str, bytes]:
    """Read the captured ones of some logs, by stem."""
    told = [ref for ref, entry in logs if entry.reach and entry.uses]
    return {ref.stem: data for ref, data in read_bytes(home, told)}


def report_of(
    entries: list[Entry],
    policy: Policy,
    since: str = "",
    until: str = "",
    kind: str = "",
    progress: Callable[[int, int], None] | None = None,
    texts: Mapping[str, bytes] = {},
) -> Report:
    """Report on some logs, in any order (see `report`)."""
    histories = collect(entries)
    found = lives_of(entries, policy, until + "~" if until else "", progress, histories)
    made = report_on(found, histories, entries, policy, since, until, kind)
    limit = until + "~" if until else "~"
    told = [one for one in entries if since <= one.stem <= limit]
    return with_repeats(made, told, histories, texts)


def with_repeats(
    made: Report,
    entries: Iterable[Entry],
    histories: Mapping[str, History],
    texts: Mapping[str, bytes],
) -> Report:
    """Add to a report what happened again, of the facts that it tells of.

    `entries` are of the logs to look through, in any order; `histories` have what all logs say, `texts`
    the bytes of captured logs, by stem.
    """
    if not texts:
        return made
    told = sorted(entries, key=lambda entry: entry.stem)
    logs = [(entry, texts[entry.stem]) for entry in told if entry.stem in texts]
    births = [(one, entry) for entry in told for one in entry.acts if isinstance(one, FactCreated)]
    by = {birth.id: entry.session for birth, entry in births}
    lives = {life.id: life for life in made.lives}
    found = [resolve(id, histories[id], frozenset()) for id in lives]
    facts = [fact for fact in found if fact is not None]
    return made._replace(repeats=repeats_of(logs, facts, lives, by))


def report_on(
    found: Lives,
    histories: Mapping[str, History],
    entries: Iterable[Entry],
    policy: Policy,
    since: str = "",
    until: str = "",
    kind: str = "",
) -> Report:
    """Report on facts whose lives are worked out (see `report`).

    The lives go up to `until`. The histories have what all logs say; the entries are of them, in any
    order. `since`, `until` and `kind` are as in `report`.
    """
    limit = until + "~"  # behind every stem of that day
    of_kind = [life for life in found.lives if kind in ("", life.kind)]
    chosen = [life for life in of_kind if life.born >= since]
    told = [entry for entry in entries if not until or entry.stem <= limit]
    told.sort(key=lambda entry: entry.stem)
    before = bisect_left(found.work, since)
    span = found.work[before:]
    days = [stem[:10] for stem in (*span[:1], *span[-1:])] or ["", ""]
    kinds = [one.name for one in policy.kinds]
    return Report(
        policy.project, len(span), days[0], days[-1],
        statistics.group_of("", chosen), statistics.groups_of(chosen, kinds),
        statistics.authors_of(chosen), statistics.reviews_of(told, policy, since),
        attention_of(told, histories, chosen, since, policy.brief.rest), Repeats(),
        _course(of_kind, found.work, before), tuple(chosen), found.work,
    )  # fmt: skip


def _course(lives: list[Life], work: tuple[str, ...], before: int) -> Course:
    """Count tiers at evenly spaced sessions, the first and the last one among them."""
    last = len(work)
    first = min(before + 1, last)
    points = min(MOST_POINTS, last - first + 1)
    sessions = tuple(
        first + (last - first) * point // max(points - 1, 1) for point in range(points)
    )
    dates = tuple(work[session - 1][:10] if session else "" for session in sessions)
    counts = tier_counts(lives, sessions, TIERS)
    return Course(sessions, dates, tuple(zip(TIERS, counts, strict=True)))
