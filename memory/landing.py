"""Landing: what waits in the spool becomes one commit, by the recipe that survived (FORMAT.md, W2 to W8).

Whoever holds the lock commits all that waits, so a killed writer's log is carried in by the next command.
A commit is acknowledged after it was read back.
"""

from __future__ import annotations

import os
import time

from ledger.codec import read_entry
from ledger.commit import Commit, Identity
from ledger.digest import blob_id
from ledger.disk import Lock, make_folder
from ledger.errors import (
    Busy,
    CorruptRepository,
    DiurnaError,
    GitFailed,
    Outrun,
    ReferenceLocked,
    StorageFailed,
    TipMoved,
    WaitsInSpool,
    WriteRefused,
)
from ledger.findings import Finding
from ledger.home import OWN_BRANCH, Home
from ledger.intents import Intents
from ledger.layout import COMMIT_SUBJECT, CONTINUITY_FILE, FORMAT_VERSION, LOCK_FILE, log_path
from ledger.logset import LogRef
from ledger.repository import operation_under_way
from ledger.session import Entry
from ledger.spool import KEEP, Spool
from ledger.stale import LEFT, clear_stale_lock, git_prunes, is_stranded
from ledger.values import Record
from memory.cache import CACHE_ERRORS
from memory.checkout import edit_hint, hand_edited, update_index
from memory.following import FOLLOWING, finish_dead, show_elsewhere, show_files, show_move
from memory.mending import clear_damaged, mend, suspects
from memory.pruning import despite_pruning
from memory.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from ledger.fastimport import FastImport
    from ledger.gitstore import Store
    from memory.cache import Cache
    from projection.policy import Policy

    Made = TypeVar("Made")

#: How long a commit is tried before the log is left in the spool.
PATIENCE_SECONDS = 20.0


class Occasion(Record):
    """When and by whom a write is made: read once, by the caller.

    Args:
        now_ms: the wall clock, milliseconds since 1970.
        identity: of the commit.
        agent: who writes the log when the draft does not say.
    """

    now_ms: int
    identity: Identity
    agent: str


class Landed(Record):
    """What a drain of the spool did: the tip it left, and what was noticed."""

    commit: str
    findings: tuple[Finding, ...]


