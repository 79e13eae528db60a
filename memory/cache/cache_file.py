"""Open the cache: entries and histories in one SQLite file under the git directory.

Disposable: keyed by the commit it mirrors, equal to a cold replay, rebuilt when it is missing, damaged,
of another version, or cannot be brought forward. Nothing in it is truth, and nothing is read of a file
that does not agree with its stamp.
"""

from __future__ import annotations

import marshal
import os

from ledger.model.findings import Finding
from ledger.model.layout import CACHE_VERSION
from ledger.model.logset import LogRef
from ledger.model.session import Entry
from memory.cache.log_application import add_logs, unpack_head
from memory.cache.queries import Questions
from memory.cache.schema import plain, policy_of
from memory.cache.sqlite import FILE_ERRORS, CacheDamaged, sqlite3, unpack
from memory.cache.stamp import Held, Stamp, begin, see_to_disk
from projection.policy.model import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    Said = TypeVar("Said")

#: For how many sets of logs the projection is remembered: ours, and those that a sync tries.
_RENDERINGS = 4


def open_cache(path: str) -> Cache:
    """Open a cache file.

    Raises:
        CacheDamaged: it can not be used.
    """
    stamp = Stamp(path)
    base = None
    try:
        with FILE_ERRORS:
            stamp.check()
            base = sqlite3.connect(path, timeout=10, isolation_level=None)
            base.execute("PRAGMA synchronous=OFF")
            # the journal is emptied, not unlinked: a quarter less for a transaction; `build` takes it away
            # before it puts another file in place
            base.execute("PRAGMA journal_mode=PERSIST")
            cache = Cache(base, stamp)
            see_to_disk(base, stamp)
            return cache
    except BaseException:
        if base is not None:
            base.close()
        raise


