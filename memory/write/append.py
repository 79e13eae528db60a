"""Record a draft: seal it as a log, make it durable in the spool, commit it, say what it brought (W1)."""

from __future__ import annotations

from ledger.codec.log import decode, encode, entry_of
from ledger.codec.validate import problems
from ledger.errors import CorruptRepository, DraftRefused, Outrun, WaitsInSpool
from ledger.model.event import ADDING, FactRedacted
from ledger.model.findings import Finding
from ledger.model.layout import log_path
from ledger.model.log_stamps import (
    ended_of,
    is_sealed,
    next_stamp,
    seal,
    stamp_in,
    stamp_of,
    stem_in,
)
from ledger.model.session import WORK, WORKING, SessionLog
from memory.cache.cache_file import Cache
from memory.cache.view_name import drop_briefs, mark_here, seen, tip_of
from memory.replay.ledger_snapshot import Snapshot
from memory.write.amendments import MEANT, NAMED, WORDED, amended, still_moves
from memory.write.branch_lock import obstacle
from memory.write.commit_files import check_writable
from memory.write.draft import (
    NOT_COMMITTED,
    Case,
    Receipt,
    WriteRequest,
    births,
    did,
    named_ids,
    same_draft,
)
from memory.write.host_session import Turn, in_its_session, opened_by, with_value
from memory.write.near_facts import with_uses
from memory.write.spool_commits import Committer
from projection.fold.checks import contradictions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: How long a repeated draft is taken for a retry.
RETRY_WINDOW_MS = 600_000