class Lander:
    """Commits to one home.

    Args:
        snapshot: of the home; brought forward with every commit.
        in_process: write through pygit2 (a running process) instead of `git fast-import`.
    """

    def __init__(self, snapshot: Snapshot, in_process: bool) -> None:
        self.home = snapshot.home
        self._snapshot = snapshot
        self._in_process = in_process
        self._writer: Store | FastImport | None = None
        self.spool = Spool(self.home.spool_folder)
        self._intents = Intents(self.home.spool_folder)
        self._looked = False

    def drain(self, occasion: Occasion) -> Landed | None:
        """Commit what waits in the spool; None when nothing does.

        Raises:
            WaitsInSpool: it can not be committed now.
        """
        if not self.spool.waiting():
            return None
        return self.land(occasion, None)

    def land(
        self,
        occasion: Occasion,
        own: tuple[str, bytes, Entry] | None,
        on: str | None = None,
    ) -> Landed:
        """Commit everything that waits, with `own` among it; turn failures into "it waits".

        Args:
            occasion: when and by whom.
            own: the log of this process: its stem, bytes and entry.
            on: commit only on this tip, and nothing but `own`, which is not in the spool yet.

        Raises:
            WaitsInSpool: it can not be committed now.
            Outrun: the branch is not at `on` any more, or another log waits; nothing changed.
        """
        stem = own[0] if own else next(iter(self.spool.waiting()), "")
        state = self.home.state_dir
        make_folder(state)
        try:
            with Lock(os.path.join(self.home.repository.commondir, LOCK_FILE)) as lock:
                if own and on is not None:
                    if self.home.tip() != on or self.spool.waiting():
                        raise Outrun(self.home.reference)
                    self.spool.put(own[0], own[1])
                return self.despite_pruning(lambda: self._try(occasion, own, lock, on), lock)
        except (
            Busy, StorageFailed, GitFailed, CorruptRepository, WriteRefused, OSError, ImportError
        ) as problem:  # fmt: skip
            hint = problem.hint if isinstance(problem, DiurnaError) else ""
            raise WaitsInSpool(stem, str(problem), hint) from problem

    def _try(
        self,
        occasion: Occasion,
        own: tuple[str, bytes, Entry] | None,
        lock: Lock,
        on: str | None,
    ) -> Landed:
        try:
            return self._commit_waiting(occasion, own, lock, on)
        except CACHE_ERRORS:  # a damaged cache is no reason not to commit
            self._snapshot.discard()
            return self._commit_waiting(occasion, own, lock, on)

    def despite_pruning(self, once: Callable[[], Made], lock: Lock | None = None) -> Made:
        """Do something again for which git lacked what a prune took meanwhile.

        Args:
            once: does it.
            lock: Diurna's own lock, where it is held.
        """
        remake = self.remake if lock is None else self._remake
        return despite_pruning(self.home.repository.commondir, once, remake, lock)

    def _commit_waiting(
        self,
        occasion: Occasion,
        own: tuple[str, bytes, Entry] | None,
        lock: Lock,
        on: str | None,
    ) -> Landed:
        self._mend()
        self._snapshot.notes += finish_dead(self.home, lock)
        batch: dict[str, tuple[bytes, Entry | None]] = {}
        for stem in self.spool.waiting():
            if own and stem == own[0]:
                batch[stem] = own[1:]
                continue
            data = self.spool.read(stem)
            if data is not None:
                batch[stem] = (data, None)
        if own and own[0] not in batch:  # whoever held the lock before us carried it in
            # a folder that can not be listed looks empty: the log itself is asked for
            if self.spool.read(own[0]) is None and self._holds(own[0]):
                return Landed(self.home.tip(), ())
            # from another work tree, to the branch there: it is asked for on this one too
            self.spool.put(own[0], own[1])
            batch = dict(sorted({**batch, own[0]: own[1:]}.items()))
        if not batch:
            return Landed(self.home.tip(), ())
        waiting = next(iter(batch))
        stem = own[0] if own else waiting
        # a rebase or bisect detaches HEAD: checking out a branch would be the wrong advice then
        if self.home.kind != OWN_BRANCH and self.home.repository.top:
            doing = operation_under_way(self.home.repository)
            if doing:
                on = f" on {self.home.branch}" if self.home.branch else ""
                raise WaitsInSpool(
                    stem,
                    f"{doing} is in progress{on}",
                    "finish it; the next Diurna command commits what waits",
                )
        if not self.home.reference:
            raise WaitsInSpool(
                stem,
                "HEAD is detached, so there is no branch to commit to",
                "check out the branch whose memory this is; the next Diurna command commits it",
            )

        def once() -> Landed:
            if own and on is not None and self.home.tip() != on:  # git itself was faster
                self.spool.withdraw(own[0])
                raise Outrun(self.home.reference)
            return self._commit_once(occasion, batch, lock)

        return self._persist(once, lock)

    def _mend(self) -> None:
        """Look for what a power cut took, and for logs that were committed and never read back.

        Kept logs are looked at once: after a power cut every process is a new one.
        """
        cache = self._snapshot.cache()
        logs = {
            stem: self.spool.read(stem)
            for stem in self.spool.waiting()
            if cache.log_ref(stem) is not None
        }
        if not self._looked:
            for stem in suspects(self.home, self.spool, cache):
                logs[stem] = self.spool.read_kept(stem)
        for stem in mend(self._snapshot, logs):
            self.spool.requeue(stem)
        self._looked = True

    def remake(self) -> list[str]:
        """Write again what a prune took of recent commits; return the ids of the objects (W8).

        Raises:
            Busy: another process kept the lock.
            StorageFailed: the disk refused.
        """
        make_folder(self.home.state_dir)
        with Lock(os.path.join(self.home.repository.commondir, LOCK_FILE)):
            return self._remake()

    def _remake(self) -> list[str]:
        from memory.remaking import remake

        return remake(self._snapshot)

    def _persist(self, once: Callable[[], Made], lock: Lock) -> Made:
        """Try until the branch holds still and its lock is free, within `PATIENCE_SECONDS`."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        pause = 0.002
        while True:
            try:
                return once()
            except TipMoved:
                pass
            except ReferenceLocked as problem:
                common = self.home.repository.commondir
                cleared = clear_stale_lock(common, problem.path, lock.note, lock.noted_at)
                if cleared is not None:
                    self._snapshot.notes.append(cleared)
                    continue
                if time.monotonic() > deadline:
                    raise Busy(problem.message, hint=problem.hint) from problem
            if time.monotonic() > deadline:
                raise Busy(
                    f"{self.home.branch} kept moving for {PATIENCE_SECONDS:.0f} seconds",
                    hint="try again; other writers were faster",
                )
            time.sleep(pause)
            pause = min(pause * 2, 0.1)

    def _move(self, lock: Lock, tip: str, act: Callable[[], Made]) -> Made:
        """Do what moves the branch, with a note on the lock that says so; then work trees follow."""
        reference = self.home.reference
        lock.write_note(f"{reference} {tip}")
        try:
            made = act()
        except (StorageFailed, GitFailed):
            self._end_note(lock, tip)
            raise
        lock.write_note(f"{FOLLOWING} {reference} {tip}", lasting=True)
        return made

    def _end_note(self, lock: Lock, tip: str) -> None:
        """Take the note away; where git left its own lock behind, tell the next owner that it may go."""
        where, reference = self.home.repository, self.home.reference
        if is_stranded(where.commondir, where.gitdir, reference):
            lock.leave_note(f"{LEFT} {reference} {tip}")
        else:
            lock.write_note("")

    def _commit_once(
        self, occasion: Occasion, batch: Mapping[str, tuple[bytes, Entry | None]], lock: Lock
    ) -> Landed:
        home = self.home
        tip = home.tip()
        self._snapshot.notes += finish_dead(home, lock, tip)
        cache = self._snapshot.cache(tip)
        check_writable(cache.policy)
        prefix = home.prefix
        fresh = {stem: item for stem, item in batch.items() if cache.log_ref(stem) is None}
        findings: list[Finding] = []
        if not fresh:
            for stem in batch:
                self.spool.commit(stem)
            return Landed(tip, ())
        refs = [LogRef(stem, log_path(stem), blob_id(data)) for stem, (data, _) in fresh.items()]
        entries: list[Entry] = []
        for stem, (data, entry) in fresh.items():
            entries.append(entry if entry is not None else _entry(stem, data))
        logs = [(ref.path, data) for ref, (data, _) in zip(refs, fresh.values(), strict=True)]
        files: list[tuple[str, bytes | None]] = [*logs]
        if cache.policy.publish == "append" and not cache.unread():
            extra, noticed = self._projection(cache, tip, refs, entries)
            files += extra
            findings += noticed
        wanted = self._wanted(tip, files, _message(fresh), occasion)
        cleared = [ref for ref in refs if clear_damaged(home, ref.blob)]
        self._intents.note(wanted)
        writer = self._open_writer()
        made = self._move(lock, tip, lambda: writer.commit(wanted))
        writer.check(
            made,
            [
                (prefix + ref.path, ref.blob, data)
                for ref, (_, data) in zip(refs, logs, strict=True)
            ],
        )
        if home.tip() != made and not self._contains(made):
            raise StorageFailed(f"{home.reference} did not keep the commit {made}")
        findings += show_files(home, files[len(logs) :], logs)
        findings += show_elsewhere(home, tip, made)
        self._end_note(lock, made)
        for stem in batch:
            self.spool.commit(stem)
        if cleared:  # the cache holds that they can not be read
            self._snapshot.rebuilt()
        else:
            self._bring_forward(cache, tip, made, refs, entries)
        self._let_go()
        return Landed(made, tuple(findings))

    def _wanted(
        self,
        tip: str,
        files: Sequence[tuple[str, bytes | None]],
        message: str,
        occasion: Occasion,
    ) -> Commit:
        home = self.home
        return Commit(
            home.reference,
            tip,
            "" if _born_from_upstream(home, tip) else tip,
            tuple((home.prefix + path, data) for path, data in files),
            message,
            occasion.identity,
            occasion.now_ms // 1000,
        )

    def _bring_forward(
        self, cache: Cache, tip: str, made: str, refs: list[LogRef], entries: list[Entry]
    ) -> None:
        if cache.commit != tip:
            return
        try:
            cache.advance(tip, made, refs, entries, ())
        except CACHE_ERRORS:
            self._snapshot.close()  # the next question builds it anew

    def _holds(self, stem: str) -> bool:
        """Tell whether the branch has a log; a branch of its own is all that its spool serves."""
        if self.home.kind == OWN_BRANCH:
            return True
        return self._snapshot.cache(self.home.tip()).log_ref(stem) is not None

    def _contains(self, commit: str) -> bool:
        """Tell whether the branch moved on from our commit, rather than past it."""
        status, _, _ = self.home.repository.git().call(
            "merge-base", "--is-ancestor", commit, self.home.tip()
        )
        return status == 0

    def _projection(
        self, cache: Cache, tip: str, refs: list[LogRef], entries: list[Entry]
    ) -> tuple[list[tuple[str, bytes | None]], list[Finding]]:
        """Render the projection as it will be with the new logs, unless a person edited it."""
        from memory.forecast import forecast
        from memory.publish import committed_projection

        def read(blob: str) -> bytes:
            (data,) = self.home.repository.git().blobs([blob])
            return data or b""

        committed = committed_projection(self.home, tip)
        files = forecast(cache, refs, entries, committed, read)
        if files is None:  # the cache followed a branch that moved meanwhile
            raise TipMoved(self.home.reference)
        if self.home.checked_out:
            edited = hand_edited(self.home, [CONTINUITY_FILE, *files.blobs], committed)
            if edited:
                return [], [edited_finding(path) for path in sorted(set(edited))]
        changed = files.against(committed)
        return [(path, files.bodies[path] if blob else None) for path, blob in changed], []

    def commit_files(
        self,
        files: Callable[[str], tuple[tuple[str, bytes | None], ...]],
        message: str,
        occasion: Occasion,
    ) -> str:
        """Commit files of the home other than logs; return the commit.

        Args:
            files: says which, for a tip: asked again when another writer was faster. With nothing to do
                there is no commit, and the tip is returned.
            message: of the commit.
            occasion: when and by whom.

        Raises:
            Busy: the branch kept moving or is locked.
            StorageFailed: an object did not reach the disk.
            WriteRefused: the ledger has a newer format.
        """
        home = self.home
        make_folder(home.state_dir)
        with Lock(os.path.join(home.repository.commondir, LOCK_FILE)) as lock:
            self._snapshot.notes += finish_dead(self.home, lock)

            def once() -> str:
                tip = home.tip()
                self._snapshot.notes += finish_dead(home, lock, tip)
                listed = files(tip)
                if not listed:
                    return tip
                check_writable(self._snapshot.read_policy(self._snapshot.policy_blob(tip))[1])
                wanted = self._wanted(tip, listed, message, occasion)
                self._intents.note(wanted)
                made = self._move(lock, tip, lambda: self._open_writer().commit(wanted))
                self._snapshot.notes += show_files(home, listed, ())
                self._snapshot.notes += show_elsewhere(home, tip, made)
                self._end_note(lock, made)
                return made

            return self.despite_pruning(lambda: self._persist(once, lock), lock)

    def move(self, where: Callable[[str], str]) -> str:
        """Let the branch point to a commit that is there already; return it.

        Args:
            where: says which, for a tip ("" for an unborn branch): asked again when another writer was
                faster. The tip itself changes nothing.

        Raises:
            Busy: the branch kept moving or is locked.
            StorageFailed: the disk refused.
        """
        from ledger.objects import move_reference
        from ledger.repository import read_reference

        home = self.home
        make_folder(home.state_dir)
        with Lock(os.path.join(home.repository.commondir, LOCK_FILE)) as lock:
            self._snapshot.notes += finish_dead(self.home, lock)

            def once() -> str:
                tip = read_reference(home.repository, home.reference)
                try:
                    made = where(tip)
                except CACHE_ERRORS:  # a damaged cache is no reason not to move
                    self._snapshot.discard()
                    made = where(tip)
                if made == tip:
                    if not home.checked_out:  # plain git may have moved it past the mirror
                        self._snapshot.notes += show_move(home, tip, tip)
                    return tip
                git = home.repository.git()
                self._move(
                    lock,
                    tip,
                    lambda: move_reference(git, home.reference, made, tip, "diurna: sync"),
                )
                self._snapshot.notes += show_move(home, tip, made)
                self._snapshot.notes += show_elsewhere(home, tip, made)
                self._end_note(lock, made)
                return made

            return self.despite_pruning(lambda: self._persist(once, lock), lock)

    def heal_index(self) -> list[Finding]:
        """Set the index entries that an earlier command had to leave, or died before it set them."""
        home = self.home
        if not home.checked_out:
            return []
        make_folder(home.state_dir)
        with Lock(os.path.join(home.repository.commondir, LOCK_FILE)) as lock:
            self._snapshot.notes += finish_dead(self.home, lock)
        return update_index(home, [])

    def _open_writer(self) -> Store | FastImport:
        if self._writer is None:
            if self._in_process:
                from ledger.gitstore import Store

                self._writer = Store(self.home.repository)
            else:
                from ledger.fastimport import FastImport

                self._writer = FastImport(self.home.repository)
        return self._writer

    def _let_go(self) -> None:
        """Flush the disks now and then, and let go of the spooled copies of what is on them.

        Not of what the object store has lost: that is mended, or waits again. And not while git deletes
        what nothing referred to a moment ago. Then git may pack what has piled up.
        """
        kept = self.spool.kept()
        if len(kept) < KEEP or git_prunes(self.home.repository.commondir):
            return
        os.sync()
        self._remake()
        waits = mend(self._snapshot, {stem: self.spool.read_kept(stem) for stem in kept})
        cache = self._snapshot.cache()
        waits += [stem for stem in kept if stem not in waits and cache.log_ref(stem) is None]
        for stem in waits:
            self.spool.requeue(stem)
        self.spool.forget([stem for stem in kept if stem not in waits])
        if not waits:
            self._intents.forget()
        self.home.repository.git().tidy()


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


def edited_finding(path: str) -> Finding:
    """Say that a projection file was edited by hand and left alone."""
    return Finding(
        "hand-edited",
        f"{path} was edited by hand; it was left as it is and not published",
        path,
        hint=edit_hint(path),
    )


def _born_from_upstream(home: Home, tip: str) -> bool:
    """Tell whether the branch itself is unborn and the tip is that of its remote-tracking branch."""
    from ledger.repository import read_reference

    return bool(tip and home.upstream and not read_reference(home.repository, home.reference))


def _entry(stem: str, data: bytes) -> Entry:
    return read_entry(stem, data)[0]


def _message(logs: Mapping[str, tuple[bytes, Entry | None]]) -> str:
    """Write the commit message: the title of the one log, or how many there are."""
    if len(logs) > 1:
        return f"{COMMIT_SUBJECT}{len(logs)} session logs"
    ((stem, (data, _)),) = logs.items()
    at = data.find(b"\n# ")
    title = data[at + 3 : data.find(b"\n", at + 3)].decode("utf-8", "replace") if at >= 0 else stem
    return f"{COMMIT_SUBJECT}{' '.join(title.split())[:72]}"