class Cache(Questions):
    """A cache, open.

    Args:
        base: the connection.
        stamp: of its file.

    Raises:
        CacheDamaged: it is of another version, or not as it was left.
    """

    def __init__(self, base: sqlite3.Connection, stamp: Stamp) -> None:
        self._base = base
        self._stamp = stamp
        self.row("PRAGMA data_version")  # what a killed writer left is taken back by it
        stamp.check()
        if self.value("version", int) != CACHE_VERSION:
            raise CacheDamaged("a cache of another version")
        self._seen = -1
        self._packed_policy = b""
        self._shown = {}
        self.load()

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def load(self) -> None:
        """Read the few values that every question needs, all as of one commit, outside of a reading.

        Raises:
            CacheDamaged: the file is not as it was left.
        """
        with FILE_ERRORS:
            self._stamp.check()
        self.load_written()

    def load_written(self) -> None:
        """Read these values if another connection wrote since, which SQLite tells; in a transaction."""
        (seen,) = self.row("PRAGMA data_version")
        if seen == self._seen:
            return
        found = self.rows(
            "SELECT value FROM meta WHERE key IN ('generation', 'head', 'policy') ORDER BY key"
        )
        if len(found) != 3:
            raise CacheDamaged("no generation, no head, or no policy")
        (generation,), (head,), (policy,) = found
        #: another one where logs that were there may be gone
        self.generation = unpack(generation, str)
        self.head = unpack_head(head)
        if policy != self._packed_policy:
            self.policy, self.policy_problem = unpack(policy, policy_and_problem)
            self._packed_policy = policy
        self._seen = seen

    def __enter__(self) -> Cache:
        """Begin a reading that sees one commit throughout; other processes' writes wait for its end."""
        with FILE_ERRORS:
            begin(self._base, self._stamp)
            try:
                self.load_written()
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        with FILE_ERRORS:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")

    def places(self, after: int = 0) -> list[tuple[int, str, str, int, str]]:
        """Return (number, log, commit, whether it is dirty, branch) of what logs tell, oldest first."""
        return self.rows(
            'SELECT number, stem, "commit", dirty, branch FROM places WHERE number > ? ORDER BY number',
            (after,),
        )

    def landed(self) -> list[tuple[str, str, str, str]]:
        """Return (log, verb, commit, how) of what logs say became of the work of a log, in ledger order.

        Of one log the last whose commit HEAD has decides: `Landed`, or `Reverted` (FORMAT.md, B9).
        """
        return self.rows('SELECT stem, verb, "commit", how FROM landings ORDER BY log, rowid', ())

    def value(self, key: str, make: Callable[[Any], Said]) -> Said:
        """Return a value of the file's own.

        Raises:
            CacheDamaged: there is none, or another one than was written.
        """
        row = self.row("SELECT value FROM meta WHERE key = ?", (key,))
        if row is None:
            raise CacheDamaged(f"no {key}")
        return unpack(row[0], make)

    def _set(self, key: str, packed: bytes) -> None:
        self._base.execute("UPDATE meta SET value = ? WHERE key = ?", (packed, key))

    @property
    def base(self) -> sqlite3.Connection:
        """The open file, for the word index that lives in it."""
        return self._base

    def writing(self) -> Held:
        """Return the `with` in which the file may be changed (`memory.cache.stamp.Stamp.writing`)."""
        return self._stamp.writing()

    @property
    def commit(self) -> str:
        """The commit that it mirrors."""
        return self.head.commit

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

        `base` is the commit that the logs were compared with; entries come in the order of `refs`, and
        `findings` are what reading them brought up; `policy` is (blob id, policy, problem) when it
        changed.
        """
        with FILE_ERRORS, self.writing():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self.load_written()
                if self.commit != base:
                    self._base.execute("ROLLBACK")
                    return False
                head = add_logs(self._base, self.head, refs, entries, findings)
                head = head._replace(commit=commit)
                packed = self._packed_policy
                if policy is not None:
                    packed = marshal.dumps((policy[0], plain(policy[1]), policy[2]))
                    self._set("policy", packed)
                self._set("head", head.packed())
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise
        self.head, self._packed_policy = head, packed
        if policy is not None:
            _, self.policy, self.policy_problem = policy
        return True

    def take_over(self, other: Cache) -> None:
        """Hold what another cache holds, and nothing else: in place, for others have this file open."""
        generation = marshal.dumps(os.urandom(8).hex())
        with FILE_ERRORS, self.writing():
            # the journal of a whole file is not worth keeping
            self._base.execute("PRAGMA journal_mode=TRUNCATE")
            with other:
                other.base.backup(self._base)
            self._set("generation", generation)
            self._base.execute("PRAGMA journal_mode=PERSIST")
            self._seen, self._shown = -1, {}
            self.load_written()

    def supposing(
        self,
        refs: Sequence[LogRef],
        entries: Sequence[Entry],
        question: Callable[[Cache], Said | None],
    ) -> Said | None:
        """Answer a question as if logs were added; nothing of them stays. None if the cache moved."""
        before = self.head
        # what does not fit into memory goes to the file, and is taken back
        with FILE_ERRORS, self.writing():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self.load_written()
                if self.head != before:
                    return None
                self.head = add_logs(self._base, before, refs, entries, ())
                return question(self)
            finally:
                if self.head.commit == before.commit:
                    self.head = before
                self._base.execute("ROLLBACK")

    def rendered(self) -> dict[str, str] | None:
        """Return path -> blob id of the whole projection of these logs, None when it is not known."""
        for digest, policy, blobs in self._renderings():
            if digest == self.summary.digest and policy == self._packed_policy:
                return dict(blobs)
        return None

    def ever_rendered(self) -> set[tuple[str, str]]:
        """Return (path, blob id) of the projection files that were rendered here lately."""
        return {pair for _, _, blobs in self._renderings() for pair in blobs.items()}

    def note_rendered(self, digest: str, blobs: Mapping[str, str]) -> None:
        """Remember the projection of a set of logs under the policy in force."""
        known = [row for row in self._renderings() if row[0] != digest][: _RENDERINGS - 1]
        packed = marshal.dumps([(digest, self._packed_policy, dict(blobs)), *known])
        try:
            with FILE_ERRORS, self.writing():
                self._base.execute("INSERT OR REPLACE INTO meta VALUES ('rendered', ?)", (packed,))
        except CacheDamaged:
            pass  # then the next one is rendered whole

    def _renderings(self) -> list[tuple[str, bytes, dict[str, str]]]:
        row = self.row("SELECT value FROM meta WHERE key = 'rendered'")
        return [] if row is None else unpack(row[0], _renderings_of)


def policy_and_problem(plain: tuple[Any, ...]) -> tuple[Policy, str]:
    """Return the policy that a plain value of `meta` holds, and what is wrong with its file."""
    _, values, problem = plain
    return policy_of(values), problem


def _renderings_of(plain: Iterable[tuple[Any, ...]]) -> list[tuple[str, bytes, dict[str, str]]]:
    return [(digest, policy, dict(blobs)) for digest, policy, blobs in plain]
