"""The cache: entries and histories in one SQLite file under the git directory.

Disposable: keyed by the commit it mirrors, equal to a cold replay, rebuilt when it is missing, damaged,
of another version, or cannot be brought forward. Nothing in it is truth.
"""

from __future__ import annotations

import marshal
import os

from ledger.compact import pack_entry, pack_event, unpack_entry, unpack_event
from ledger.event import FactSuperseded
from ledger.findings import Finding
from ledger.layout import CACHE_VERSION
from ledger.logset import LogRef
from ledger.session import Entry
from projection.fact import Act, Fact, History
from projection.fold import Edge, collect, cut_edges, merge, resolve
from projection.policy import THREAD_KIND, Kind, Policy, Review, Windows
from projection.replay import (
    NOTHING,
    log_digest,
    merge_summaries,
    set_digest,
    summarise,
)
from projection.state import ARCHIVED_TIERS, TIERS, DecayClock, LiveView, Summary
from projection.tiers import never_decaying, stand

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Any
else:
    try:
        # the part of `sqlite3` that is used here: the rest loads `datetime` and `collections`, 3 ms
        import _sqlite3 as sqlite3
    except ImportError:
        import sqlite3

_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE logs(number INTEGER PRIMARY KEY, stem TEXT NOT NULL, path TEXT NOT NULL,
  blob TEXT NOT NULL, work INTEGER NOT NULL, entry BLOB NOT NULL);
