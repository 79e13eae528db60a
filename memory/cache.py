"""The cache: entries and histories in one SQLite file under the git directory.

Disposable: keyed by the commit it mirrors, equal to a cold replay, rebuilt when it is missing, damaged,
of another version, or cannot be brought forward. Nothing in it is truth.
"""

from __future__ import annotations

import marshal
import os

from ledger.compact import unpack_entry
from ledger.findings import Finding
from ledger.layout import CACHE_VERSION
from ledger.logset import LogRef
from ledger.session import Entry
from memory.adding import add_logs, unpack_head
from memory.rows import (
    likeness,
    plain,
    policy_of,
    unpack_history,
)
from memory.sqlite import sqlite3
from projection.fact import Fact, History
from projection.fold import Edge, resolve
from projection.policy import Policy
from projection.state import ARCHIVED_TIERS, TIERS, DecayClock, LiveView, Summary
from projection.tiers import never_decaying, stand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Any

#: What a damaged file may raise while it is read.
CACHE_ERRORS = (sqlite3.Error, ValueError, EOFError, TypeError, KeyError, IndexError)


class CacheUnusable(Exception):
    """The file is missing, damaged or of another version: build it anew."""


def open_cache(path: str) -> Cache:
    """Open a cache file.

    Raises:
        CacheUnusable: it can not be used.
    """
    if not os.path.exists(path):
        raise CacheUnusable(path)
    try:
        base = sqlite3.connect(path, timeout=10, isolation_level=None)
        base.execute("PRAGMA synchronous=OFF")
        # the journal is emptied, not unlinked: a quarter less for a transaction; `build` takes it away
        # before it puts another file in place
        base.execute("PRAGMA journal_mode=PERSIST")
        return Cache(base)
    except CACHE_ERRORS as problem:
        raise CacheUnusable(path) from problem