class Recorder:
    """Turns drafts into logs of one home.

    Args:
        snapshot: of the home.
        committer: commits to it.
    """

    def __init__(self, snapshot: Snapshot, committer: Committer) -> None:
        self.home = snapshot.home
        self._snapshot = snapshot
        self._committer = committer
        self._spool = committer.spool

    def append(self, asked: WriteRequest, durable: Callable[[], None] | None = None) -> Receipt:
        """Append a session log and commit it.

        `durable` is told when the log can not be lost any more, before it is committed.

        Raises:
            Outrun: the home does not show `asked.on` any more; nothing changed.
            DraftRefused: it can not be stored canonically, changes a fact that memory does not know
                (unless `draft.anyway`), or closes a circle of supersessions; nothing changed.
            WaitsInSpool: it is durable and could not be committed now.
            StorageFailed: the disk refused; nothing changed.
        """
        draft = asked.draft
        redacts = any(isinstance(event, FactRedacted) for event in draft.events)
        plain = self.home.plain and not (redacts or asked.now)  # what is withheld waits for nobody
        if redacts:
            asked = asked._replace(held=False)  # whoever says so, it is seen to at once
        with Turn(self.home, self._spool, asked) as waiting:
            receipt = self._sealed_on(asked, waiting)
            if asked.dry_run:
                return receipt
            if not receipt.already:
                self._put(receipt, asked, held=asked.held or redacts or plain, plain=plain)
        if durable is not None:
            durable()
        try:
            return self._delivered(receipt, asked, plain)
        finally:
            if not ADDING.issuperset(map(type, draft.events)):
                drop_briefs(self.home)

    def noticed(self, receipt: Receipt) -> tuple[Finding, ...]:
        """Return what is contradicted of what a log names, what is unread, and that a review is due."""
        recorded = receipt.commit or receipt.waits == NOT_COMMITTED
        new_work = recorded and not receipt.already and receipt.type in WORKING

        def asked(cache: Cache) -> tuple[Finding, ...]:
            log, _ = decode(receipt.data, sealed=is_sealed(receipt.stem))
            facts = map(cache.fact, () if receipt.already else named_ids(log.events))
            found = [
                one for fact in facts if fact and fact.contradicted for one in contradictions(fact)
            ]
            return (*found, *cache.unread(), *(_due(cache, receipt) if new_work else ()))

        if not receipt.commit:
            return self._snapshot.ask(asked)
        try:
            return self._committer.branch.despite_pruning(lambda: self._snapshot.ask(asked))
        except CorruptRepository as problem:  # the log is committed: it must not look refused
            return (Finding("unreadable", problem.message, hint=problem.hint),)

    def _sealed_on(self, asked: WriteRequest, waiting: Mapping[str, str]) -> Receipt:
        """Do as `_sealed`; what was meant for a view that is gone is not refused for what stands now."""
        try:
            if asked.dry_run:
                return self._sealed(asked, waiting)
            return self._committer.branch.despite_pruning(lambda: self._sealed(asked, waiting))
        except DraftRefused:
            if asked.on is not None and seen(self.home) != asked.on:
                raise Outrun(self.home.reference) from None
            raise

    def _sealed(self, asked: WriteRequest, waiting: Mapping[str, str]) -> Receipt:
        """Seal a draft as it is amended, or find the log that it repeats."""
        opened = [] if asked.held else opened_by(self.home.repository.commondir, asked.session)
        draft = asked.draft

        def drafted(cache: Cache) -> tuple[Case, SessionLog, tuple[Finding, ...]]:
            case = Case(self._snapshot, cache, self._spool, asked, opened)
            log = SessionLog((), draft.title, draft.prose, draft.events)
            log, told = amended(log, case, NAMED)
            histories = cache.some_histories(named_ids(log.events))
            return case._replace(histories=histories), log, told

        case, log, told = self._snapshot.ask(drafted)
        cache, now_ms = case.cache, asked.occasion.now_ms
        check_writable(cache.policy)
        log, changed = amended(log, case, WORDED)
        if not asked.again and (earlier := self._recorded_before(log, case)) is not None:
            return earlier._replace(findings=(*told, *changed))
        log, begun = in_its_session(log, cache, waiting, asked.at or now_ms)
        newest = "" if asked.at else max(cache.summary.newest, begun)
        if begun == newest != "":  # it may wait yet
            log = with_value(log, "after", stem_in(newest))
        # its time is that of the clock, and its name follows the newest log (O2)
        ended = min(asked.at or now_ms, now_ms)
        log = with_value(log, "ended", ended_of(stamp_of(ended)))
        log, near, used = with_uses(log, case, next_stamp(ended, newest))
        if used:
            case = case._replace(histories=cache.some_histories(named_ids(log.events)))
        if refused := problems(log):
            raise DraftRefused(refused)
        data = encode(log)
        stem = seal(next_stamp(ended, newest), data)
        log, doubts = amended(log, case, MEANT)
        receipt = _receipt(stem, log, data)
        return receipt._replace(findings=(*told, *changed, *used, *doubts), near=near)

    def _recorded_before(self, log: SessionLog, case: Case) -> Receipt | None:
        """Find the log that a retry repeats: same agent, same content, a moment ago.

        A task that has been moved on since is moved anew; uses that were filled in are no content.
        """
        cache, spool = case.cache, self._spool
        filled = {id for _, id in case.opened}
        since = stamp_of(case.asked.occasion.now_ms - RETRY_WINDOW_MS)
        stems = sorted((*spool.waiting(), *spool.held()), reverse=True)
        likely = cache.like(entry_of("", log), since)
        if filled:
            likely += [
                ref for ref, entry in cache.entries_since(since) if filled.intersection(entry.named)
            ]

        def repeated(stem: str, data: bytes) -> bool:
            known, _ = decode(data, sealed=is_sealed(stem))
            # the time of its name may have been pushed on, by a clock that is ahead
            return stamp_in(known.get("ended")) >= since and same_draft(known, log)

        if likely := [ref for ref in likely if ref.stem not in stems]:
            from memory.replay.read_logs import read_bytes
        for ref, data in read_bytes(self.home, likely) if likely else ():
            if repeated(ref.stem, data) and still_moves(log.events, ref.stem, case):
                receipt = _receipt(ref.stem, log, data)
                return receipt._replace(commit=tip_of(cache.commit), path=ref.path, already=True)
        for stem in stems:
            waits = spool.read(stem)
            if waits is not None and repeated(stem, waits):
                return _receipt(stem, log, waits)._replace(already=True)
        return None

    def _put(self, receipt: Receipt, asked: WriteRequest, *, held: bool, plain: bool) -> None:
        """Make a log durable; the view has it from here on, and what it withholds is withheld."""

        def put() -> None:
            mark = mark_here(self.home, owed=True) if plain else None
            self._spool.put(receipt.stem, receipt.data, held=held, mark=mark)

        if asked.on is None:
            return put()
        with self._committer.branch.lock():
            if seen(self.home) != asked.on or self._spool.waiting():
                raise Outrun(self.home.reference)
            put()

    def _delivered(self, receipt: Receipt, asked: WriteRequest, plain: bool) -> Receipt:
        """Bring a durable log to where it belongs, as far as nothing is in the way."""
        committer, stem, occasion = self._committer, receipt.stem, asked.occasion
        if receipt.commit:
            if stem in self._spool.waiting():  # its writer died before it was acknowledged
                try:
                    return _and(receipt, committer.land(occasion).findings)
                except WaitsInSpool:  # something else that waits; this log is committed
                    pass
            return receipt
        if plain and (not receipt.already or self._spool.mark(stem)):
            return self._written(receipt)
        if not asked.held:
            landed = committer.land(occasion, (stem, receipt.data))
        else:  # if it disturbs nobody's work; whatever is in the way, it is recorded
            try:
                because = obstacle(self.home)
                if because:
                    return receipt._replace(waits=because)
                landed = committer.land(occasion, free=True)
            except WaitsInSpool as problem:
                return receipt._replace(waits=problem.message)
            if stem in self._spool.held():
                return receipt._replace(waits=obstacle(self.home))
        return _and(receipt._replace(commit=landed.commit), landed.findings)

    def _written(self, receipt: Receipt) -> Receipt:
        """Write a log into the work tree, and leave the commit to a person; what fails is said."""
        from memory.worktree.uncommitted_logs import write_owed

        failed = write_owed(self.home, self._spool, [receipt.stem])
        mark = self._spool.mark(receipt.stem)
        owed = mark is not None and mark.owed
        later = failed[0].message if failed else "another branch is checked out by now"
        waits, path = later if owed else NOT_COMMITTED, self.home.prefix + receipt.path
        return _and(receipt._replace(waits=waits, path=path), failed)


def _receipt(stem: str, log: SessionLog, data: bytes) -> Receipt:
    """Return the receipt for a log; of what it did to facts without those that it only relied on."""
    done = did(entry_of(stem, log)._replace(named=()))
    return Receipt(
        stem, facts=births(log.events), path=log_path(stem), data=data, did=done, type=log.type
    )


def _and(receipt: Receipt, findings: tuple[Finding, ...] | list[Finding]) -> Receipt:
    return receipt._replace(findings=(*receipt.findings, *findings))


def _due(cache: Cache, receipt: Receipt) -> tuple[Finding, ...]:
    """Say that a review is due, if it is since the log of a receipt, which tells of work; once.

    That is at every `review.every` work sessions after the last review. The cache has the log.
    """
    every = cache.policy.review.every
    # what continues a session has been told with its first log
    if receipt.type != WORK or not every or cache.sessions_after(cache.summary.last_review) % every:
        return ()
    from memory.cache.ledger_status import status_of

    return status_of(cache).due_findings()