CREATE UNIQUE INDEX logs_stem ON logs(stem);
CREATE INDEX logs_work ON logs(stem) WHERE work;
CREATE TABLE findings(number INTEGER PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE facts(id TEXT PRIMARY KEY, history BLOB NOT NULL, state INTEGER NOT NULL,
  anchor TEXT NOT NULL, young TEXT NOT NULL, kind TEXT NOT NULL, contested INTEGER NOT NULL)
  WITHOUT ROWID;
CREATE INDEX facts_anchor ON facts(anchor) WHERE state IN (1, 2);
CREATE INDEX facts_young ON facts(young) WHERE state IN (1, 2) AND young != ''
  AND young != anchor;
CREATE INDEX facts_kind ON facts(kind) WHERE state = 1;
CREATE INDEX facts_pinned ON facts(id) WHERE state = 2;
CREATE INDEX facts_contested ON facts(id) WHERE contested;
CREATE TABLE edges(old TEXT NOT NULL, new TEXT NOT NULL, stem TEXT NOT NULL, seq INTEGER NOT NULL);
CREATE INDEX edges_old ON edges(old);
"""
#: `facts.state`: named and without a text; ordinary; an open thread or promoted; superseded.
#: `facts.young` is where age counts from while it matters (at most one use). It may lie above the anchor:
#: a fact was named, and then created by a log that is no work.
_PENDING, _ORDINARY, _PINNED, _FALSE = 0, 1, 2, 3
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
        # DELETE: SQLite looks before each transaction whether the file was replaced meanwhile, and a
        # journal never lies about that belongs to another file of this name
        base.execute("PRAGMA journal_mode=DELETE")
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
        self.load()

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def load(self) -> None:
        """Read the few values that every question needs, all as of one commit."""
        rows = self._base.execute("SELECT key, value FROM meta").fetchall()
        values = {key: marshal.loads(value) for key, value in rows}
        self.commit: str = values["commit"]
        self.policy_blob: str = values["policy_blob"]
        self.policy = policy_of(values["policy"])
        self.policy_problem: str = values["policy_problem"]
        self.summary = Summary(*values["summary"])
        self._counts: tuple[int, int] = values["counts"]
        self.cut: frozenset[Edge] = frozenset(values["cut"])

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

    def _set(self, **values: Any) -> None:
        self._base.executemany(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)",
            [(key, marshal.dumps(value)) for key, value in values.items()],
        )

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
            if self._get("commit") != base:
                self._base.execute("ROLLBACK")
                self.load()
                return False
            self._add(refs, entries, findings)
            if policy is not None:
                self._set(policy_blob=policy[0], policy=plain(policy[1]), policy_problem=policy[2])
            self._set(commit=commit)
            self._base.execute("COMMIT")
        except BaseException:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise
        self.load()
        return True

    def _add(
        self, refs: Sequence[LogRef], entries: Sequence[Entry], findings: Sequence[Finding]
    ) -> None:
        run = self._base.execute
        self._base.executemany(
            "INSERT INTO logs(stem, path, blob, work, entry) VALUES (?, ?, ?, ?, ?)",
            [
                (ref.key, ref.path, ref.blob, int(entry.work), marshal.dumps(pack_entry(entry)))
                for ref, entry in zip(refs, entries, strict=True)
            ],
        )
        self._base.executemany(
            "INSERT INTO findings(value) VALUES (?)",
            [(marshal.dumps(tuple(finding)),) for finding in findings],
        )
        digest = set_digest(log_digest(ref.key, ref.blob) for ref in refs)
        summary = merge_summaries(self.summary, summarise(entries, digest))
        gathered = collect(entries)
        edges = [edge for fact, history in gathered.items() for edge in _edges(fact, history)]
        touched = dict(gathered)
        cut = self.cut
        if edges:
            self._base.executemany(
                "INSERT INTO edges VALUES (?, ?, ?, ?)",
                [(old, new, stem, seq) for stem, seq, old, new in edges],
            )
            if any(self._closes_circle(edge) for edge in edges):
                everything = run("SELECT stem, seq, old, new FROM edges").fetchall()
                cut = cut_edges(everything)
                for _, _, old, new in cut ^ self.cut:
                    touched.setdefault(old, History())
                    touched.setdefault(new, History())
        facts, false = self._counts
        rows = []
        for fact, news in touched.items():
            row = run("SELECT history, state FROM facts WHERE id = ?", (fact,)).fetchone()
            before = _PENDING
            if row is not None:
                before = row[1]
                news = merge(_history(row[0]), news)
            made = _row(fact, news, cut)
            rows.append(made)
            facts += (made[2] != _PENDING) - (before != _PENDING)
            false += (made[2] == _FALSE) - (before == _FALSE)
        self._base.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._set(summary=tuple(summary), counts=(facts, false), cut=tuple(cut))

    def _closes_circle(self, edge: Edge) -> bool:
        """Tell whether a way leads from the successor of an edge back to its start."""
        _, _, goal, start = edge
        seen, todo = {start}, [start]
        while todo:
            fact = todo.pop()
            if fact == goal:
                return True
            for (new,) in self._base.execute("SELECT new FROM edges WHERE old = ?", (fact,)):
                if new not in seen:
                    seen.add(new)
                    todo.append(new)
        return False

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
        for fact, packed in dict(rows).items():
            found = resolve(fact, _history(packed), self.cut)
            if found is None:
                continue
            standing = stand(found, clock, self.policy, lasting)
            counts[standing.tier] = counts.get(standing.tier, 0) + 1
            if standing.live:
                live.append(standing)
        facts, false = self._counts
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
        return None if row is None else resolve(fact, _history(row[0]), self.cut)

    def histories(self) -> dict[str, History]:
        """Return everything that is known of every id."""
        rows = self._base.execute("SELECT id, history FROM facts").fetchall()
        return {fact: _history(packed) for fact, packed in rows}

    def some_histories(self, facts: Iterable[str]) -> dict[str, History]:
        """Return what is known of some ids."""
        found: dict[str, History] = {}
        for fact in facts:
            row = self._base.execute("SELECT history FROM facts WHERE id = ?", (fact,)).fetchone()
            if row is not None:
                found[fact] = _history(row[0])
        return found

    def ids(self) -> list[str]:
        """Return all ids that are named anywhere, sorted."""
        return [row[0] for row in self._base.execute("SELECT id FROM facts ORDER BY id")]

    def work_stems(self) -> list[str]:
        """Return the stems of all `work` logs in ledger order."""
        rows = self._base.execute("SELECT stem FROM logs WHERE work ORDER BY stem")
        return [row[0] for row in rows]

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

    def findings(self) -> tuple[Finding, ...]:
        """Return what reading the logs brought up."""
        rows = self._base.execute("SELECT value FROM findings ORDER BY number").fetchall()
        return tuple(Finding(*marshal.loads(row[0])) for row in rows)


def build(
    path: str,
    commit: str,
    refs: Sequence[LogRef],
    entries: Sequence[Entry],
    findings: Sequence[Finding],
    policy: tuple[str, Policy, str],
) -> Cache:
    """Write a cache from a cold reading, in place of whatever is there, and open it.

    Args:
        path: the file; "" builds it in memory, where the disk does not take one.
        commit: what was read.
        refs: its logs.
        entries: what they say, in the same order.
        findings: what reading them brought up.
        policy: (blob id, policy, problem).

    Raises:
        sqlite3.Error: it can not be written.
    """
    temporary = f"{path}.{os.getpid()}.tmp" if path else ":memory:"
    if path and os.path.exists(temporary):
        os.unlink(temporary)
    base = sqlite3.connect(temporary, isolation_level=None)
    try:
        base.execute("PRAGMA synchronous=OFF")
        base.execute("PRAGMA journal_mode=OFF")
        base.executescript(_TABLES)
        base.execute("BEGIN")
        base.executemany(
            "INSERT INTO logs(stem, path, blob, work, entry) VALUES (?, ?, ?, ?, ?)",
            (
                (ref.key, ref.path, ref.blob, int(entry.work), marshal.dumps(pack_entry(entry)))
                for ref, entry in zip(refs, entries, strict=True)
            ),
        )
        base.executemany(
            "INSERT INTO findings(value) VALUES (?)",
            [(marshal.dumps(tuple(finding)),) for finding in findings],
        )
        histories = collect(entries)
        edges = [edge for fact, history in histories.items() for edge in _edges(fact, history)]
        base.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?)",
            [(old, new, stem, seq) for stem, seq, old, new in edges],
        )
        cut = cut_edges(edges)
        rows = [_row(fact, histories[fact], cut) for fact in sorted(histories)]
        base.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        digest = set_digest(log_digest(ref.key, ref.blob) for ref in refs)
        values: dict[str, Any] = {
            "version": CACHE_VERSION,
            "generation": os.urandom(8).hex(),
            "commit": commit,
            "policy_blob": policy[0],
            "policy": plain(policy[1]),
            "policy_problem": policy[2],
            "summary": tuple(summarise(entries, digest) if entries else NOTHING),
            "counts": (
                sum(row[2] != _PENDING for row in rows),
                sum(row[2] == _FALSE for row in rows),
            ),
            "cut": tuple(cut),
        }
        base.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [(key, marshal.dumps(value)) for key, value in values.items()],
        )
        base.execute("COMMIT")
        if not path:
            return Cache(base)
    except BaseException:
        base.close()
        raise
    base.close()
    os.chmod(temporary, 0o600)
    _install(temporary, path)
    return open_cache(path)


def _install(temporary: str, path: str) -> None:
    """Put a new file in place of the old while no process writes to the old one.

    A writer in the middle would leave a journal that SQLite takes for the new file's, and damage it.
    """
    for _ in range(20):
        try:
            before = os.stat(path).st_ino
        except FileNotFoundError:
            _drop_journal(path)
            try:
                os.link(temporary, path)
            except FileExistsError:
                continue
            except OSError:  # a file system without links
                os.replace(temporary, path)
            else:
                os.unlink(temporary)
            return
        old = sqlite3.connect(path, timeout=10, isolation_level=None)
        try:
            try:
                old.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:  # in use for ten seconds
                raise
            except sqlite3.DatabaseError:
                pass  # no database any more: nobody can write to it either
            if os.stat(path).st_ino == before:
                _drop_journal(path)
                os.replace(temporary, path)
                return
        except FileNotFoundError:
            continue
        finally:
            old.close()
    raise sqlite3.OperationalError(f"{path} kept changing")


def _drop_journal(path: str) -> None:
    try:
        os.unlink(path + "-journal")
    except FileNotFoundError:
        pass


def _row(
    fact: str, history: History, cut: frozenset[Edge]
) -> tuple[str, bytes, int, str, str, str, int]:
    found = resolve(fact, history, cut)
    packed = marshal.dumps(
        (
            history.uses,
            history.last,
            tuple([(act.stem, act.seq, pack_event(act.event)) for act in history.acts]),
        )
    )
    if found is None:
        return fact, packed, _PENDING, "", "", "", 0
    if found.false:
        state = _FALSE
    elif found.promoted or (found.kind == THREAD_KIND and not found.closed):
        state = _PINNED
    else:
        state = _ORDINARY
    contested = len(found.heads) > 1 or len(found.superseded_by) > 1
    young = found.born if found.uses <= 1 else ""
    return fact, packed, state, found.anchor, young, found.kind, int(contested)


def _history(packed: bytes) -> History:
    uses, last, acts = marshal.loads(packed)
    return History(
        uses, last, tuple([Act(stem, seq, unpack_event(event)) for stem, seq, event in acts])
    )


def _edges(fact: str, history: History) -> Iterator[Edge]:
    for stem, seq, event in history.acts:
        if isinstance(event, FactSuperseded) and event.id == fact:
            yield stem, seq, fact, event.new


def plain(policy: Policy) -> tuple[Any, ...]:
    """Return a policy as plain tuples, for the cache."""
    return (
        policy.project,
        policy.publish,
        tuple(policy.windows),
        tuple(policy.review),
        tuple([tuple(kind) for kind in policy.kinds]),
        policy.format,
    )


def policy_of(values: Any) -> Policy:
    """Return the policy of plain tuples."""
    project, publish, windows, review, kinds, version = values
    return Policy(
        project,
        publish,
        Windows(*windows),
        Review(*review),
        tuple([Kind(*kind) for kind in kinds]),
        version,
    )
