"""Open the cache: entries and histories in one SQLite file under the git directory.

Disposable: keyed by the commit it mirrors, equal to a cold replay, rebuilt when it is missing, damaged,
of another version, or cannot be brought forward. Nothing in it is truth, and nothing is read of a file
that does not agree with its stamp.
"""

from __future__ import annotations

import marshal
import os

from ledger.model.finding_codes import Finding
from ledger.model.log_names import LogRef
from ledger.model.session import Entry
from memory.cache.queries import Questions
from memory.cache.schema import head_of, plain, policy_of
from memory.cache.stamp import FILE_ERRORS, CacheDamaged, Stamp, sqlite3, unpack
from projection.policy.model import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    Said = TypeVar("Said")


class Cache(Questions):
    """A cache, open.

    Args:
        base: the connection.
        stamp: of its file.

    Raises:
        CacheDamaged: it is of another version, or not as it was left.
    """

    def __init__(self, base: sqlite3.Connection, stamp: Stamp) -> None:
        self._packed_policy = b""
        super().__init__(base, stamp)

    def read_values(self) -> None:
        """Read the few values that every question needs."""
        found = self.rows(
            "SELECT value FROM meta WHERE key IN ('generation', 'head', 'policy') ORDER BY key"
        )
        if len(found) != 3:
            raise CacheDamaged("no generation, no head, or no policy")
        (generation,), (head,), (policy,) = found
        #: another one where logs that were there may be gone
        self.generation = unpack(generation, str)
        self.head = unpack(head, head_of)
        self.forget()
        if policy != self._packed_policy:
            self.policy, self.policy_problem = unpack(
                policy, lambda kept: (policy_of(kept[1]), str(kept[2]))
            )
            self._packed_policy = policy

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

    def _set(self, key: str, packed: bytes) -> None:
        self._base.execute("UPDATE meta SET value = ? WHERE key = ?", (packed, key))

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
        from memory.cache.log_application import add_logs

        def step() -> bool:
            if self.commit != base:
                return False
            head = add_logs(self._base, self.head, refs, entries, findings)
            if policy is not None:
                self._set("policy", marshal.dumps((policy[0], plain(policy[1]), policy[2])))
            self._set("head", head._replace(commit=commit).packed())
            return True

        return self.change(step)

    def keep_archive(self, packed: bytes) -> None:
        """Keep of which logs the archive was rendered last (`memory.merge.page_update`)."""
        keep = "INSERT OR REPLACE INTO meta VALUES ('archive', ?)"
        self.change(lambda: self._base.execute(keep, (packed,)))

    def take_over(self, other: Cache) -> None:
        """Hold what another cache holds, and nothing else: in place, for others have this file open."""
        generation = marshal.dumps(os.urandom(8).hex())
        with FILE_ERRORS, self.writing():
            with other:
                other.base.backup(self._base)
            self._set("generation", generation)
            self._seen = -1
            self.load_written()

    def supposing(
        self,
        refs: Sequence[LogRef],
        entries: Sequence[Entry],
        question: Callable[[Cache], Said | None],
    ) -> Said | None:
        """Answer a question as if logs were added; nothing of them stays. None if the cache moved."""
        from memory.cache.log_application import add_logs

        before = self.head
        # what does not fit into memory goes to the file, and is taken back
        with FILE_ERRORS, self.writing():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self.load_written()
                if self.head != before:
                    return None
                self.head = add_logs(self._base, before, refs, entries, ())
                self.forget()
                return question(self)
            finally:
                self.forget()
                if self.head.commit == before.commit:
                    self.head = before
                self._base.execute("ROLLBACK")
