"""Record a draft: seal it as a log, make it durable in the spool, and commit it (W1)."""

from __future__ import annotations

from ledger.codec.log import decode, encode, entry_of
from ledger.codec.validate import problems
from ledger.errors import CorruptRepository, DraftRefused, Outrun, WaitsInSpool
from ledger.model.event import ADDING, FactRedacted
from ledger.model.findings import Finding
from ledger.model.layout import log_path
from ledger.model.order import (
    ended_of,
    is_sealed,
    next_stamp,
    seal,
    stamp_in,
    stamp_of,
    stem_in,
)
from ledger.model.record import Record
from ledger.model.session import WORKING, Entry, SessionLog
from memory.cache.cache_file import Cache
from memory.cache.view_name import drop_briefs, mark_here, seen, tip_of
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.log_bytes import read_bytes
from memory.worktree.uncommitted import write_owed
from memory.write.amendments import MEANT, NAMED, WORDED, amended, told_of
from memory.write.branch_lock import Branch, obstacle
from memory.write.draft import (
    NOT_COMMITTED,
    Case,
    How,
    Occasion,
    Receipt,
    SessionDraft,
    births,
    did,
    named_ids,
    same_draft,
)
from memory.write.host_session import Turn, in_its_session, with_value
from memory.write.near_facts import look_first
from memory.write.opened_facts import opened_by
from memory.write.seen_versions import still_moves
from memory.write.spool_commits import Committer, Own, check_writable
from projection.fold.checks import contradictions
from projection.fold.fact_history import History
from projection.fold.fold import resolve
from projection.fold.projection_state import DecayClock
from projection.fold.tiers import never_decaying, tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memory.write.amendments import Told


#: How long a repeated draft is taken for a retry.
RETRY_WINDOW_MS = 600_000


