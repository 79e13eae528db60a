"""Recording: draft → sealed log → one commit, by the recipe that survived (FORMAT.md, W1 to W7).

The log is durable in the spool before any git object is touched. Whoever holds the lock commits all that
waits, so a killed writer's log is carried in by the next command. A commit is acknowledged after it was
read back.
"""

from __future__ import annotations

import os
import time

from ledger.codec import canonical, decode, encode, entry_of, problems, read_entry
from ledger.commit import Commit, Identity
from ledger.digest import blob_id
from ledger.disk import Lock, make_folder
from ledger.errors import (
    Busy,
    CorruptRepository,
    DiurnaError,
    DraftRefused,
    GitFailed,
    ReferenceLocked,
    StorageFailed,
    TipMoved,
    WaitsInSpool,
    WriteRefused,
)
from ledger.event import Event, FactCreated, FactUpdated
from ledger.findings import Finding
from ledger.home import OWN_BRANCH, Home
from ledger.layout import CONTINUITY_FILE, LOCK_FILE, log_path
from ledger.logset import LogRef
from ledger.order import ended_of, milliseconds_of, next_stamp, seal, stamp_of
from ledger.repository import head, operation_under_way
from ledger.session import Entry, SessionLog
from ledger.spool import KEEP, Spool
from ledger.stale import clear_stale_lock
from ledger.values import Record
from memory.cache import CACHE_ERRORS
from memory.checkout import follow, hand_edited, store_blob, update_index
from memory.draft import Receipt, SessionDraft, births, named_ids, same_draft
from memory.drivers import ensure_drivers
from memory.reading import read_bytes
from memory.snapshot import Snapshot
from projection.fold import resolve
from projection.tiers import never_decaying, tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledger.fastimport import FastImport
    from ledger.gitstore import Store
    from memory.cache import Cache
    from projection.fact import History
    from projection.state import DecayClock

#: How long a repeated draft is taken for a retry.
RETRY_WINDOW_MS = 600_000
#: How long a commit is tried before the log is left in the spool.
PATIENCE_SECONDS = 20.0
_HEADER_ORDER = ("role", "host", "model", "session", "started")


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


