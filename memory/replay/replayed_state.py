"""Work out the state of all facts: the whole ledger replayed, from the cache or from git."""

from __future__ import annotations

from ledger.heavy_work import Uncollected
from ledger.model.findings import Finding
from ledger.model.logset import LogRef
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.replay.ledger_snapshot import Snapshot
from projection.fold.fact_history import History
from projection.fold.fold import collect, merged
from projection.fold.full_replay import Resolved, State
from projection.fold.projection_state import (
    NOTHING,
    Summary,
    log_digest,
    merge_summaries,
    set_digest,
    summarise,
)
from projection.policy.model import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memory.cache.cache_file import Cache


def state_of(cache: Cache, refs: Sequence[LogRef] = (), entries: Sequence[Entry] = ()) -> State:
    """Return the state of a cache, with more logs on top if given."""
    histories, work, summary = cache.histories(), cache.work_stems(), cache.summary
    if entries:
        more = _folded(refs, entries)
        histories.update(merged(histories, more.histories))
        work, summary = sorted(work + more.work), merge_summaries(summary, more.summary)
    return State(histories, work, summary, cache.policy, cache.findings())


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
    return State(*_folded(refs, entries), policy, findings, withheld=withheld)


def cold_state(
    snapshot: Snapshot,
    commit: str,
    progress: Callable[[int, int], None] | None = None,
    withheld: frozenset[str] = frozenset(),
) -> State:
    """Replay a commit from git alone; no cache is read or written.

    `withheld` are facts that were redacted since.
    """
    from memory.replay.read_logs import read_all  # a question of the cache reads no log

    with Uncollected():
        refs, odd = snapshot.list_logs(commit)
        _, policy, _ = snapshot.policy_at(commit)
        reading = read_all(snapshot.home, refs, progress)
        findings = odd + reading.findings
        return state_from(reading.refs, reading.entries, policy, findings, withheld)


class _Folded(Record):
    """What some logs say together: an element of the monoid that a replay folds."""

    histories: dict[str, History]
    work: list[str]
    summary: Summary


def _folded(refs: Iterable[LogRef], entries: Sequence[Entry]) -> _Folded:
    digest = set_digest(log_digest(ref.key, ref.blob) for ref in refs)
    summary = summarise(entries, digest) if entries else NOTHING
    return _Folded(collect(entries), sorted([one.stem for one in entries if one.work]), summary)


class Follower:
    """The whole state of a running process, brought forward by what each new log touches.

    Args:
        snapshot: of the home.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._generation = ""
        self._number = 0
        self._histories: dict[str, History] = {}
        self._work: list[str] = []
        self._resolved = Resolved(frozenset(), {})

    def state(self) -> State:
        """Return the state at the branch's tip."""
        return self._snapshot.ask(self._follow)

    def _follow(self, cache: Cache) -> State:
        if cache.generation != self._generation:
            self._generation = cache.generation
            with Uncollected():
                self._histories = cache.histories()
            self._work = cache.work_stems()
            self._number = cache.newest_number()
            self._resolved = Resolved(cache.cut, {})
        else:
            self._catch_up(cache)
        if cache.cut != self._resolved.cut:  # that changes facts that no new log names
            self._resolved = Resolved(cache.cut, {})
        known = cache.summary, cache.policy, cache.findings(), self._resolved
        return State(self._histories, self._work, *known)

    def _catch_up(self, cache: Cache) -> None:
        """Add what was appended since; values that were handed out stay as they were."""
        rows = list(cache.entries(self._number))
        if rows:
            added = [entry for _, _, entry in rows]
            self._number = rows[-1][0]
            self._histories = self._histories | merged(self._histories, collect(added))
            self._work = sorted(self._work + [entry.stem for entry in added if entry.work])
