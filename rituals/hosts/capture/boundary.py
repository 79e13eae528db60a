"""Tell what a session left since the last time: one log, under a lock, and nothing twice.

How far a session is told stands in the ledger, in the headers of its logs (FORMAT.md, W13): a boundary
that is repeated or was killed finds there what to tell. The note beside the spool only helps
with other branches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from zlib import crc32

from ledger.environment import now_ms
from ledger.errors import DiurnaError, DraftRefused
from ledger.model.record import Record
from ledger.model.session import (
    CONTINUED,
    EDIT,
    OBSERVED,
    TRANSCRIPT,
    SessionLog,
    Span,
    cost_since,
    shown_since,
)
from ledger.secrets.log_redaction import KEEP, guard
from ledger.wal.atomic_files import Lock, make_folder
from ledger.wal.kept_asks import Ask, asks_in, keep_asks
from memory.api import Memory
from memory.write.draft import SessionDraft
from memory.write.opened_facts import MOST_USES
from projection.policy.model import FORMERLY, OFF, Policy
from rituals.hosts.adapters import PRECOMPACT, SUBAGENT_STOP
from rituals.hosts.capture.capture_notes import (
    FAILED,
    WRITTEN,
    Answer,
    Attempt,
    drop_answer,
    keep_answer,
    kept_answer,
    note_attempt,
)
from rituals.hosts.capture.commit_texts import History
from rituals.hosts.capture.composition import (
    Part,
    draft_of_part,
    passages_of,
    session_name,
    storable,
)
from rituals.hosts.capture.deeds import deeds_of
from rituals.hosts.capture.gates import Gates, kept_by, makes_facts, record_own
from rituals.hosts.capture.stamps import Told, note_told, seen_of, told_of
from rituals.hosts.capture.told_sources import (
    Sources,
    answered_title,
    said_in,
    sources_of,
    title_of,
)
from rituals.hosts.capture.untold_session import Pending, Piece
from rituals.hosts.capture.use_evidence import Evidence, nearest
from rituals.hosts.context.session_cursor import heard_by
from rituals.hosts.extraction import SOURCES, Extraction, extract
from rituals.hosts.moments import CAPTURED_DIR, file_name
from rituals.hosts.quoted_items import Item
from rituals.hosts.stop_request import counts
from rituals.hosts.transcripts.slices import read_slice
from rituals.hosts.transcripts.turns import USER
from rituals.hosts.user_settings import Settings, settings
from rituals.record.draft_composer import taken_in, words_for

#: How long another boundary of the session is waited for.
LOCK_SECONDS = 180.0
#: So often a model may fail at a part before it is told without.
TRIES = 3
_LOCKS = 16


class Asked(Record):
    """Which session is to be told, and how."""

    host: str  #: key of `HOSTS`
    session: str  #: the host's id
    transcript: str = ""  #: path; "" for the one that a hook saw
    why: str = "asked"  #: the event that made it due, "asked" for a person
    dry_run: bool = False  #: change nothing; the outcome says what would be written
    #: when it ended, if that was before hooks were there (O6): milliseconds since 1970, else 0
    past: int = 0
    folder: str = ""  #: where it worked; "" for where a hook saw it


class Outcome(Record):
    """What became of a boundary."""

    asked: Asked  #: for which session
    logs: tuple[tuple[str, bytes], ...]  #: (stem, bytes) of what was written, or would be
    attempts: tuple[Attempt, ...]  #: what was tried, a part of the session each
    said: str = ""  #: why nothing was written, "" where something was
    asks: tuple[Ask, ...] = ()  #: what a person asked for, for their eyes


class _Failed(Exception):
    """No extractor gave an answer that can be read."""


def boundary(memory: Memory, asked: Asked, environment: Mapping[str, str]) -> Outcome:
    """Tell what a session left since the last time.

    Raises:
        Busy: another boundary of the session took longer than that is waited for.
        StorageFailed: the disk refused; what was not told is told the next time.
    """
    policy = memory.policy
    commondir = memory.home.repository.commondir
    keep = kept_by(policy, memory.home.kind, informed=bool(asked.past))
    if keep == OFF:
        return Outcome(asked, (), (), "capture is off in diurna.toml")
    folder = f"{commondir}/{CAPTURED_DIR}"
    make_folder(folder)
    number = crc32(file_name(asked.host, asked.session).encode()) % _LOCKS
    with Lock(f"{folder}/session-{number:x}.lock", LOCK_SECONDS):
        return _Boundary(memory, asked, environment, policy, keep).tell()


class _Boundary:
    """One boundary, its session's lock held."""

    def __init__(
        self,
        memory: Memory,
        asked: Asked,
        environment: Mapping[str, str],
        policy: Policy,
        keep: str,
    ) -> None:
        self._memory, self._asked, self._environment = memory, asked, environment
        self._policy, self._keep = policy, keep
        self._commondir = memory.home.repository.commondir
        self._told = told_of(self._commondir, *self._key)
        self._seen = seen_of(self._commondir, *self._key)
        path = asked.transcript or self._seen.transcript
        self._pending = Pending(memory.snapshot, *self._key, path, self._told.ends)
        self._gates = Gates(memory, policy, self._typed)
        self._attempts: list[Attempt] = []
        self._logs: list[tuple[str, bytes]] = []
        self._asks: list[Ask] = []
        self._withheld = 0

    @property
    def _key(self) -> tuple[str, str]:
        return self._asked.host, self._asked.session

    def tell(self) -> Outcome:
        """Tell what is left; what makes no log is told with what comes later."""
        began, said = now_ms(), ""
        try:
            piece = self._pending.next(self._asked.why)
            if piece is not None:
                self._tell(piece)
        except (_Failed, DraftRefused) as problem:
            said = str(problem)
            self._note(Attempt(now_ms(), *self._key, self._asked.why, FAILED, said=said))
        except DiurnaError as problem:
            failed = Attempt(now_ms(), *self._key, self._asked.why, FAILED, said=problem.message)
            self._note(failed)
            raise
        if not self._asked.dry_run:
            if not said and self._asked.why not in (PRECOMPACT, SUBAGENT_STOP):
                self._told = self._told._replace(at=began)  # else something is left
            self._note_told()
        if not self._logs and not said:
            said = "nothing new"
        return Outcome(self._asked, (*self._logs,), (*self._attempts,), said, (*self._asks,))

    @cached_property
    def _proofs(self) -> Evidence:
        return Evidence(self._memory, self._gates, self._seen, self._pending.session)

    def _tell(self, piece: Piece) -> None:
        """Record a piece as a log, where it has anything to record; one of the past uses nothing (O6)."""
        used = () if self._asked.past else self._proofs.of(piece.said)
        began, before = now_ms(), len(self._gates.left_out)
        span = Span(piece.name, piece.said.start, piece.said.end) if piece.said else None
        asked, again = self._proofs.parted(self._asked_for(piece))
        said = self._record_said(span, asked)
        found = self._extracted(piece, span)
        total = len(asked) + len(again) + len(found.items)
        fresh, copies = self._proofs.parted(found.items)
        found = found._replace(items=fresh)
        mine = storable([item for item in found.items if not item.personal])
        own = [item for item in found.items if item.personal]
        owned = self._record_own(found.extractor, own) if own else 0
        sources = self._sources(piece)
        shared = sources.asking(lambda _: self._policy.capture.asks)
        told = passages_of(shared, self._policy.capture.characters, self._gates.opened)
        against = {id for item in mine for id in item.supersedes}
        used = (*used, *[one._replace(by="person") for one in again], *copies)
        used = () if self._asked.past else self._proofs.once(used, against)[:MOST_USES]
        heard = heard_by(self._commondir, file_name(*self._key))
        seen, met = len(heard.shown) + heard.unlisted, len(heard.moments)
        shown = shown_since(heard.shown, self._told.shown, seen)
        part = Part(
            self._asked.host, self._pending.session, found.extractor, piece.observed, span,
            piece.observations, piece.turns, mine, told,
            self._title(shared), shown,
            shown_since(heard.moments, self._told.moments, met),
            counts(self._commondir, *self._key), self._proofs.references(used),
            cost_since(heard.cost, (self._told.characters, self._told.needed)),
        )  # fmt: skip
        part, draft = self._looked_first(part)
        prompts = [one for one in piece.turns if one.role == USER and self._keep != FORMERLY]
        if draft.prose or draft.events or prompts:
            done = piece.observations or part.items or sources.commits or sources.texts
            acted = said or done or any(deeds_of(piece.turns))
            self._append(draft if acted else draft._replace(type=CONTINUED))
            self._keep_asks(sources)
            self._told = Told(*self._told[:3], seen, met, *heard.cost)
        elif not said:
            return
        spans = ((OBSERVED, piece.observed), (TRANSCRIPT, span))
        ends = {f"{kind} {one.name}": one.end for kind, one in spans if one is not None}
        self._told = self._told._replace(ends={**self._told.ends, **ends}, failed={})
        if not self._asked.dry_run:
            drop_answer(self._commondir, *self._key)
        attempt = Attempt(began, *self._key, self._asked.why, WRITTEN, found.extractor)
        self._note(
            attempt._replace(
                ms=now_ms() - began,
                observed=len(piece.observations),
                facts=said + len(part.items),
                known=total - len(own) - said - len(part.items),
                used=len(used),
                personal=len(own),
                owned=owned,
                quoted=len(self._gates.left_out) - before,
                dropped=found.dropped,
            )
        )

    def _asked_for(self, piece: Piece) -> tuple[Item, ...]:
        """Return what a person asked to be remembered in a piece."""
        if piece.said is None or not makes_facts(self._policy):
            return ()
        return said_in(piece.said.turns, self._policy.capture.remember)

    def _record_said(self, span: Span | None, items: Sequence[Item]) -> int:
        """Record what a person asked to be remembered, in a log of theirs; return how much was new."""
        shared = storable(items)
        if not shared:
            return 0
        part = Part(*self._key, SOURCES, None, span, (), (), shared, title=shared[0].text)
        part, draft = self._looked_first(part)
        if part.items:
            who = self._memory.identity().name
            self._append(draft._replace(header=(), type=EDIT, agent=who))
        return len(part.items)

    def _sources(self, piece: Piece) -> Sources:
        """Return what a piece told for people to read; nothing where the user does not know of it."""
        said, room = piece.said, self._policy.capture.characters
        if said is None or said.helps or self._keep == FORMERLY or not room:
            return Sources()
        works = self._asked.folder or self._seen.folder
        with History(works, self._memory.home.repository) as history:
            return sources_of(said.turns, history).asking(self._gates.may_be_told)

    def _title(self, sources: Sources) -> str:
        named = answered_title(self._memory.snapshot, self._pending.session)
        return named or title_of(sources, self._gates.opened)

    def _keep_asks(self, sources: Sources) -> None:
        """Keep in the clone what the person asked for; a disk that refuses is no reason to fail."""
        at, folder = self._asked.past or now_ms(), self._asked.folder or self._seen.folder
        self._asks = [Ask(at, *self._key, folder, text) for text in sources.asks]
        with suppress(DiurnaError, OSError):
            if self._asks and not self._asked.dry_run:
                keep_asks(self._commondir, self._asks)

    def _typed(self) -> tuple[list[str], list[str]]:
        """Return what the person typed in the session, and lately in others that told its agent of it.

        Also where a helper's transcript is told. Beside it are the runs of what no file has.
        """
        texts, hidden = [one.text for one in asks_in(self._commondir)], list[str]()
        for path in dict.fromkeys((self._pending.path, self._seen.transcript)):
            mine = path == self._pending.path
            part = self._pending.transcript if mine else read_slice(self._asked.host, path, 0)
            texts += part.typed if part else ()
            hidden += part.hidden if part else ()
        return texts, hidden

    def _extracted(self, piece: Piece, span: Span | None) -> Extraction:
        """Return what a model learned of what was said, not of the past."""
        if piece.said is None or span is None or not makes_facts(self._policy):
            return Extraction((), SOURCES)
        kept = kept_answer(self._commondir, *self._key, span.name, span.start)
        since, paid = (kept.span.end, kept.extraction) if kept else (0, Extraction((), SOURCES))
        chosen = Settings() if self._asked.past else settings(self._environment)
        failures = self._told.failed.get(f"{span.name} {span.start}", 0)
        found = Extraction((), SOURCES)
        if chosen.extractors and since < span.end:
            kinds = [kind.name for kind in self._policy.kinds]
            turns = tuple([turn for turn in piece.turns if turn.at >= since])
            known = nearest(self._memory, turns)
            part = piece.said._replace(turns=turns)
            found = extract(part, known, chosen, self._environment, kinds)
        if found.failed and failures + 1 >= TRIES:
            found = Extraction((), SOURCES)
        if found.failed:
            failed = {f"{span.name} {span.start}": failures + 1}
            self._told = self._told._replace(failed=failed)
            raise _Failed(found.failed)
        by = paid.extractor if found.extractor == SOURCES else found.extractor
        items = self._gates.items((*paid.items, *found.items))
        found = Extraction(items, by, paid.dropped + found.dropped)
        shared = tuple([item for item in found.items if not item.personal])
        own = len(shared) < len(found.items)
        if found.extractor != SOURCES and not (own and self._asked.dry_run):
            # what is only the person's is kept nowhere here, and is found again behind a dry run
            kept_here = found._replace(items=shared)
            keep_answer(self._commondir, *self._key, Answer(span, kept_here))
        return found

    def _record_own(self, extractor: str, items: list[Item]) -> int:
        """Record what is about the person alone where they have a home for it; return how much it has."""
        part = Part(*self._key, extractor, None, None, (), (), ())
        occasion = self._memory.occasion()
        return record_own(part, items, occasion, dry_run=self._asked.dry_run)

    def _looked_first(self, part: Part) -> tuple[Part, SessionDraft]:
        """Leave out what memory has; return the part and its draft."""
        draft = self._draft(part)
        if not part.items:
            return part, draft
        items = dict(zip(draft.made, part.items, strict=True))
        for name in self._memory.ask(lambda cache: cache.some_histories(draft.made)):
            del items[name]  # an id is only made anew for another text
        part = part._replace(items=tuple(items.values()))
        return part, self._draft(part)

    def _draft(self, part: Part) -> SessionDraft:
        words = words_for(self._memory) if part.items else {}
        draft = draft_of_part(part, self._policy.capture.trust, taken_in(self._memory), words)
        if draft.prose or part.references or not part.items:
            title, prose = self._gates.shared(draft.title, draft.prose)
            draft = draft._replace(title=title or session_name(part), prose=prose)
        if self._policy.privacy.secrets != "refuse":
            return draft
        log = SessionLog(draft.header, draft.title, draft.prose, draft.events)
        log, _ = guard(log, personal=KEEP)  # nobody is there to take them out
        return draft._replace(title=log.title, prose=log.prose, events=log.events)

    def _append(self, draft: SessionDraft) -> None:
        """Record a log; where it has to wait, it is durable."""
        at = self._asked.past and self._asked.past + len(self._logs)
        if at and draft.type != EDIT:
            source = ("source", self._asked.host)
            draft = draft._replace(type="import", header=(*draft.header, source))
        receipt = self._memory.hold(draft, again=True, dry_run=self._asked.dry_run, at=at)
        self._logs.append((receipt.stem, receipt.data))
        self._withheld += sum([one.code == "secret-redacted" for one in receipt.findings])

    def _note(self, attempt: Attempt) -> None:
        attempt, self._withheld = attempt._replace(withheld=self._withheld), 0
        self._attempts.append(attempt)
        if not self._asked.dry_run:
            note_attempt(self._commondir, attempt)

    def _note_told(self) -> None:
        """Note up to where the session is told; the ledger knows it without the note."""
        try:
            note_told(self._commondir, *self._key, self._told)
        except OSError:
            pass