class Cache:
    """A cache, open.

    Args:
        base: the connection.

    Raises:
        CacheUnusable: it is of another version.
    """

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base
        if self._get("version") != CACHE_VERSION:
            raise CacheUnusable
        self.generation: str = self._get("generation")
        self._seen = -1
        self._packed_policy = b""
        #: what the last view was made of: (packed history, cut edges, fact)
        self._shown: dict[str, tuple[bytes, frozenset[Edge], Fact | None]] = {}
        self.load()

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def load(self) -> None:
        """Read the few values that every question needs, all as of one commit.

        SQLite tells whether another connection wrote since; what this one wrote it knows.
        """
        (seen,) = self._base.execute("PRAGMA data_version").fetchone()
        if seen == self._seen:
            return
        rows = self._base.execute(
            "SELECT value FROM meta WHERE key IN ('head', 'policy') ORDER BY key"
        ).fetchall()
        (head,), (policy,) = rows
        self.head = unpack_head(head)
        if policy != self._packed_policy:
            _, values, problem = marshal.loads(policy)
            self.policy = policy_of(values)
            self.policy_problem: str = problem
            self._packed_policy = policy
        self._seen = seen

    def __enter__(self) -> Cache:
        """Begin a reading that sees one commit throughout; other processes' writes wait for its end."""
        self._base.execute("BEGIN")
        try:
            self.load()
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        if self._base.in_transaction:
            self._base.execute("ROLLBACK")

    def _get(self, key: str) -> Any:
        row = self._base.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return marshal.loads(row[0])

    def _set(self, key: str, packed: bytes) -> None:
        self._base.execute("UPDATE meta SET value = ? WHERE key = ?", (packed, key))

    @property
    def base(self) -> sqlite3.Connection:
        """The open file, for the word index that lives in it."""
        return self._base

    @property
    def commit(self) -> str:
        """The commit that it mirrors."""
        return self.head.commit

    @property
    def summary(self) -> Summary:
        """What there is to say of all logs."""
        return self.head.summary

    @property
    def cut(self) -> frozenset[Edge]:
        """Supersessions that do not count, for they close a circle."""
        return self.head.cut

    # ---- bringing it forward ----------------------------------------------------------------------

    def advance(
        self,
        base: str,
        commit: str,
        refs: Sequence[LogRef],
        entries: Sequence[Entry],
        findings: Sequence[Finding],
        policy: tuple[str, Policy, str] | None = None,
    ) -> bool:
        """Add logs and move to the commit that has them; False when another process was faster.

        Args:
            base: the commit that the logs were compared with.
            commit: the commit that has them.
            refs: the new logs.
            entries: what they say, in the same order.
            findings: what reading them brought up.
            policy: (blob id, policy, problem) when it changed.
        """
        self._base.execute("BEGIN IMMEDIATE")
        try:
            self.load()
            if self.commit != base:
                self._base.execute("ROLLBACK")
                return False
            head = add_logs(self._base, self.head, refs, entries, findings)
            head = head._replace(commit=commit)
            if policy is not None:
                packed = marshal.dumps((policy[0], plain(policy[1]), policy[2]))
                self._set("policy", packed)
            self._set("head", head.packed())
            self._base.execute("COMMIT")
        except BaseException:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise
        self.head = head
        if policy is not None:
            _, self.policy, self.policy_problem = policy
            self._packed_policy = packed
        return True

    # ---- questions --------------------------------------------------------------------------------

    def clock(self) -> DecayClock:
        """Return where the ledger stands."""
        windows = self.policy.windows
        longest = max(windows.working, windows.active, windows.archive)
        stems = self._base.execute(
            "SELECT stem FROM logs WHERE work ORDER BY stem DESC LIMIT ?", (longest + 1,)
        ).fetchall()

        def cut(window: int) -> str:
            return str(stems[window][0]) if len(stems) > window else ""

        return DecayClock(
            self.summary.sessions, cut(windows.working), cut(windows.active), cut(windows.archive)
        )

    def view(self) -> LiveView:
        """Return what `continuity.md` shows, without looking at what is archived."""
        clock = self.clock()
        lasting = never_decaying(self.policy)
        rows = self._base.execute(
            "SELECT id, history FROM facts WHERE state IN (1, 2) AND anchor >= ?", (clock.archive,)
        ).fetchall()
        rows += self._base.execute(
            "SELECT id, history FROM facts WHERE state = 2 AND anchor < ?", (clock.archive,)
        ).fetchall()
        for kind in sorted(lasting):
            rows += self._base.execute(
                "SELECT id, history FROM facts WHERE state = 1 AND kind = ? AND anchor < ?",
                (kind, clock.archive),
            ).fetchall()
        rows += self._base.execute(
            "SELECT id, history FROM facts WHERE state IN (1, 2) AND young != '' "
            "AND young != anchor AND young >= ? AND anchor < ?",
            (clock.working, clock.archive),
        ).fetchall()
        live = []
        counts: dict[str, int] = {}
        shown: dict[str, tuple[bytes, frozenset[Edge], Fact | None]] = {}
        for fact, packed in dict(rows).items():
            known = self._shown.get(fact)
            if known is None or known[0] != packed or known[1] != self.cut:
                known = packed, self.cut, resolve(fact, unpack_history(packed), self.cut)
            shown[fact] = known
            found = known[2]
            if found is None:
                continue
            standing = stand(found, clock, self.policy, lasting)
            counts[standing.tier] = counts.get(standing.tier, 0) + 1
            if standing.live:
                live.append(standing)
        self._shown = shown
        facts, false = self.head.counts
        counts["superseded"] = false
        counts["archived"] = (
            facts - false - sum(n for tier, n in counts.items() if tier not in ARCHIVED_TIERS)
        )
        return LiveView(
            self.summary,
            self.policy,
            tuple(sorted(live, key=lambda standing: standing.fact.id)),
            tuple(self.contested()),
            tuple(counts.get(tier, 0) for tier in TIERS),
        )

    def crossing(self, before: DecayClock, after: DecayClock) -> list[str]:
        """Return the ids whose tier may have changed because the clock moved.

        They are those whose anchor or birth the cuts passed over.
        """
        found: set[str] = set()
        for old, new in zip(before[1:], after[1:], strict=True):
            low, high = sorted((str(old), str(new)))
            rows = self._base.execute(
                "SELECT id FROM facts WHERE state IN (1, 2) AND anchor >= ? AND anchor < ?",
                (low, high),
            )
            found.update(row[0] for row in rows)
        low, high = sorted((before.working, after.working))
        rows = self._base.execute(
            "SELECT id FROM facts WHERE state IN (1, 2) AND young != '' AND young != anchor "
            "AND young >= ? AND young < ?",
            (low, high),
        )
        found.update(row[0] for row in rows)
        return sorted(found)

    def contested(self) -> Iterator[Fact]:
        """Yield the facts of which several versions or successors stand."""
        rows = self._base.execute("SELECT id FROM facts WHERE contested ORDER BY id").fetchall()
        for (fact,) in rows:
            found = self.fact(fact)
            if found is not None and found.contradicted:
                yield found

    def fact(self, fact: str) -> Fact | None:
        """Return one fact, None when there is none of this id."""
        found = self._resolve(fact)
        if found is None or len(found.superseded_by) < 2:
            return found
        live = [
            name
            for name in found.superseded_by
            if (other := self._resolve(name)) is not None and not other.false
        ]
        return found._replace(rivals=tuple(sorted(live)) if len(live) > 1 else ())

    def _resolve(self, fact: str) -> Fact | None:
        row = self._base.execute("SELECT history FROM facts WHERE id = ?", (fact,)).fetchone()
        return None if row is None else resolve(fact, unpack_history(row[0]), self.cut)

    def histories(self) -> dict[str, History]:
        """Return everything that is known of every id."""
        rows = self._base.execute("SELECT id, history FROM facts").fetchall()
        return {fact: unpack_history(packed) for fact, packed in rows}

    def some_histories(self, facts: Iterable[str]) -> dict[str, History]:
        """Return what is known of some ids."""
        found: dict[str, History] = {}
        for fact in facts:
            row = self._base.execute("SELECT history FROM facts WHERE id = ?", (fact,)).fetchone()
            if row is not None:
                found[fact] = unpack_history(row[0])
        return found

    def ids(self) -> list[str]:
        """Return all ids that are named anywhere, sorted."""
        return [row[0] for row in self._base.execute("SELECT id FROM facts ORDER BY id")]

    def work_stems(self) -> list[str]:
        """Return the stems of all `work` logs in ledger order."""
        rows = self._base.execute("SELECT stem FROM logs WHERE work ORDER BY stem")
        return [row[0] for row in rows]

    def sessions_after(self, stem: str) -> int:
        """Count the `work` logs after a stem."""
        if not stem:
            return self.summary.sessions
        row = self._base.execute("SELECT count(*) FROM logs WHERE work AND stem > ?", (stem,))
        return int(row.fetchone()[0])

    def fading_count(self, lasting: frozenset[str], thread: str) -> int:
        """Count the live facts that can fade, but for a few that only a whole view tells.

        Args:
            lasting: the kinds that do not decay.
            thread: the kind of threads.
        """
        run, cut = self._base.execute, self.clock().archive
        firm = ", ".join("?" * len(lasting))
        (young,) = run(
            "SELECT count(*) FROM facts WHERE state IN (1, 2) AND anchor >= ? "  # noqa: S608 - "?" alone
            f"AND NOT (state = 1 AND kind IN ({firm}))",
            (cut, *sorted(lasting)),
        ).fetchone()
        (threads,) = run(
            "SELECT count(*) FROM facts WHERE state = 2 AND anchor < ? AND kind = ?", (cut, thread)
        ).fetchone()
        return int(young + threads)

    def entries(self, after: int = 0) -> Iterator[tuple[int, LogRef, Entry]]:
        """Yield (number, log, entry) of the logs added after a number, in the order added."""
        rows = self._base.execute(
            "SELECT number, stem, path, blob, entry FROM logs WHERE number > ? ORDER BY number",
            (after,),
        )
        for number, stem, path, blob, packed in rows:
            yield number, LogRef(stem, path, blob), unpack_entry(marshal.loads(packed))

    def newest_number(self) -> int:
        """Return the number of the log added last, 0 when there is none."""
        return int(self._base.execute("SELECT coalesce(max(number), 0) FROM logs").fetchone()[0])

    def entries_since(self, stem: str) -> list[tuple[LogRef, Entry]]:
        """Return the logs from a stem (or the start of one) on, newest first."""
        rows = self._base.execute(
            "SELECT stem, path, blob, entry FROM logs WHERE stem >= ? ORDER BY stem DESC", (stem,)
        ).fetchall()
        return [
            (LogRef(key, path, blob), unpack_entry(marshal.loads(packed)))
            for key, path, blob, packed in rows
        ]

    def like(self, entry: Entry, since: str) -> list[LogRef]:
        """Return the logs from a stem on that may repeat an entry, newest first."""
        rows = self._base.execute(
            "SELECT stem, path, blob FROM logs WHERE stem >= ? AND alike = ? ORDER BY stem DESC",
            (since, likeness(entry)),
        )
        return [LogRef(*row) for row in rows]

    def log_refs(self) -> list[LogRef]:
        """Return all logs in ledger order."""
        return [
            LogRef(*row)
            for row in self._base.execute("SELECT stem, path, blob FROM logs ORDER BY stem")
        ]

    def log_ref(self, stem: str) -> LogRef | None:
        """Return one log by its whole stem."""
        row = self._base.execute(
            "SELECT stem, path, blob FROM logs WHERE stem = ?", (stem,)
        ).fetchone()
        return None if row is None else LogRef(*row)

    def known(self, stems: Sequence[str]) -> dict[str, LogRef]:
        """Return the logs among some, by stem."""
        places = ", ".join("?" * len(stems))
        rows = self._base.execute(
            f"SELECT stem, path, blob FROM logs WHERE stem IN ({places})",  # noqa: S608 - "?" alone
            tuple(stems),
        )
        return {row[0]: LogRef(*row) for row in rows}

    def findings(self) -> tuple[Finding, ...]:
        """Return what reading the logs brought up."""
        rows = self._base.execute("SELECT value FROM findings ORDER BY number").fetchall()
        return tuple(Finding(*marshal.loads(row[0])) for row in rows)

    def unread(self) -> tuple[Finding, ...]:
        """Return which logs could not be read: without them the state is incomplete."""
        return tuple(Finding(*values) for values in self.head.unread)
