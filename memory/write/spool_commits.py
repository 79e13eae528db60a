"""Commit what waits in the spool (W2 to W8).

Whoever holds the lock commits all that waits, so a killed writer's log is carried in by the next command.
A commit is acknowledged after it was read back.
"""

from __future__ import annotations

from ledger.codec.fast_read import read_entry
from ledger.errors import (
    Busy,
    CorruptRepository,
    DiurnaError,
    GitFailed,
    StorageFailed,
    WaitsInSpool,
    WriteRefused,
)
from ledger.git.committer import check_stored
from ledger.git.repository import landing_hint
from ledger.model.event import REDACTS
from ledger.model.finding_codes import Finding
from ledger.model.ids import blob_id
from ledger.model.layout import EDITED_KEY
from ledger.model.log_names import LogRef, log_path
from ledger.wal.atomic_files import died
from ledger.wal.spool import KEEP
from memory.cache.ledger_version import landed, mark_here, mark_of, marks_elsewhere
from memory.cache.stamp import CacheDamaged
from memory.object_backups import (
    clear_damaged,
    drop_purged,
    let_go,
    mend_spooled,
    set_back,
)
from memory.replay.tip_snapshot import Snapshot
from memory.write.branch_lock import obstacle, unfit
from memory.write.commit_files import CommitWriter, Files, check_writable, commit_subject
from memory.write.draft import Occasion, kept_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.model.session import Entry
    from ledger.wal.atomic_files import Lock

    #: What waits: stem -> its bytes.
    Batch = dict[str, bytes]
    #: A log of this process: stem, bytes, and what it says, where that is known.
    Own = tuple[str, bytes, Entry | None]
    #: The tip that was left, and what was noticed.
    Committed = tuple[str, tuple[Finding, ...]]


#: Stand in logs that bring the pages with them: what is withheld leaves them, what a person edited stays.
_WITH_PAGES = REDACTS, f"\n{EDITED_KEY}: ".encode()


