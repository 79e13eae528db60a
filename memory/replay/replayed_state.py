"""Work out the state of all facts: the whole ledger replayed, from the cache or from git."""

from __future__ import annotations

from ledger.heavy_work import Uncollected, in_two
from ledger.home import Home
from ledger.model.findings import Finding
from ledger.model.logset import LogRef
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.cache.schema import history_of, plain_history
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
    from typing import Any

    from memory.cache.cache_file import Cache


def state_of(cache: Cache, refs: Sequence[LogRef] = (), entries: Sequence[Entry] = ()) -> State:
    """Return the state of a cache, with more logs on top if given."""
    found = _Folded(cache.histories(), cache.work_stems(), cache.summary, cache.findings())
    if entries:
        found = _joined(found, _folded(refs, entries, ()))
    return _state(found, cache.policy)


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
    return _state(_folded(refs, entries, findings), policy, withheld)


def cold_state(
    snapshot: Snapshot,
    commit: str,
    progress: Callable[[int, int], None] | None = None,
    withheld: frozenset[str] = frozenset(),
) -> State:
    """Replay a commit from git alone; no cache is read or written.

    `withheld` are facts that were redacted since.
    """
    from memory.replay.read_logs import middle  # a question of the cache reads no log

    home = snapshot.home
    with Uncollected():
        refs, odd = snapshot.list_logs(commit)
        _, policy, _ = snapshot.read_policy(snapshot.policy_blob(commit))
        half = middle(refs)
        if not half:
            return _state(_part(home, refs, len(refs), progress, odd), policy, withheld)
        packed, newer = in_two(
            lambda: _pack(_part(home, refs[:half], half, None, odd)),
            lambda: _part(home, refs[half:], len(refs), progress),
        )
        if packed is None:
            older = _part(home, refs[:half], half, progress, odd)
        else:
            older = _unpack(packed)
        return _state(_joined(older, newer), policy, withheld)


class _Folded(Record):
    """What some logs say together: an element of the monoid that a replay folds."""

    histories: dict[str, History]
    work: list[str]
    summary: Summary
    findings: tuple[Finding, ...]


def _part(
    home: Home,
    refs: Sequence[LogRef],
    of: int,
    progress: Callable[[int, int], None] | None,
    odd: tuple[Finding, ...] = (),
) -> _Folded:
    from memory.replay.read_logs import read_part

    reading = read_part(home, refs, of, progress)
    return _folded(reading.refs, reading.entries, odd + reading.findings)


def _folded(
    refs: Iterable[LogRef], entries: Sequence[Entry], findings: tuple[Finding, ...]
) -> _Folded:
    digest = set_digest(log_digest(ref.key, ref.blob) for ref in refs)
    summary = summarise(entries, digest) if entries else NOTHING
    work = sorted([entry.stem for entry in entries if entry.work])
    return _Folded(collect(entries), work, summary, findings)


def _joined(a: _Folded, b: _Folded) -> _Folded:
    """Join what two disjoint sets of logs say; the histories of the first are changed."""
    a.histories.update(merged(a.histories, b.histories))
    return _Folded(
        a.histories,
        sorted(a.work + b.work),  # two sorted runs: merged in linear time
        merge_summaries(a.summary, b.summary),
        a.findings + b.findings,
    )


def _state(folded: _Folded, policy: Policy, withheld: frozenset[str] = frozenset()) -> State:
    histories, work, summary, findings = folded
    return State(histories, work, summary, policy, findings, withheld=withheld)


def _pack(part: _Folded) -> tuple[Any, ...]:
    histories, work, summary, findings = part
    return (
        {fact: plain_history(history) for fact, history in histories.items()},
        work,
        tuple(summary),
        [tuple(finding) for finding in findings],
    )


def _unpack(packed: tuple[Any, ...]) -> _Folded:
    histories, work, summary, findings = packed
    return _Folded(
        {fact: history_of(plain) for fact, plain in histories.items()},
        work,
        Summary(*summary),
        tuple([Finding(*values) for values in findings]),
    )


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
        return State(
            self._histories,
            self._work,
            cache.summary,
            cache.policy,
            cache.findings(),
            self._resolved,
        )

    def _catch_up(self, cache: Cache) -> None:
        """Add what was appended since; values that were handed out stay as they were."""
        added: list[Entry] = []
        for number, _, entry in cache.entries(self._number):
            self._number = number
            added.append(entry)
        if not added:
            return
        changes = merged(self._histories, collect(added))
        self._histories = {**self._histories, **changes}
        self._work = sorted(self._work + [entry.stem for entry in added if entry.work])
