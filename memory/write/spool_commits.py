"""Commit what waits in the spool (W2 to W8).

Whoever holds the lock commits all that waits, so a killed writer's log is carried in by the next command.
A commit is acknowledged after it was read back.
"""

from __future__ import annotations

from ledger.codec.log import read_entry
from ledger.errors import (
    Busy,
    CorruptRepository,
    DiurnaError,
    GitFailed,
    Outrun,
    StorageFailed,
    TipMoved,
    WaitsInSpool,
    WriteRefused,
)
from ledger.git.commit_record import Commit, check_stored
from ledger.git.repository import read_reference
from ledger.model.findings import Finding
from ledger.model.layout import FORMAT_VERSION, SESSIONS_DIR, log_path, stem_of
from ledger.model.logset import LogRef
from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.model.sha256 import blob_id
from ledger.wal.intents import Intents
from ledger.wal.spool import KEEP, Spool
from memory.cache.sqlite import CacheDamaged
from memory.cache.view_name import landed, mark_here, marks_elsewhere
from memory.redaction.withheld_texts import held_logs
from memory.repair.lost_blobs import (
    clear_damaged,
    drop_purged,
    let_go,
    mend_spooled,
    set_back,
)
from memory.repair.seen_tip import along, note_logs, remember
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.trunk import publishes
from memory.worktree.checkout_update import Ahead
from memory.worktree.commit_follow import show_elsewhere
from memory.worktree.uncommitted import REDACTS, write_owed
from memory.write.branch_lock import Branch, born_from_upstream, obstacle, refuse_unfit
from memory.write.draft import Occasion
from memory.write.personal_guard import kept_back
from memory.write.signing import Signing, commit_subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ledger.git.fast_import import FastImport
    from ledger.git.pygit2_store import Store
    from ledger.wal.atomic_files import Lock
    from projection.policy.model import Policy

    #: What waits: stem -> its bytes, and what they say where that is known.
    Batch = Mapping[str, tuple[bytes, Entry | None]]


class Own(Record):
    """The log of this process, on its way into the ledger."""

    stem: str  #: its name
    data: bytes  #: its bytes
    entry: Entry  #: what it says


class Committed(Record):
    """What a drain of the spool did: the tip it left, and what was noticed."""

    commit: str
    findings: tuple[Finding, ...]