class Ready(Record):
    """A draft that is sealed and not stored yet."""

    own: Own  #: the log
    receipt: Receipt  #: without a commit
    touched: list[str]  #: ids that it names
    tiers: dict[str, str] | None  #: of these before it; None when nobody asked


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

    def append(
        self,
        draft: SessionDraft,
        occasion: Occasion,
        how: How,
        durable: Callable[[], None] | None = None,
    ) -> Receipt:
        """Append a session log and commit it.

        `durable` is told when the log can not be lost any more, before it is committed.

        Raises:
            Outrun: the branch is not at `how.on` any more; nothing changed.
            DraftRefused: it can not be stored canonically, changes a fact that memory does not know
                (unless `draft.anyway`), or closes a circle of supersessions; nothing changed.
            WaitsInSpool: it is durable and could not be committed now.
            StorageFailed: the disk refused; nothing changed.
        """
        spool = self._committer.spool
        redacts = any(isinstance(event, FactRedacted) for event in draft.events)
        plain = self.home.plain and not (redacts or how.now)  # what is withheld waits for nobody
        if redacts:
            how = how._replace(held=False)  # whoever says so, it is seen to at once
        with Turn(self.home, spool, draft, how) as waiting:
            ready = self._ready_on(draft, occasion, how, waiting)
            if isinstance(ready, Receipt):
                return ready._replace(findings=self._finish(ready, occasion))
            own, receipt = ready.own, ready.receipt
            if how.dry_run:
                return receipt
            if plain and how.on is not None:
                self._put_on(own, how.on)
            elif how.on is None:
                # the view has it from here on: what it withholds is withheld also where it has to wait
                mark = mark_here(self.home, owed=True) if plain else None
                spool.put(own.stem, own.data, held=how.held or redacts or plain, mark=mark)
        if durable is not None:
            durable()
        try:
            if plain:
                receipt = self._written(receipt)
            elif how.held:
                receipt = self._hold(receipt, occasion)
            else:
                landed = self._committer.land(occasion, own, how.on)
                receipt = receipt._replace(
                    commit=landed.commit, findings=(*receipt.findings, *landed.findings)
                )
        finally:
            if not ADDING.issuperset(map(type, draft.events)):
                drop_briefs(self.home)
        return self._with_tiers(receipt, ready.tiers, ready.touched)

    def _ready_on(
        self, draft: SessionDraft, occasion: Occasion, how: How, waiting: Mapping[str, str]
    ) -> Ready | Receipt:
        """Do as `_ready`; what was meant for a view that is no more is not refused for what stands now."""
        try:
            if how.dry_run:
                return self._ready(draft, occasion, how, waiting)
            return self._committer.branch.despite_pruning(
                lambda: self._ready(draft, occasion, how, waiting)
            )
        except DraftRefused:
            if how.on is not None and seen(self.home) != how.on:
                raise Outrun(self.home.reference) from None
            raise

    def _put_on(self, own: Own, view: str) -> None:
        """Record a log that a person commits if the home still shows what its writer saw."""
        with self._committer.branch.lock():
            if seen(self.home) != view:
                raise Outrun(self.home.reference)
            mark = mark_here(self.home, owed=True)
            self._committer.spool.put(own.stem, own.data, held=True, mark=mark)

    def _written(self, receipt: Receipt) -> Receipt:
        """Write a log into the work tree, and leave the commit to a person; what fails is said."""
        spool = self._committer.spool
        failed = write_owed(self.home, spool, [receipt.stem])
        mark = spool.mark(receipt.stem)
        owed = mark is not None and mark.owed
        later = failed[0].message if failed else "another branch is checked out by now"
        waits = later if owed else NOT_COMMITTED
        path = self.home.prefix + receipt.path
        return receipt._replace(waits=waits, path=path, findings=(*receipt.findings, *failed))

    def _hold(self, receipt: Receipt, occasion: Occasion) -> Receipt:
        """Commit a captured log if it disturbs nobody's work; whatever is in the way, it is recorded."""
        try:
            because = obstacle(self.home)
            landed = None if because else self._committer.land_held(occasion)
        except WaitsInSpool as problem:
            return receipt._replace(waits=problem.message)
        if landed is None or receipt.stem in self._committer.spool.held():
            return receipt._replace(waits=because or obstacle(self.home))
        said = (*receipt.findings, *landed.findings)
        return receipt._replace(commit=landed.commit, findings=said)

    def _ready(
        self, draft: SessionDraft, occasion: Occasion, how: How, waiting: Mapping[str, str]
    ) -> Ready | Receipt:
        """Seal a draft as it is amended, or return the receipt of the log that it repeats."""
        told: Told = {}
        session = dict(draft.header).get("session") or occasion.session
        opened = [] if how.held else opened_by(self.home.repository.commondir, session)

        def asked(cache: Cache) -> tuple[Case, SessionLog]:
            spool = self._committer.spool
            case = Case(self._snapshot, cache, spool, draft, occasion, how, opened)
            log = SessionLog((), draft.title, draft.prose, draft.events)
            log = amended(log, case, NAMED, told)
            return case._replace(histories=cache.some_histories(named_ids(log.events))), log

        case, log = self._snapshot.ask(asked)
        cache, histories = case.cache, case.histories
        check_writable(cache.policy)
        log = amended(log, case, WORDED, told)
        if not how.again and (earlier := self._recorded_before(log, case)) is not None:
            return earlier._replace(findings=(*told_of(told, again=True), *earlier.findings))
        now_ms = how.at or occasion.now_ms
        log, begun = in_its_session(log, cache, waiting, now_ms)
        newest = "" if how.at else max(cache.summary.newest, begun)
        if begun == newest != "":  # it may wait yet
            log = with_value(log, "after", stem_in(newest))
        stem, log, data = _sealed(log, min(now_ms, occasion.now_ms), newest)
        tiers = tiers_of(cache, histories, cache.clock()) if how.tiers else None
        entry = entry_of(stem, log)
        log = amended(log, case._replace(entry=entry), MEANT, told)
        near = look_first(case, entry)
        receipt = Receipt(
            stem, "", births(log.events), (), told_of(told), False, log_path(stem), data, _done(entry),
            log.type, near=near,
        )  # fmt: skip
        return Ready(Own(stem, data, entry), receipt, named_ids(log.events), tiers)

    def _with_tiers(
        self, receipt: Receipt, before: Mapping[str, str] | None, touched: list[str]
    ) -> Receipt:
        """Add to the receipt which tiers the log changed, where that was asked."""
        if before is None:
            return receipt

        def moved() -> tuple[tuple[str, str, str], ...]:
            return self._snapshot.ask(lambda cache: moves(cache, before, touched))

        try:
            return receipt._replace(tiers=self._committer.branch.despite_pruning(moved))
        except CorruptRepository as problem:  # the log is committed: it must not look refused
            said = Finding("unreadable", problem.message, hint=problem.hint)
            return receipt._replace(findings=(*receipt.findings, said))

    def _recorded_before(self, log: SessionLog, case: Case) -> Receipt | None:
        """Find the log that a retry repeats: same agent, same content, a moment ago.

        A task that has been moved on since is moved anew; uses that were filled in are no content.
        """
        cache, occasion, spool = case.cache, case.occasion, case.spool
        facts = {
            name: resolve(name, history, cache.cut) for name, history in case.histories.items()
        }
        filled = {id for _, id in case.opened}
        since = stamp_of(occasion.now_ms - RETRY_WINDOW_MS)
        stems = sorted((*spool.waiting(), *spool.held()), reverse=True)
        likely = cache.like(entry_of("", log), since)
        if filled:
            likely += [
                ref for ref, entry in cache.entries_since(since) if filled.intersection(entry.named)
            ]

        def receipt_of(stem: str, commit: str, data: bytes) -> Receipt:
            born, done = births(log.events), _done(entry_of("", log))
            return Receipt(stem, commit, born, (), (), True, log_path(stem), data, done)

        def repeated(stem: str, data: bytes) -> bool:
            known, _ = decode(data, sealed=is_sealed(stem))
            # the time of its name may have been pushed on, by a clock that is ahead
            return stamp_in(known.get("ended")) >= since and same_draft(known, log)

        for ref, data in read_bytes(self.home, [ref for ref in likely if ref.stem not in stems]):
            if repeated(ref.stem, data) and still_moves(log.events, ref.stem, facts):
                return receipt_of(ref.stem, tip_of(cache.commit), data)._replace(path=ref.path)
        for stem in stems:
            waiting = spool.read(stem)
            if waiting is not None and repeated(stem, waiting):
                receipt = receipt_of(stem, "", waiting)
                if self.home.plain and spool.mark(stem):
                    return self._written(receipt)
                if case.how.held:
                    return self._hold(receipt, occasion)
                landed = self._committer.land(occasion, None)
                return receipt._replace(commit=landed.commit, findings=landed.findings)
        return None

    def _finish(self, known: Receipt, occasion: Occasion) -> tuple[Finding, ...]:
        """Do the rest for a log whose writer died after the commit, before it was acknowledged."""
        committer, found = self._committer, known.findings
        if known.stem in committer.spool.waiting():
            try:
                landed = committer.land(occasion, None)
                found = (*found, *landed.findings)
            except WaitsInSpool:  # something else that waits; this log is committed
                pass
        return found