class Recorder:
    """Writes to one home.

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

    # ---- a draft becomes a log --------------------------------------------------------------------

    def append(
        self,
        draft: SessionDraft,
        occasion: Occasion,
        *,
        again: bool = False,
        dry_run: bool = False,
        stage: bool = False,
        tiers: bool = True,
    ) -> Receipt:
        """Append a session log and commit it.

        Args:
            draft: what to record.
            occasion: when and by whom.
            again: record it even if the same was recorded a moment ago.
            dry_run: change nothing; the receipt says what would be.
            stage: write the log into the work tree and the index, and leave the commit to the user.
            tiers: work out which tiers changed.

        Raises:
            DraftRefused: it can not be stored canonically; nothing changed.
            WaitsInSpool: it is durable and could not be committed now.
            StorageFailed: the disk refused; nothing changed.
        """
        cache, histories = self._snapshot.ask(
            lambda cache: (cache, cache.some_histories(named_ids(draft.events)))
        )
        _check_writable(cache)
        log = self._complete(draft, cache, histories, occasion)
        if not again:
            known = self._recorded_before(log, cache, occasion)
            if known is not None:
                return known
        _check_events(log.events, cache, histories)
        stamp = next_stamp(occasion.now_ms, cache.summary.newest)
        log = _with_header(log, "ended", ended_of(stamp))
        refused = problems(log)
        if refused:
            raise DraftRefused(refused)
        data = encode(log)
        stem = seal(stamp, data)
        findings = _event_findings(log.events, histories)
        receipt = Receipt(stem, "", births(log.events), (), findings, False, log_path(stem), data)
        if dry_run:
            return receipt
        if stage:
            return receipt._replace(findings=(*findings, *self._stage(stem, data)))
        clock = cache.clock() if tiers else None
        before = _tiers(cache, histories, clock) if clock else {}
        self.spool.put(stem, data)
        landed = self._land(occasion, (stem, data, entry_of(stem, log)))
        moved = self._tier_changes(before, clock, named_ids(log.events)) if clock else ()
        return receipt._replace(
            commit=landed.commit, tiers=moved, findings=(*findings, *landed.findings)
        )

    def _stage(self, stem: str, data: bytes) -> list[Finding]:
        """Put a log into the work tree and the index; it counts once the user commits it.

        Raises:
            WriteRefused: the home has no work tree.
        """
        if not self.home.checked_out:
            raise WriteRefused(
                "the home is not checked out, so there is nothing to stage into",
                hint="leave --stage out; the log is committed to its own branch",
            )
        store_blob(self.home, data)
        return follow(self.home, [(log_path(stem), data)])

    def _complete(
        self,
        draft: SessionDraft,
        cache: Cache,
        histories: Mapping[str, History],
        occasion: Occasion,
    ) -> SessionLog:
        """Fill in what the draft leaves open: header values and the versions an update replaces."""
        given = dict(draft.header)
        values = {"agent": draft.agent or occasion.agent}
        if cache.summary.newest:
            values["after"] = cache.summary.newest
        if draft.type != "work":
            values["type"] = draft.type
        for key in _HEADER_ORDER:
            if given.get(key):
                values[key] = given[key]
        reference, commit = head(self.home.repository)
        if "branch" in given or reference:
            values["branch"] = given.get("branch") or reference.removeprefix("refs/heads/")
        if "commit" in given or commit:
            values["commit"] = given.get("commit") or commit[:7]
        extra = tuple(pair for pair in draft.header if pair[0] not in _FILLED)
        order = ("agent", "after", "type", *_HEADER_ORDER, "branch", "commit")
        header = tuple((key, values[key]) for key in order if key in values) + extra
        events: list[Event] = []
        for event in draft.events:
            if isinstance(event, FactUpdated) and event.was is None and event.id in histories:
                found = resolve(event.id, histories[event.id], cache.cut)
                if found is not None:
                    heads = tuple(version.id for version in found.heads)
                    event = event._replace(was=heads)
            events.append(event)
        return canonical(SessionLog(header, draft.title, draft.prose, tuple(events)))

    def _recorded_before(self, log: SessionLog, cache: Cache, occasion: Occasion) -> Receipt | None:
        """Find the log that a retry repeats: same agent, same content, a moment ago."""
        since = stamp_of(occasion.now_ms - RETRY_WINDOW_MS)
        named = frozenset(named_ids(log.events))
        candidates = [
            ref
            for ref, entry in cache.entries_since(since)
            if entry.agent == log.get("agent")
            and entry.type == log.type
            and named.issuperset(entry.named)
        ]
        for ref, data in read_bytes(self.home, candidates):
            known, _ = decode(data, sealed=True, file=ref.path)
            if same_draft(known, log):
                return Receipt(
                    ref.stem, cache.commit, births(log.events), (), (), True, ref.path, data
                )
        for stem in reversed(self.spool.waiting()):
            waiting = self.spool.read(stem)
            if stem < since or waiting is None:
                continue
            known, _ = decode(waiting, sealed=True, file=stem)
            if same_draft(known, log):
                landed = self._land(occasion, None)
                return Receipt(
                    stem, landed.commit, births(log.events), (), landed.findings, True,
                    log_path(stem), waiting,
                )  # fmt: skip
        return None

    def _tier_changes(
        self, before: Mapping[str, str], clock: DecayClock, touched: list[str]
    ) -> tuple[tuple[str, str, str], ...]:
        """Compare tiers before and after, of all facts that may have moved."""
        return self._snapshot.ask(lambda cache: _moved(cache, before, clock, touched))

    # ---- what waits becomes commits ---------------------------------------------------------------

    def drain(self, occasion: Occasion) -> Landed | None:
        """Commit what waits in the spool; None when nothing does.

        Raises:
            WaitsInSpool: it can not be committed now.
        """
        if not self.spool.waiting():
            return None
        return self._land(occasion, None)

    def _land(self, occasion: Occasion, own: tuple[str, bytes, Entry] | None) -> Landed:
        """Commit everything that waits, with `own` among it; turn failures into "it waits"."""
        stem = own[0] if own else next(iter(self.spool.waiting()), "")
        state = self.home.state_dir
        make_folder(state)
        try:
            with Lock(os.path.join(self.home.repository.commondir, LOCK_FILE)) as lock:
                try:
                    return self._commit_waiting(occasion, own, lock)
                except CACHE_ERRORS:  # a damaged cache is no reason not to commit
                    self._snapshot.discard()
                    return self._commit_waiting(occasion, own, lock)
        except (Busy, StorageFailed, GitFailed, CorruptRepository, OSError) as problem:
            hint = problem.hint if isinstance(problem, DiurnaError) else ""
            raise WaitsInSpool(stem, str(problem), hint) from problem

    def _commit_waiting(
        self, occasion: Occasion, own: tuple[str, bytes, Entry] | None, lock: Lock
    ) -> Landed:
        batch: dict[str, tuple[bytes, Entry | None]] = {}
        for stem in self.spool.waiting():
            if own and stem == own[0]:
                batch[stem] = own[1:]
                continue
            data = self.spool.read(stem)
            if data is not None:
                batch[stem] = (data, None)
        if own and own[0] not in batch:  # whoever held the lock before us carried it in
            return Landed(self.home.tip(), ())
        if not batch:
            return Landed(self.home.tip(), ())
        waiting = next(iter(batch))
        if not self.home.reference:
            raise WaitsInSpool(
                own[0] if own else waiting,
                "HEAD is detached, so there is no branch to commit to",
                "check out the branch whose memory this is; the next Diurna command commits it",
            )
        if self.home.kind != OWN_BRANCH and self.home.repository.top:
            doing = operation_under_way(self.home.repository)
            if doing:
                raise WaitsInSpool(
                    own[0] if own else waiting,
                    f"{doing} is in progress on {self.home.branch}",
                    "finish it; the next Diurna command commits what waits",
                )
        deadline = time.monotonic() + PATIENCE_SECONDS
        pause = 0.002
        while True:
            try:
                return self._commit_once(occasion, batch, lock)
            except TipMoved:
                pass
            except ReferenceLocked as problem:
                cleared = clear_stale_lock(self.home.repository.commondir, problem.path, lock.note)
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

    def _commit_once(
        self, occasion: Occasion, batch: Mapping[str, tuple[bytes, Entry | None]], lock: Lock
    ) -> Landed:
        home = self.home
        tip = home.tip()
        cache = self._snapshot.cache(tip)
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
        if cache.policy.publish == "append":
            extra, noticed = self._projection(cache, tip, refs, entries)
            files += extra
            findings += noticed
        wanted = Commit(
            home.reference,
            tip,
            "" if _born_from_upstream(home, tip) else tip,
            tuple((prefix + path, data) for path, data in files),
            _message(fresh),
            occasion.identity,
            occasion.now_ms // 1000,
        )
        lock.write_note(home.reference)
        writer = self._open_writer()
        made = writer.commit(wanted)
        writer.check(
            made,
            [
                (prefix + ref.path, ref.blob, data)
                for ref, (_, data) in zip(refs, logs, strict=True)
            ],
        )
        if home.tip() != made and not self._contains(made):
            raise StorageFailed(f"{home.reference} did not keep the commit {made}")
        lock.write_note("")
        if home.checked_out:
            ensure_drivers(home)
            findings += follow(home, files)
        elif home.kind == OWN_BRANCH and home.repository.top and len(files) > len(logs):
            from memory.mirror import mirror

            findings += mirror(home, files[len(logs) :])
        for stem in batch:
            self.spool.commit(stem)
        if cache.commit == tip:
            self._bring_forward(cache, tip, made, refs, entries)
        self._let_go()
        return Landed(made, tuple(findings))

    def _bring_forward(
        self, cache: Cache, tip: str, made: str, refs: list[LogRef], entries: list[Entry]
    ) -> None:
        try:
            cache.advance(tip, made, refs, entries, ())
        except CACHE_ERRORS:
            self._snapshot.close()  # the next question builds it anew

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
        from memory.publish import changes, committed_projection, projection_files
        from memory.states import state_of

        files = projection_files(state_of(cache, refs, entries))
        committed = committed_projection(self.home, tip)
        if self.home.checked_out:
            edited = hand_edited(self.home, [CONTINUITY_FILE, *files], committed)
            if edited:
                return [], [edited_finding(path) for path in sorted(set(edited))]
        return list(changes(files, committed)), []

    def commit_files(
        self, files: Iterable[tuple[str, bytes | None]], message: str, occasion: Occasion
    ) -> str:
        """Commit files of the home other than logs, on the tip as it is; return the commit.

        Raises:
            Busy: the branch kept moving or is locked.
            StorageFailed: an object did not reach the disk.
        """
        home = self.home
        listed = list(files)
        make_folder(home.state_dir)
        with Lock(os.path.join(home.repository.commondir, LOCK_FILE)) as lock:
            for _ in range(50):
                tip = home.tip()
                try:
                    lock.write_note(home.reference)
                    made = self._open_writer().commit(
                        Commit(
                            home.reference,
                            tip,
                            "" if _born_from_upstream(home, tip) else tip,
                            tuple((home.prefix + path, data) for path, data in listed),
                            message,
                            occasion.identity,
                            occasion.now_ms // 1000,
                        )
                    )
                except (TipMoved, ReferenceLocked) as problem:
                    if isinstance(problem, ReferenceLocked):
                        cleared = clear_stale_lock(
                            home.repository.commondir, problem.path, lock.note
                        )
                        if cleared is not None:
                            self._snapshot.notes.append(cleared)
                            continue
                    time.sleep(0.02)
                    continue
                lock.write_note("")
                if home.checked_out:
                    self._snapshot.notes += follow(home, listed)
                return made
        raise Busy(f"{home.branch} kept moving or stayed locked", hint="try again")

    def heal_index(self) -> list[Finding]:
        """Set the index entries that an earlier command had to leave."""
        return update_index(self.home, []) if self.home.checked_out else []

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

        A copy whose log the ledger has lost meanwhile (`git gc --prune=now` beside a writer) waits again.
        """
        kept = self.spool.kept()
        if len(kept) < KEEP:
            return
        cache = self._snapshot.cache()
        os.sync()
        safe = []
        for stem in kept:
            if cache.log_ref(stem) is None:
                self.spool.requeue(stem)
            else:
                safe.append(stem)
        self.spool.forget(safe)