class Committer:
    """Commits to one home.

    Args:
        snapshot: of the home; brought forward with every commit.
        in_process: write through pygit2 (a running process) instead of `git fast-import`.
    """

    def __init__(self, snapshot: Snapshot, in_process: bool) -> None:
        self.home = snapshot.home
        self.branch = Branch(snapshot)
        self._snapshot = snapshot
        self._in_process = in_process
        self._writer: Store | FastImport | None = None
        self.spool = Spool(self.home.spool_folder)
        self._intents = Intents(self.home.spool_folder)
        self._looked = False

    def drain(self, occasion: Occasion, *, held: bool = True) -> Committed | None:
        """Commit what waits in the spool; None when nothing does.

        `held`: captured logs are reason enough.

        Raises:
            WaitsInSpool: it can not be committed now.
        """
        return self.land(occasion, None) if self.owes(held) else None

    def owes(self, held: bool = True) -> bool:
        """Tell whether something waits that Diurna commits; captured logs only where `held`."""
        return bool(self.spool.waiting() or (held and self._to_commit()))

    def land_held(self, occasion: Occasion) -> Committed | None:
        """Commit captured logs, and all else, if they disturb nobody's work; None if they wait on.

        Raises as `land`.
        """
        if not self._to_commit() or obstacle(self.home):
            return None
        return self.land(occasion, None, free=True)

    def _to_commit(self) -> dict[str, tuple[bytes, Entry | None]]:
        """Return the held logs that are not a person's to commit, as a redaction is not (W21)."""
        held = self._read(self.spool.held())
        if not self.home.plain:
            return held
        return {stem: one for stem, one in held.items() if REDACTS in one[0]}

    def settle(self) -> list[Finding]:
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
        for reference in set(there.values()):
            remember(home._replace(reference=reference), held_logs(self._snapshot.cache()))
        for stem in there:
            spool.commit(stem)
        spool.forget(spool.kept()[:-KEEP])  # what a person may yet reset to before
        return write_owed(home, spool, spool.held())

    def land(
        self,
        occasion: Occasion,
        own: Own | None,
        on: str | None = None,
        *,
        free: bool = False,
    ) -> Committed:
        """Commit everything that waits, with `own` among it; turn failures into "it waits".

        Args:
            occasion: when and by whom.
            own: the log of this process.
            on: commit only on this tip, and nothing but `own`, which is not in the spool yet.
            free: captured logs only where they disturb nobody's work.

        Raises:
            WaitsInSpool: it can not be committed now.
            Outrun: the branch is not at `on` any more, or another log waits; nothing changed.
        """
        stem = own.stem if own else next(iter([*self.spool.waiting(), *self.spool.held()]), "")
        try:
            with self.branch.lock() as lock:
                if own and on is not None:
                    if self.home.tip() != on or self.spool.waiting():
                        raise Outrun(self.home.reference)
                    self.spool.put(own.stem, own.data)
                return self.branch.despite_pruning(
                    lambda: self._try(occasion, own, lock, on, free), lock
                )
        except (
            Busy, StorageFailed, GitFailed, CorruptRepository, WriteRefused, OSError, ImportError
        ) as problem:  # fmt: skip
            hint = problem.hint if isinstance(problem, DiurnaError) else ""
            raise WaitsInSpool(stem, str(problem), hint) from problem

    def _try(
        self,
        occasion: Occasion,
        own: Own | None,
        lock: Lock,
        on: str | None,
        free: bool,
    ) -> Committed:
        try:
            return self._commit_waiting(occasion, own, lock, on, free)
        except CacheDamaged:  # a damaged cache is no reason not to commit
            self._snapshot.discard()
            return self._commit_waiting(occasion, own, lock, on, free)

    def _commit_waiting(
        self,
        occasion: Occasion,
        own: Own | None,
        lock: Lock,
        on: str | None,
        free: bool,
    ) -> Committed:
        self.branch.finish_dead(lock)
        mend_spooled(self._snapshot, self.spool, kept=not self._looked)
        self._looked = True
        waits = self.spool.held()
        for stem in self._snapshot.cache().known(waits) if waits else ():
            self.spool.commit(stem)
        batch = self._read(self.spool.waiting(), own)
        held = {} if on is not None else self._to_commit()
        # a redaction waits among them so that the view has it; it was asked for all the same
        if not free or any(REDACTS in data for data, _ in held.values()):
            batch, held = {**held, **batch}, {}
        if own and own.stem not in batch:  # whoever held the lock before us carried it in
            if self._snapshot.cache(self.home.tip()).log_ref(own.stem) is not None:
                return Committed(self.home.tip(), ())
            # from another work tree, to the branch there: it is asked for on this one too
            self.spool.put(own.stem, own.data)
            batch = {**batch, own.stem: (own.data, own.entry)}
        if batch:
            refuse_unfit(self.home, own.stem if own else next(iter(batch)))
        elif not held:
            return Committed(self.home.tip(), ())

        def once() -> Committed:
            tip = self.home.tip()
            if own and on is not None and tip != on:  # git itself was faster
                self.spool.withdraw(own.stem)
                raise Outrun(self.home.reference)
            logs = batch if not held or obstacle(self.home) else {**held, **batch}
            if not logs:
                return Committed(tip, ())
            return self._commit_once(occasion, dict(sorted(logs.items())), lock, tip)

        return self.branch.persist(once, lock)

    def _read(
        self, stems: Iterable[str], own: Own | None = None
    ) -> dict[str, tuple[bytes, Entry | None]]:
        """Return logs of the spool, without those that are gone; of our own what it says is known."""
        found: dict[str, tuple[bytes, Entry | None]] = {}
        for stem in stems:
            data = self.spool.read(stem)
            if own and stem == own.stem:
                found[stem] = (own.data, own.entry)
            elif data is not None:
                found[stem] = (data, None)
        return found

    def _commit_once(self, occasion: Occasion, batch: Batch, lock: Lock, tip: str) -> Committed:
        home = self.home
        self.branch.finish_dead(lock, tip)
        cache = self._snapshot.cache(tip)
        check_writable(cache.policy)
        fresh = {stem: item for stem, item in batch.items() if cache.log_ref(stem) is None}
        said = {stem: entry or read_entry(stem, data)[0] for stem, (data, entry) in fresh.items()}
        kept = kept_back(home, cache.policy, said)
        findings = list(kept.values())
        batch = {stem: item for stem, item in batch.items() if stem not in kept}
        fresh = {stem: item for stem, item in fresh.items() if stem not in kept}
        if not fresh:
            for stem in batch:
                self.spool.commit(stem)
            return Committed(tip, tuple(findings))
        refs = [LogRef(stem, log_path(stem), blob_id(data)) for stem, (data, _) in fresh.items()]
        entries = [said[stem] for stem in fresh]
        logs = [(ref.path, data) for ref, (data, _) in zip(refs, fresh.values(), strict=True)]
        files: list[tuple[str, bytes | None]] = [*logs]
        if publishes(home, cache.policy) and not cache.unread():
            from memory.worktree.forecast import published_with

            extra, noticed = published_with(
                home, cache, tip, refs, entries, [data for _, data in logs]
            )
            files += extra
            findings += noticed
        wanted = self.wanted(tip, files, commit_subject(entries), occasion)
        cleared = [ref for ref in refs if clear_damaged(home, ref.blob)]
        made, shown = self.write(wanted, lock)
        blobs = [(home.prefix + ref.path, ref.blob) for ref in refs]
        check_stored(home.repository, made, blobs)
        if home.tip() != made and not self._contains(made):
            raise StorageFailed(f"{home.reference} did not keep the commit {made}")
        findings += shown
        self.branch.end_note(lock, made, shown)
        for stem in batch:
            self.spool.commit(stem)
        if home.plain:
            remember(home, held_logs(cache))
        if cleared:  # the cache holds that they can not be read
            self._snapshot.rebuilt()
        else:
            try:
                cache.advance(tip, made, refs, entries, ())
            except CacheDamaged:
                self._snapshot.close()  # the next question builds it anew
        let_go(self._snapshot, self.spool, self._intents, self.branch.remake_locked)
        return Committed(made, tuple(findings))

    def write(self, wanted: Commit, lock: Lock) -> tuple[str, list[Finding]]:
        """Make a commit and move the branch to it; what is meant is noted first (W8).

        `lock` is held; its note is to be ended once the commit was read back.

        Returns:
            The commit, and what of it work trees could not be given.

        Raises:
            TipMoved: the branch is no longer at `wanted.expected`.
        """
        if read_reference(self.home.repository, wanted.reference) != wanted.expected:
            raise TipMoved(wanted.reference)
        self._intents.note(wanted)
        writer, ahead = self.writer(), Ahead(self.home, wanted.files)
        sign = Signing(self.home, wanted, self._intents)
        made = self.branch.noted(
            lock, wanted.parent, lambda: writer.commit(wanted, ahead.show, sign), ahead.take_back
        )
        ahead.settle()
        if wanted.along:
            note_logs(self.home, [stem_of(path) for path, data in wanted.files if data])
        return made, [
            *sign.findings,
            *ahead.findings,
            *show_elsewhere(self.home, wanted.parent, made),
        ]

    def wanted(
        self, tip: str, files: Sequence[tuple[str, bytes | None]], message: str, occasion: Occasion
    ) -> Commit:
        """Return the commit to be made of some files of the home on a tip."""
        home = self.home
        known = any(path.startswith(SESSIONS_DIR + "/") for path, _ in files)
        known = known or bool(home.seen and read_reference(home.repository, home.seen))
        return Commit(
            home.reference,
            tip,
            "" if born_from_upstream(home, tip) else tip,
            tuple((home.prefix + path, data) for path, data in files),
            message,
            occasion.identity,
            occasion.now_ms // 1000,
            along(home, tip) if known else (),
        )

    def _contains(self, commit: str) -> bool:
        """Tell whether the branch moved on from our commit, rather than past it."""
        status, _, _ = self.home.repository.git().call(
            "merge-base", "--is-ancestor", commit, self.home.tip()
        )
        return status == 0

    def writer(self) -> Store | FastImport:
        """Return the writer of commits, opened once."""
        if self._writer is None:
            if self._in_process:
                from ledger.git.pygit2_store import Store

                self._writer = Store(self.home.repository)
            else:
                from ledger.git.fast_import import FastImport

                self._writer = FastImport(self.home.repository)
        return self._writer


def check_writable(policy: Policy) -> None:
    """Refuse to write into a ledger of a newer format (Y3).

    Raises:
        WriteRefused: it is one.
    """
    if policy.format > FORMAT_VERSION:
        raise WriteRefused(
            f"the ledger has format {policy.format}, this Diurna writes {FORMAT_VERSION}",
            hint="install a newer Diurna; this one reads what it can",
        )
