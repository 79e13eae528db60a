"""Replay the ledger as of a point of the past: what `--as-of` names, and the state then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.errors import NotFound
from ledger.model.event import FactCreated
from ledger.model.logset import LogRef
from ledger.model.order import ended_of, is_stem, stamp_of, stem_in
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import last_key
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.replayed_state import cold_state, state_from
from projection.fold.full_replay import State


class Point(Record):
    """A point of the past: a commit, or what sorts behind the last log that counts."""

    asked: str  #: as it was said
    commit: str = ""
    end: str = ""


def point_in_time(snapshot: Snapshot, as_of: str) -> Point:
    """Read what `--as-of` names.

    `as_of` is a date, a stem (or the start of one), or anything git can name a commit with; what people
    write of times is a stem by now (`ledger.model.instants.as_of`). A commit that holds no memory, as a
    tag of the code where memory has a branch of its own, stands for the time at which it was made.

    Raises:
        NotFound: it is none of these, or several logs begin so.
    """
    if is_stem(stem_in(as_of)):
        return Point(as_of, end=snapshot.ask(lambda cache: last_key(cache, as_of)))
    git = snapshot.home.repository.git()
    commit = git.resolve(f"{as_of}^{{commit}}")[0]
    if not commit:
        from ledger.model.instants import FORMS

        raise NotFound(
            f"{as_of} is no time, no session log and no commit",
            hint=f"{FORMS}; or name a session log, or a commit",
        )
    if snapshot.list_logs(commit)[0]:
        return Point(as_of, commit)
    made = int(git.text("log", "-1", "--format=%ct", commit))
    return Point(as_of, end=stamp_of(made * 1000 + 999) + "~")


def not_known(snapshot: Snapshot, point: Point, then: State) -> tuple[str, ...]:
    """Say what the state at a point can not tell of it.

    A commit without memory stands for its date. What was imported later, and is as old as that, held
    already; what it said then no log tells.
    """
    said = []
    if point.end and not is_stem(stem_in(point.asked)):
        day, clock = ended_of(point.end)[:16].split("T")
        said.append(
            f"{point.asked} has no memory of its own; this is as of its date, {day} {clock} UTC"
        )
    end = point.end or then.summary.newest + "~"
    later = snapshot.ask(lambda cache: cache.entries_since(end))
    unknown = {
        act.id
        for _, entry in later
        if entry.type == "import"
        for act in entry.acts
        if isinstance(act, FactCreated)
        and act.id not in then
        and dict(act.meta).get("created", end) < end
    }
    if unknown:
        facts = "1 fact" if len(unknown) == 1 else f"{len(unknown)} facts"
        said.append(
            f"{facts} of that time came by a later import: what they said then is not known"
        )
    return tuple(said)


def logs_at(snapshot: Snapshot, point: Point) -> list[LogRef]:
    """Return the logs that count at a point of time, in ledger order."""
    if point.commit:
        return snapshot.list_logs(point.commit)[0]
    return snapshot.ask(lambda cache: [ref for ref in cache.log_refs() if ref.key <= point.end])


def state_at(snapshot: Snapshot, point: Point) -> State:
    """Return the state as it was at a point of time: the replay of the logs up to it.

    What was redacted since is withheld (F9).
    """
    if point.commit:
        now = snapshot.ask(lambda cache: cache.redacted)
        return cold_state(snapshot, point.commit, withheld=now)

    def asked(cache: Cache) -> State:
        kept = [pair for pair in logs_in(cache) if pair[0].key <= point.end]
        return state_by(cache, [ref for ref, _ in kept], [entry for _, entry in kept])

    return snapshot.ask(asked)


def logs_in(cache: Cache) -> list[tuple[LogRef, Entry]]:
    """Return all logs with what they say, in ledger order."""
    pairs = [(ref, entry) for _, ref, entry in cache.entries()]
    return sorted(pairs, key=lambda pair: pair[0].key)


def state_by(cache: Cache, refs: Iterable[LogRef], entries: Sequence[Entry]) -> State:
    """Return the state of logs if they said something else; what was redacted since is withheld.

    `refs` are in ledger order; `entries` are what they are to say, in the same order.
    """
    return state_from(refs, entries, cache.policy, withheld=cache.redacted)