_FILLED = ("agent", "ended", "after", "type", *_HEADER_ORDER, "branch", "commit")


def edited_finding(path: str) -> Finding:
    """Say that a projection file was edited by hand and left alone."""
    return Finding(
        "hand-edited",
        f"{path} was edited by hand; it was left as it is and not published",
        path,
        hint="record what the edit says with `diurna append`, and put the file back as git has it",
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
        return f"diurna: {len(logs)} session logs"
    ((stem, (data, _)),) = logs.items()
    at = data.find(b"\n# ")
    title = data[at + 3 : data.find(b"\n", at + 3)].decode("utf-8", "replace") if at >= 0 else stem
    return f"diurna: {' '.join(title.split())[:72]}"


def _check_writable(cache: Cache) -> None:
    from ledger.layout import FORMAT_VERSION

    if cache.policy.format > FORMAT_VERSION:
        raise WriteRefused(
            f"the ledger has format {cache.policy.format}, this Diurna writes {FORMAT_VERSION}",
            hint="install a newer Diurna; this one reads what it can",
        )


def _check_events(
    events: tuple[Event, ...], cache: Cache, histories: Mapping[str, History]
) -> None:
    """Refuse to create what is there: one id never silently gets two texts from one writer."""
    for event in events:
        if isinstance(event, FactCreated) and event.id in histories:
            found = resolve(event.id, histories[event.id], cache.cut)
            if found is not None:
                raise DraftRefused(
                    (
                        Finding(
                            "not-canonical",
                            f"the fact {event.id} exists already: {found.text.split(chr(10))[0]}",
                            hint=f"reference it, change it with `--update {event.id} TEXT`, "
                            "or choose another id",
                        ),
                    )
                )


def _event_findings(
    events: tuple[Event, ...], histories: Mapping[str, History]
) -> tuple[Finding, ...]:
    """Say which ids a log names that the ledger does not know."""
    born = set(births(events))
    return tuple(
        Finding(
            "unknown-id",
            f"{fact} is not in this ledger (yet)",
            hint="check the spelling; `diurna show` lists the ids",
        )
        for fact in named_ids(events)
        if fact not in born and fact not in histories
    )


def _tiers(cache: Cache, histories: Mapping[str, History], clock: DecayClock) -> dict[str, str]:
    lasting = never_decaying(cache.policy)
    found: dict[str, str] = {}
    for fact, history in histories.items():
        value = resolve(fact, history, cache.cut)
        if value is not None:
            found[fact] = tier(value, clock, lasting)
    return found


def _moved(
    cache: Cache, before: Mapping[str, str], clock: DecayClock, touched: list[str]
) -> tuple[tuple[str, str, str], ...]:
    """Compare tiers with those before, at an earlier clock."""
    after_clock = cache.clock()
    moved = [fact for fact in cache.crossing(clock, after_clock) if fact not in before]
    histories = cache.some_histories([*touched, *moved])
    after = _tiers(cache, histories, after_clock)
    old = {**_tiers(cache, {f: histories[f] for f in moved if f in histories}, clock), **before}
    return tuple(
        (fact, old.get(fact, ""), found)
        for fact, found in after.items()
        if old.get(fact, "") != found
    )


def _with_header(log: SessionLog, key: str, value: str) -> SessionLog:
    """Set `ended`, which stands right behind `agent`."""
    header = [pair for pair in log.header if pair[0] != key]
    header.insert(1, (key, value))
    return log._replace(header=tuple(header))


def ahead_by_a_day(stem: str, now_ms: int) -> bool:
    """Tell whether a log is stamped more than a day ahead of the clock."""
    return milliseconds_of(stem) > now_ms + 86_400_000
