"""Record a draft: seal it as a log, make it durable in the spool, commit it, say what it brought (W1)."""

from __future__ import annotations

from ledger.codec.canonical_draft import sealed
from ledger.codec.log import arranged, decode, entry_of
from ledger.errors import CorruptRepository, DraftRefused, Outrun, WaitsInSpool
from ledger.model.event import ADDING, FactRedacted
from ledger.model.finding_codes import Finding
from ledger.model.log_names import (
    ended_of,
    is_sealed,
    log_path,
    next_stamp,
    stamp_in,
    stamp_of,
    stem_in,
)
from ledger.model.session import WORK, WORKING, Entry, SessionLog
from memory.cache.cache_file import Cache
from memory.cache.ledger_version import drop_briefs, mark_here, seen, tip_of
from memory.cache.schema import likeness
from memory.replay.tip_snapshot import Snapshot
from memory.write.amendments import NAMED, WORDED, amended, still_moves, told_of_ends
from memory.write.branch_lock import obstacle
from memory.write.commit_files import check_writable
from memory.write.draft import (
    NOT_COMMITTED,
    Case,
    Receipt,
    WriteRequest,
    births,
    deeds,
    named_ids,
    same_draft,
)
from memory.write.draft_checks import check_footers, check_named, with_whole_ids
from memory.write.host_session import Turn, in_its_session, opened_by
from memory.write.near_facts import with_uses
from memory.write.spool_commits import Committer
from projection.fold.fold import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ledger.model.event import Event
    from memory.write.draft import Near

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
        asked = asked._replace(held=asked.held and not redacts)  # that is seen to at once
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
            entry = None if receipt.already else receipt.entry
            named = () if entry is None else (*entry.named, *named_ids(entry.acts))
            found: list[Finding] = []
            for fact in map(cache.fact, dict.fromkeys(named)):
                if fact and fact.contradicted:
                    from projection.fold.checks import contradictions

                    found += contradictions(fact)
            every = cache.policy.review.every
            # at every so many work sessions after the last review; what continues one was told with it
            due = new_work and receipt.type == WORK and every
            if not due or cache.sessions_after(cache.summary.last_review) % every:
                return (*found, *cache.unread())
            from memory.cache.ledger_status import status_of

            return (*found, *cache.unread(), *status_of(cache).due_findings())

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
        draft = asked.draft
        session = dict(draft.header).get("session") or asked.occasion.session
        opened = [] if asked.held else opened_by(self.home.repository.commondir, session)

        def drafted(cache: Cache) -> tuple[Case, SessionLog, tuple[Finding, ...]]:
            case = Case(self._snapshot, self.home, cache, self._spool, asked, opened)
            log = SessionLog((), draft.title, draft.prose, draft.events)
            log, left_out = with_whole_ids(log, case)
            log, told = amended(log, case, NAMED)
            return _knowing(case, log.events), log, (*left_out, *told)

        case, log, told = self._snapshot.ask(drafted)
        cache, now_ms = case.cache, asked.occasion.now_ms
        check_writable(cache.policy)
        log, changed = amended(log, case, WORDED)
        entry = entry_of("", log)
        if not asked.again and (earlier := self._recorded_before(log, entry, case)) is not None:
            return earlier._replace(findings=(*told, *changed))
        type, begun = in_its_session(dict(log.header), cache, waiting, asked.at or now_ms)
        newest = "" if asked.at else max(cache.summary.newest, begun)
        # its time is that of the clock, and its name follows the newest log (O2)
        ended = min(asked.at or now_ms, now_ms)
        values, stamp = (
            {"ended": ended_of(stamp_of(ended)), "type": type},
            next_stamp(ended, newest),
        )
        if begun == newest != "":  # it may wait yet
            values["after"] = stem_in(newest)
        header = [pair for pair in log.header if pair[0] not in values]
        log = SessionLog(arranged([*header, *values.items()]), log.title, log.prose, log.events)
        log, near, used = with_uses(log, case, entry._replace(stem=stamp))
        if used:
            case = _knowing(case, log.events)
        data, entry = sealed(log, stamp)
        check_footers(log, case)
        doubts = (*check_named(log, case), *told_of_ends(log, case))
        return _receipt(entry, data, (*told, *changed, *used, *doubts), near)

    def _recorded_before(self, log: SessionLog, entry: Entry, case: Case) -> Receipt | None:
        """Find the log that a retry repeats: same agent, same content, a moment ago.

        A task that has been moved on since is moved anew; uses that were filled in are no content.
        """
        cache, spool = case.cache, self._spool
        filled = {id for _, id in case.opened}
        since = stamp_of(case.asked.occasion.now_ms - RETRY_WINDOW_MS)
        among = "WHERE stem >= ? AND alike = ? ORDER BY stem DESC"
        likely = cache.refs(among, (since, likeness(entry)))
        waits = {*spool.waiting(), *spool.held()}
        if filled:
            likely += [
                ref for ref, one in cache.entries_since(since) if filled.intersection(one.named)
            ]

        def repeated(stem: str, data: bytes) -> bool:
            known, _ = decode(data, sealed=is_sealed(stem))
            # the time of its name may have been pushed on, by a clock that is ahead
            return stamp_in(known.get("ended")) >= since and same_draft(known, log)

        stems = {*spool.waiting(), *waits.intersection(ref.stem for ref in likely)}
        if likely := [ref for ref in likely if ref.stem not in waits]:
            from memory.replay.read_logs import read_bytes
        for ref, data in read_bytes(self.home, likely) if likely else ():
            if repeated(ref.stem, data) and still_moves(log.events, ref.stem, case):
                receipt = _receipt(entry._replace(stem=ref.stem), data)
                return receipt._replace(commit=tip_of(cache.commit), path=ref.path, already=True)
        for stem in sorted(stems, reverse=True):
            waiting = spool.read(stem)
            if waiting is not None and repeated(stem, waiting):
                return _receipt(entry._replace(stem=stem), waiting)._replace(already=True)
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
                    findings = (*receipt.findings, *committer.land(occasion)[1])
                    return receipt._replace(findings=findings)
                except WaitsInSpool:  # something else that waits; this log is committed
                    pass
            return receipt
        if plain and (not receipt.already or self._spool.mark(stem)):
            return self._written(receipt)
        if not asked.held:
            made, found = committer.land(occasion, (stem, receipt.data, receipt.entry))
        else:  # if it disturbs nobody's work; whatever is in the way, it is recorded
            try:
                because = obstacle(self.home)
                if because:
                    return receipt._replace(waits=because)
                made, found = committer.land(occasion, free=True)
            except WaitsInSpool as problem:
                return receipt._replace(waits=problem.message)
            if stem in self._spool.held():
                return receipt._replace(waits=obstacle(self.home))
        return receipt._replace(commit=made, findings=(*receipt.findings, *found))

    def _written(self, receipt: Receipt) -> Receipt:
        """Write a log into the work tree, and leave the commit to a person; what fails is said."""
        from memory.worktree.uncommitted_logs import write_owed

        failed = write_owed(self.home, self._spool, [receipt.stem])
        mark = self._spool.mark(receipt.stem)
        later = failed[0].message if failed else "another branch is checked out by now"
        waits = later if mark is not None and mark.owed else NOT_COMMITTED
        path, findings = self.home.prefix + receipt.path, (*receipt.findings, *failed)
        return receipt._replace(waits=waits, path=path, findings=findings)


def _knowing(case: Case, events: tuple[Event, ...]) -> Case:
    """Return a case with what is known of the facts that the events of its log name."""
    histories = case.cache.some_histories(named_ids(events))
    found = {id: resolve(id, history, case.cache.cut) for id, history in histories.items()}
    facts = {id: fact for id, fact in found.items() if fact is not None}
    return case._replace(histories=histories, facts=facts)


def _receipt(
    entry: Entry, data: bytes, findings: tuple[Finding, ...] = (), near: tuple[Near, ...] = ()
) -> Receipt:
    """Return the receipt for a log; of what it did to facts without those that it only relied on."""
    stem, done = entry.stem, deeds(entry._replace(named=()))
    born = births(entry.acts)
    return Receipt(
        stem, "", born, False, log_path(stem), data, findings, done, entry.type, entry, near=near
    )
