"""Work out the state of all facts, now or as of a point of the past: from the cache or from git."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.errors import NotFound
from ledger.heavy_work import Uncollected
from ledger.model.event import FactCreated
from ledger.model.finding_codes import Finding
from ledger.model.log_names import LogRef, ended_of, is_stem, stamp_of, stem_in
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import last_key
from memory.cache.schema import unpack_history
from memory.replay.tip_snapshot import Snapshot
from projection.fold.fold import collect
from projection.fold.full_replay import State
from projection.fold.live_view import (
    NOTHING,
    log_digest,
    set_digest,
    summarise,
)
from projection.policy.model import Policy


def state_of(cache: Cache) -> State:
    """Return the state of a cache."""
    with Uncollected():
        rows = cache.rows("SELECT id, history FROM facts")
        histories = {fact: unpack_history(packed) for fact, packed in rows}
    return State(histories, cache.work_stems(), cache.summary, cache.policy, cache.findings())


def state_from(
    refs: Iterable[LogRef],
    entries: Sequence[Entry],
    policy: Policy,
    findings: tuple[Finding, ...] = (),
    withheld: frozenset[str] = frozenset(),
) -> State:
    """Return the state of some logs: a full replay.

    `entries` come in the order of `refs`, `findings` are what reading them brought up; `withheld` are
    facts that were redacted since.
    """
    digest = set_digest(log_digest(ref.key, ref.blob) for ref in refs)
    summary = summarise(entries, digest) if entries else NOTHING
    work = sorted([one.stem for one in entries if one.work])
    return State(collect(entries), work, summary, policy, findings, withheld=withheld)


def cold_state(snapshot: Snapshot, commit: str, withheld: frozenset[str] = frozenset()) -> State:
    """Replay a commit from git alone; no cache is read or written.

    `withheld` are facts that were redacted since.
    """
    from memory.replay.read_logs import read_all  # a question of the cache reads no log

    with Uncollected():
        refs, odd = snapshot.list_logs(commit)
        _, policy, _ = snapshot.policy_at(commit)
        reading = read_all(snapshot.home, refs)
        findings = odd + reading.findings
        return state_from(reading.refs, reading.entries, policy, findings, withheld)


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
    said, end = [], point.end or then.summary.newest + "~"
    if point.end and not is_stem(stem_in(point.asked)):
        day, clock = ended_of(end)[:16].split("T")
        said.append(
            f"{point.asked} has no memory of its own; this is as of its date, {day} {clock} UTC"
        )
    unknown = {
        act.id
        for _, entry in snapshot.ask(lambda cache: cache.entries_since(end))
        for act in (entry.acts if entry.type == "import" else ())
        if isinstance(act, FactCreated) and act.id not in then
        if dict(act.meta).get("created", end) < end
    }
    if unknown:
        facts = f"{len(unknown)} fact{'s' * (len(unknown) > 1)}"
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
        kept = cache.logs("WHERE stem <= ? ORDER BY stem", (point.end,))
        refs, entries = [ref for ref, _ in kept], [entry for _, entry in kept]
        return state_from(refs, entries, cache.policy, withheld=cache.redacted)

    return snapshot.ask(asked)