def _done(entry: Entry) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what a log did to facts, without those that it only relied on."""
    return did(entry._replace(named=()))


def _sealed(log: SessionLog, now_ms: int, newest: str) -> tuple[str, SessionLog, bytes]:
    """Give a log its time, that of the clock, and its name (O2); return it with its bytes."""
    stamp = next_stamp(now_ms, newest)
    log = with_value(log, "ended", ended_of(stamp_of(now_ms)))
    if refused := problems(log):
        raise DraftRefused(refused)
    data = encode(log)
    return seal(stamp, data), log, data


def noticed_behind(snapshot: Snapshot, branch: Branch, receipt: Receipt) -> tuple[Finding, ...]:
    """Return what is contradicted of what a log names, what is unread, and what is due since."""

    def asked(cache: Cache) -> tuple[Finding, ...]:
        return (*_contradicted(cache, receipt), *behind(cache))

    def behind(cache: Cache) -> tuple[Finding, ...]:
        recorded = receipt.commit or receipt.waits == NOT_COMMITTED
        if not recorded or receipt.already or receipt.type not in WORKING:
            return tuple(cache.unread())
        from memory.write.review_notice import due_findings, fading_findings

        return (*cache.unread(), *due_findings(cache, receipt), *fading_findings(cache, receipt))

    if not receipt.commit:
        return snapshot.ask(asked)
    try:
        return branch.despite_pruning(lambda: snapshot.ask(asked))
    except CorruptRepository as problem:  # the log is committed: it must not look refused
        return (Finding("unreadable", problem.message, hint=problem.hint),)


def _contradicted(cache: Cache, receipt: Receipt) -> Iterator[Finding]:
    """Say what stands against what of the facts that a log names."""
    log, _ = decode(receipt.data, sealed=is_sealed(receipt.stem))
    for id in () if receipt.already else named_ids(log.events):
        fact = cache.fact(id)
        if fact is not None and fact.contradicted:
            yield from contradictions(fact)


def tiers_of(cache: Cache, histories: Mapping[str, History], clock: DecayClock) -> dict[str, str]:
    """Return the tiers of facts at a clock; ids without a text are left out."""
    lasting = never_decaying(cache.policy)
    found: dict[str, str] = {}
    for fact, history in histories.items():
        value = resolve(fact, history, cache.cut)
        if value is not None:
            found[fact] = tier(value, clock, lasting)
    return found


def moves(
    cache: Cache, before: Mapping[str, str], touched: list[str]
) -> tuple[tuple[str, str, str], ...]:
    """Return (id, tier before, tier after) of the facts that a log named and that changed tier.

    The cache has the new log; `before` is the tiers of the facts that it names, before it.
    """
    after = tiers_of(cache, cache.some_histories(touched), cache.clock())
    return tuple(
        (fact, before.get(fact, ""), found)
        for fact, found in after.items()
        if before.get(fact, "") != found
    )
