"""Open one home for reading and recording: the library's `Memory`.

What only some questions need is imported by them: a short command pays for what it does.
"""

from __future__ import annotations

from ledger.errors import DiurnaError, EditNotUnderstood
from ledger.git.committer import identity_findings
from ledger.git.repository import read_reference
from ledger.home import discover
from ledger.model.event import FactRedacted
from ledger.model.finding_codes import Finding
from ledger.wal.atomic_files import died
from memory.pages import Pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memory.merge.learned_by_sync import SyncPlan
    from memory.write.commit_files import Files
    from memory.write.draft import Receipt, SessionDraft


class Memory(Pages):
    """One home, open: what asks comes from `Reader`, what pages are to people from `Pages`."""

    @classmethod
    def open(cls, start: str = ".", *, agent: str = "") -> Memory:
        """Open the home of a folder.

        Raises:
            HomeNotFound: there is none at or above it.
            UnsupportedRepository: its repository is of a shape Diurna does not handle.
        """
        return cls(discover(start), agent=agent)

    def asker(self) -> str:
        """Return who asks, as logs name it."""
        return self._agent or self.identity().name

    def append(
        self,
        draft: SessionDraft,
        *,
        again: bool = False,
        dry_run: bool = False,
        strict: bool = False,
        on: str | None = None,
        now: bool = False,
    ) -> Receipt:
        """Append a session log: the same write as `diurna append`.

        Args:
            draft: what to record.
            again: record it even if the same was recorded in the last ten minutes.
            dry_run: change nothing, and return what would be.
            strict: refuse a log that holds a secret, or a new fact that repeats or denies another one,
                instead of storing it without the one and telling of the other.
            on: record it while the home shows this view (`snapshot.seen()`) or not at all.
            now: commit it also where a person commits logs (W21).

        Raises:
            Outrun: the home does not show `on` any more; nothing changed.
            DraftRefused: it can not be stored canonically, changes a fact that memory does not know
                (unless `draft.anyway`), or closes a circle of supersessions; nothing changed.
            WaitsInSpool: it is durable, and the next command that can write commits it.
            StorageFailed: the disk refused; nothing changed.
        """
        return self._append(draft, again=again, dry_run=dry_run, strict=strict, on=on, now=now)

    def hold(
        self, draft: SessionDraft, *, again: bool = False, dry_run: bool = False, at: int = 0
    ) -> Receipt:
        """Append a captured log, which nobody asked for: it is committed once it disturbs nobody's work.

        The receipt has no commit while it waits: it is durable then, and the view has it.

        Args:
            draft: what to record.
            again: record it even if the same was recorded in the last ten minutes.
            dry_run: change nothing, and return what would be.
            at: stamp it there: it tells of the past; milliseconds since 1970, 0 for now.

        Raises:
            DraftRefused, StorageFailed: as for `append`.
        """
        return self._append(draft, again=again, dry_run=dry_run, held=True, at=at)

    def _append(self, draft: SessionDraft, **how: Any) -> Receipt:
        from memory.write.draft import WriteRequest

        committer, recorder = self.committer, self.recorder()
        asked = WriteRequest(draft, self.occasion(), **how)
        redacts = any(isinstance(event, FactRedacted) for event in draft.events)
        noticed: tuple[Finding, ...] = ()
        if redacts and not (asked.dry_run or asked.held or asked.on is not None):
            noticed = committer.branch.despite_pruning(self._absorb_for_redaction)
        receipt = recorder.append(asked)
        if receipt.commit and self.home.tip() != receipt.commit:
            self.bring_back()  # somebody committed meanwhile
        notes = identity_findings(self.identity()) if receipt.commit else ()
        notes += recorder.noticed(receipt)
        notes, self.snapshot.notes[:] = (*self.snapshot.notes, *notes), ()
        if receipt.commit and redacts:
            self.snapshot.settle()  # now that no lock is held
        return receipt._replace(
            findings=tuple(dict.fromkeys((*noticed, *receipt.findings, *notes)))
        )

    def bring_back(self) -> None:
        """Finish what a dead process left, see to what a reference lost or a reset left, and report it."""
        owed = self.home.plain and (self.waiting() or self.home.spool.kept() or self.held())
        if owed or died(self.home.repository.commondir) or self.home.is_astray():
            self.committer.bring_back(self.occasion)

    def drain(self, *, held: bool = True) -> tuple[Finding, ...]:
        """Commit logs that wait in the spool, but for a person's to commit (W21); say what was noticed.

        Args:
            held: captured logs too, whatever they are in the way of: somebody asked for it.

        Raises:
            WaitsInSpool: they still can not be committed.
        """
        waits = self.waiting() or (held and self.held())
        return self.committer.drain(self.occasion(), held=held) if waits else ()

    def remake(self) -> list[str]:
        """Write again what `git gc --prune=now` took of recent commits; return the ids of the objects."""
        return self.committer.branch.remake()

    def commit_files(
        self, files: Iterable[tuple[str, bytes | None]], message: str, *, only_missing: bool = False
    ) -> str:
        """Commit files of the home (a policy, attributes; None takes one out); return the commit.

        Args:
            files: (path relative to the home, bytes).
            message: of the commit.
            only_missing: leave out those that the tip has by then, whatever is in them.

        Raises:
            Busy: the branch kept moving or is locked.
            StorageFailed: the disk refused.
        """
        listed, git = tuple(files), self.home.repository.git()

        def wanted(tip: str) -> Files:
            if not (only_missing and tip):
                return listed
            there = git.resolve(*[f"{tip}:{self.home.prefix}{path}" for path, _ in listed])
            return tuple(one for one, blob in zip(listed, there, strict=True) if not blob)

        return self.committer.commit_files(wanted, message, self.occasion)

    def join(
        self,
        theirs: str,
        *,
        adopt: bool = False,
        dry_run: bool = False,
        planned: SyncPlan | None = None,
    ) -> SyncPlan:
        """Join the branch with another tip of the ledger that was fetched; nothing is sent anywhere.

        Args:
            theirs: the commit, "" for none.
            adopt: also one whose history shares nothing with ours.
            dry_run: move nothing; say what would be.
            planned: what a dry run said: done as it is, if the branch still stands where it stood.

        Raises:
            SyncRefused: a person has to decide; nothing changed.
            Busy: the branch kept moving or is locked.
            StorageFailed: the disk refused.
        """
        from memory.merge.learned_by_sync import SAME, SyncPlan
        from memory.replay.tip_snapshot import fetch_promised

        snapshot = self.snapshot.tip
        fetch_promised(self.home, theirs)
        plans: list[SyncPlan] = []

        def where(tip: str) -> tuple[str, list[str]]:
            if planned is not None and tip == planned.ours:
                plans.append(planned)
            elif tip == theirs:
                plans.append(SyncPlan(SAME, tip, theirs, tip))
            else:
                from memory.merge.tip_merge import Planner

                plans.append(Planner(snapshot, tip, theirs, adopt, self._progress).plan())
            return plans[-1].tip, [ref.stem for ref in plans[-1].came]

        if dry_run:
            where(read_reference(self.home.repository, self.home.reference))
        else:
            from memory.write.commit_files import CommitWriter

            CommitWriter(snapshot).move(where)
            done = plans[-1]
            if done.reading is not None and done.tip != done.ours:
                snapshot.forward(done.ours, done.tip, done.reading)
        return plans[-1]

    def _absorb_for_redaction(self) -> tuple[Finding, ...]:
        """Absorb an edit before a redaction, which writes the page and which nothing about it may stop."""
        from memory.worktree.page_copies import is_edited

        if self.home.plain or not (is_edited(self.home) and self.publishes()):
            return ()
        try:
            return self.absorb_first()
        except EditNotUnderstood as problem:
            return problem.findings
        except (DiurnaError, OSError):
            return ()  # what is in the way here is in the way of the append, which says so