class Committer(CommitWriter):
    """Commits to one home what waits for it, too.

    Args:
        snapshot: of the home; brought forward with every commit.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot)
        self.spool = self.home.spool
        self._looked = False

    def drain(self, occasion: Occasion, *, held: bool = True) -> tuple[Finding, ...]:
        """Commit what waits in the spool; return what was noticed.

        `held`: captured logs are reason enough.

        Raises:
            WaitsInSpool: it can not be committed now.
        """
        return self.land(occasion)[1] if self._owes(held) else ()

    def _owes(self, held: bool = True) -> bool:
        """Tell whether something waits that Diurna commits; captured logs only where `held`."""
        return bool(self.spool.waiting() or (held and self._captured()))

    def _captured(self) -> Batch:
        """Return the held logs that are not a person's to commit, as a redaction is not (W21)."""
        held = self._read(self.spool.held())
        if not self.home.plain:
            return held
        return {stem: data for stem, data in held.items() if REDACTS in data}

    def _read(self, stems: list[str]) -> Batch:
        """Return logs of the spool, without those that are gone."""
        return {stem: data for stem in stems if (data := self.spool.read(stem)) is not None}

    def bring_back(self, occasion: Callable[[], Occasion]) -> None:
        """Finish what was left undone, and tell of it; nobody asked for that, so it waits for no git."""
        home, self.branch.hurried = self.home, True
        try:
            left = died(home.repository.commondir)
            if home.plain:
                self._snapshot.notes += self._settle()
                left = left or self._owes()
            if left or home.is_astray():
                self._snapshot.notes += self.land(occasion(), free=True)[1]
        except (CacheDamaged, DiurnaError, OSError):
            pass  # what is in the way here is in the way of the command, which says so
        finally:
            self.branch.hurried = False

    def _settle(self) -> list[Finding]:
        """See to the logs that a person commits (W21); return what could not be written.

        What a branch has by now is let go, what a reset left in the work tree waits again, and what the
        work tree has not had yet is written.
        """
        home, spool = self.home, self.spool
        drop_purged(self._snapshot.cache(), spool)  # it may have been meant to go (fault:E7)
        for stem in set_back(home, spool, self._snapshot.cache()):
            spool.requeue(stem, mark_here(home))
        held = spool.held()
        known = self._snapshot.cache().known(held) if held else {}
        marks = {stem: mark for stem, mark in marks_elsewhere(home).items() if stem not in known}
        there = landed(home, {stem: f"refs/heads/{one.branch}" for stem, one in marks.items()})
        there |= dict.fromkeys(known, home.reference)
        if there:
            from memory.redaction.withheld_texts import held_logs
            from memory.repair.lost_logs import remember

        for reference in set(there.values()):
            remember(home._replace(reference=reference), held_logs(self._snapshot.cache()))
        for stem in there:
            spool.commit(stem)
        spool.forget(spool.kept()[:-KEEP])  # what a person may yet reset to before
        if not (owed := [stem for stem in spool.held() if mark_of(home, stem).owed]):
            return []
        from memory.worktree.uncommitted_logs import write_owed

        return write_owed(home, spool, owed)

    def land(self, occasion: Occasion, own: Own | None = None, *, free: bool = False) -> Committed:
        """Commit everything that waits; turn failures into "it waits".

        Args:
            occasion: when and by whom.
            own: the log of this process that is in the spool, as (stem, bytes, what it says).
            free: captured logs only where they disturb nobody's work.

        Raises:
            WaitsInSpool: it can not be committed now.
        """
        stem = own[0] if own else next(iter([*self.spool.waiting(), *self.spool.held()]), "")
        try:
            return self.branch.write(
                lambda lock, tip: self._commit_waiting(lock, tip, occasion, own, free)
            )
        except (
            Busy, StorageFailed, GitFailed, CorruptRepository, WriteRefused, OSError, ImportError
        ) as problem:  # fmt: skip
            hint = problem.hint if isinstance(problem, DiurnaError) else ""
            raise WaitsInSpool(stem, str(problem), hint) from problem

    def _commit_waiting(
        self, lock: Lock, tip: str, occasion: Occasion, own: Own | None, free: bool
    ) -> Committed:
        mend_spooled(self._snapshot, self.spool, kept=not self._looked)
        self._looked = True
        waits = self.spool.held()
        for stem in self._snapshot.cache().known(waits) if waits else ():
            self.spool.commit(stem)
        batch, held = self._read(self.spool.waiting()), self._captured()
        # a redaction waits among them so that the view has it; it was asked for all the same
        if not free or any(REDACTS in data for data in held.values()):
            batch, held = {**held, **batch}, {}
        if own and own[0] not in batch:  # whoever held the lock before us carried it in
            if self._snapshot.cache(tip).log_ref(own[0]) is not None:
                return tip, ()
            # from another work tree, to the branch there: it is asked for on this one too
            self.spool.put(*own[:2])
            batch = {**batch, own[0]: own[1]}
        if batch and (said := unfit(self.home)):
            hint = "finish it; the next Diurna command commits what waits"
            if said.startswith("HEAD"):
                hint = landing_hint(self.home.repository)
            raise WaitsInSpool(own[0] if own else next(iter(batch)), said, hint)
        if held and not obstacle(self.home):
            batch = {**held, **batch}
        return self._commit(lock, tip, occasion, batch, own) if batch else (tip, ())

    def _commit(
        self, lock: Lock, tip: str, occasion: Occasion, batch: Batch, own: Own | None
    ) -> Committed:
        home, cache = self.home, self._snapshot.cache(tip)
        check_writable(cache.policy)
        said = {
            stem: own[2]
            if own and own[2] and own[:2] == (stem, data)
            else read_entry(stem, data)[0]
            for stem, data in sorted(batch.items())
            if cache.log_ref(stem) is None
        }
        kept = kept_back(home, cache.policy, said)
        findings, done = list(kept.values()), [stem for stem in batch if stem not in kept]
        fresh = {stem: batch[stem] for stem in said if stem not in kept}
        if not fresh:
            for stem in done:
                self.spool.commit(stem)
            return tip, tuple(findings)
        refs = [LogRef(stem, log_path(stem), blob_id(data)) for stem, data in fresh.items()]
        entries = [said[stem] for stem in fresh]
        files: Files = tuple(zip([ref.path for ref in refs], fresh.values(), strict=True))
        if any(word in data for data in fresh.values() for word in _WITH_PAGES):
            from memory.worktree.page_authorship import pages_with

            pages, noticed = pages_with(home, cache, tip, refs, entries, list(fresh.values()))
            files, findings = (*files, *pages), [*findings, *noticed]
        cleared = [ref for ref in refs if clear_damaged(home, ref.blob)]
        made, shown = self.write(lock, tip, files, commit_subject(entries), occasion)
        check_stored(home.repository, made, [(home.prefix + ref.path, ref.blob) for ref in refs])
        if home.tip() != made and not home.repository.git().holds(home.tip(), made):
            raise StorageFailed(f"{home.reference} did not keep the commit {made}")
        self.branch.end_note(lock, made, shown)
        for stem in done:
            self.spool.commit(stem)
        if home.plain:
            from memory.redaction.withheld_texts import held_logs
            from memory.repair.lost_logs import remember

            remember(home, held_logs(cache))
        if cleared:  # the cache holds that they can not be read
            self._snapshot.rebuilt()
        else:
            try:
                cache.advance(tip, made, refs, entries, ())
            except CacheDamaged:
                self._snapshot.close()  # the next question builds it anew
        let_go(self._snapshot, self.spool, self._intents, self.branch.remake_locked)
        return made, (*findings, *shown)
