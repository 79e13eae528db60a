"""Tell what a session left since the last time: one log, under a lock, and nothing twice.

How far a session is told stands in the ledger, in the headers of its logs (FORMAT.md, W13): a boundary
that is repeated or was killed finds there what to tell. The note beside the spool only helps
with other branches.
"""

from __future__ import annotations

import os
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
from ledger.wal.spool import Spool as LogSpool
from memory.api import Memory
from memory.cache.schema import reach_name
from memory.write.draft import SessionDraft
from memory.write.host_session import MOST_USES, ends_in_spool
from projection.policy.model import FORMERLY, OFF
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
    header_value,
    passages_of,
    session_name,
    storable,
)
from rituals.hosts.capture.deeds import deeds_of
from rituals.hosts.capture.gates import Gates, kept_by, makes_facts, record_own
from rituals.hosts.capture.session_report import (
    Sources,
    answered_title,
    said_in,
    sources_of,
    title_of,
)
from rituals.hosts.capture.stamps import Told, note_told, seen_of, told_of
from rituals.hosts.capture.uses import Evidence, nearest
from rituals.hosts.context.session_cursor import heard_by
from rituals.hosts.extraction import SOURCES, Extraction, extract
from rituals.hosts.moments import CAPTURED_DIR, file_name
from rituals.hosts.observation_spool import Observation, spool_of
from rituals.hosts.quoted_items import Item
from rituals.hosts.silence import audible, heard, silences
from rituals.hosts.stop_request import counts
from rituals.hosts.transcripts.slices import Slice, read_slice
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
    keep = kept_by(memory.policy, memory.home.kind, informed=bool(asked.past))
    if keep == OFF:
        return Outcome(asked, (), (), "capture is off in diurna.toml")
    folder = f"{memory.home.repository.commondir}/{CAPTURED_DIR}"
    make_folder(folder)
    number = crc32(file_name(asked.host, asked.session).encode()) % _LOCKS
    with Lock(f"{folder}/session-{number:x}.lock", LOCK_SECONDS):
        return _Boundary(memory, asked, environment, keep).tell()


class _Boundary:
    """One boundary, its session's lock held."""

    def __init__(
        self, memory: Memory, asked: Asked, environment: Mapping[str, str], keep: str
    ) -> None:
        self._memory, self._asked, self._environment = memory, asked, environment
        self._policy, self._keep = memory.policy, keep
        self._commondir = memory.home.repository.commondir
        self._key = asked.host, asked.session
        self._told = told_of(self._commondir, *self._key)
        self._seen = seen_of(self._commondir, *self._key)
        self._folder = asked.folder or self._seen.folder
        self._path = asked.transcript or self._seen.transcript
        self._session = header_value("session", asked.session)
        self._silent_as = (asked.session, self._seen.folder)
        self._gates = Gates(memory, self._policy, self._typed)
        self._transcript: Slice | None = None  # as it was read last
        self._attempts: list[Attempt] = []
        self._logs: list[tuple[str, bytes]] = []
        self._asks: list[Ask] = []
        self._withheld = 0

    def tell(self) -> Outcome:
        """Tell what is left; what makes no log is told with what comes later."""
        began, said = now_ms(), ""
        try:
            part, told = self._left()
            if part.observations or told is not None:
                self._tell(part, told)
        except (_Failed, DiurnaError) as problem:
            said = str(problem)
            self._note(Attempt(now_ms(), *self._key, self._asked.why, FAILED, said=said))
            if not isinstance(problem, _Failed | DraftRefused):
                raise
        if not self._asked.dry_run:
            if not said and self._asked.why not in (PRECOMPACT, SUBAGENT_STOP):
                self._told = self._told._replace(at=began)  # else something is left
            with suppress(OSError):  # the ledger knows it without the note
                note_told(self._commondir, *self._key, self._told)
        if not self._logs and not said:
            said = "nothing new"
        return Outcome(self._asked, (*self._logs,), (*self._attempts,), said, (*self._asks,))

    def _left(self) -> tuple[Part, Slice | None]:
        """Return what was not told yet: what was observed, and the rest of the transcript.

        At a compaction the turn that goes on is left for the next time, so that it is told whole; the end
        of a helper tells its transcript alone.
        """
        why, span, observations = self._asked.why, None, tuple[Observation, ...]()
        spool = spool_of(self._commondir, *self._key)
        name = str(spool.read().began)
        start = self._end(OBSERVED, name)
        held = spool.read(start)
        if why != SUBAGENT_STOP and held.count > start and str(held.began) == name:
            span, known = Span(name, start, held.count), silences(self._commondir)
            observations = tuple(
                [one for one in held.observations if heard(known, *self._silent_as, one.at)]
            )
        name, said = self._said()
        if said is not None and why == PRECOMPACT:
            said = said.without_last_turn()
        said = said if said is not None and said.end > said.start else None
        read = Span(name, said.start, said.end) if said else None
        turns = said.turns if said else ()
        return Part(
            self._asked.host, self._session, SOURCES, span, read, observations, turns, ()
        ), said

    def _said(self) -> tuple[str, Slice | None]:
        """Return the part of the transcript that was not told yet, and its name in headers."""
        base = header_value("transcript", os.path.basename(self._path)) if self._path else ""
        if not base:
            return "", None
        name, number = base, 1
        while self._end(TRANSCRIPT, f"{base}~{number + 1}"):
            number += 1
            name = f"{base}~{number}"
        start = self._end(TRANSCRIPT, name)
        found = self._transcript = read_slice(self._asked.host, self._path, start)
        if found is None:
            return name, None
        if found.start != start:  # it is another file than the one that was told
            name = f"{base}~{number + 1}"
        heard_here = audible(found.turns, self._commondir, *self._silent_as)
        return name, found._replace(turns=heard_here)

    @cached_property
    def _in_spool(self) -> Mapping[str, int]:
        return ends_in_spool(LogSpool(self._memory.home.spool_folder))

    def _end(self, kind: str, name: str) -> int:
        """Return up to where something is told: by the ledger, by what waits, and by the note."""
        row = reach_name(self._asked.host, self._session, kind, name)
        ledger = self._memory.snapshot.tip.ask(lambda cache: cache.reached(row))
        return max(self._in_spool.get(row, 0), ledger, self._told.ends.get(f"{kind} {name}", 0))

    @cached_property
    def _proofs(self) -> Evidence:
        return Evidence(self._memory, self._gates, self._seen, self._session)

    def _tell(self, part: Part, slice: Slice | None) -> None:
        """Record what is left as a log, where there is anything; one of the past uses nothing (O6)."""
        used = () if self._asked.past else self._proofs.of(slice)
        began, before = now_ms(), len(self._gates.left_out)
        facts = self._policy.capture if makes_facts(self._policy) else None
        wanted = said_in(part.turns, facts.remember) if facts else ()
        asked, again = self._proofs.parted(wanted)
        said = self._record_said(part, asked)
        found = self._extracted(part, slice) if facts else Extraction((), SOURCES)
        total = len(asked) + len(again) + len(found.items)
        fresh, copies = self._proofs.parted(found.items)
        mine = storable([item for item in fresh if not item.personal])
        own = [item for item in fresh if item.personal]
        part = part._replace(extractor=found.extractor)
        now, dry = self._memory.occasion(), self._asked.dry_run
        owned = record_own(part, own, now, dry_run=dry) if own else 0
        sources = self._sources(slice)
        shared = sources.asking(lambda _: self._policy.capture.asks)
        against = {id for item in mine for id in item.supersedes}
        used = (*used, *[one._replace(by="person") for one in again], *copies)
        used = () if self._asked.past else self._proofs.once(used, against)[:MOST_USES]
        heard = heard_by(self._commondir, file_name(*self._key))
        seen, met, cost = len(heard.shown), len(heard.moments), (heard.characters, heard.needed)
        named = answered_title(self._memory.snapshot, self._session)
        part = part._replace(
            items=mine,
            told=passages_of(shared, self._policy.capture.characters, self._gates.opened),
            title=named or title_of(shared, self._gates.opened),
            shown=shown_since(heard.shown, self._told.shown, seen),
            met=shown_since(heard.moments, self._told.moments, met),
            asked=counts(self._commondir, *self._key),
            references=self._proofs.references(used),
            cost=cost_since(cost, (self._told.characters, self._told.needed)),
        )
        part, draft = self._looked_first(part)
        prompts = [one for one in part.turns if one.role == USER and self._keep != FORMERLY]
        if draft.prose or draft.events or prompts:
            done = part.observations or part.items or sources.commits or sources.texts
            acted = said or done or any(deeds_of(part.turns))
            self._append(draft if acted else draft._replace(type=CONTINUED))
            self._keep_asks(sources)
            self._told = Told(*self._told[:3], seen, met, *cost)
        elif not said:
            return
        spans = ((OBSERVED, part.observed), (TRANSCRIPT, part.transcript))
        ends = {f"{kind} {one.name}": one.end for kind, one in spans if one is not None}
        self._told = self._told._replace(ends={**self._told.ends, **ends}, failed={})
        if not dry:
            drop_answer(self._commondir, *self._key)
        made, quoted = said + len(part.items), len(self._gates.left_out) - before
        known, seen = total - len(own) - made, len(part.observations)
        attempt = Attempt(began, *self._key, self._asked.why, WRITTEN, found.extractor)
        attempt = attempt._replace(observed=seen, facts=made, known=known, used=len(used))
        attempt = attempt._replace(personal=len(own), owned=owned, dropped=found.dropped)
        self._note(attempt._replace(ms=now_ms() - began, quoted=quoted))

    def _record_said(self, part: Part, items: Sequence[Item]) -> int:
        """Record what a person asked to be remembered, in a log of theirs; return how much was new."""
        shared = storable(items)
        if not shared:
            return 0
        part = Part(
            *self._key, SOURCES, None, part.transcript, (), (), shared, title=shared[0].text
        )
        part, draft = self._looked_first(part)
        if part.items:
            who = self._memory.identity().name
            self._append(draft._replace(header=(), type=EDIT, agent=who))
        return len(part.items)

    def _sources(self, said: Slice | None) -> Sources:
        """Return what was told for people to read; nothing where the user does not know of it."""
        room = self._policy.capture.characters
        if said is None or said.helps or self._keep == FORMERLY or not room:
            return Sources()
        with History(self._folder, self._memory.home.repository) as history:
            return sources_of(said.turns, history).asking(self._gates.may_be_told)

    def _keep_asks(self, sources: Sources) -> None:
        """Keep in the clone what the person asked for; a disk that refuses is no reason to fail."""
        at = self._asked.past or now_ms()
        self._asks = [Ask(at, *self._key, self._folder, text) for text in sources.asks]
        with suppress(DiurnaError, OSError):
            if self._asks and not self._asked.dry_run:
                keep_asks(self._commondir, self._asks)

    def _typed(self) -> tuple[list[str], list[str]]:
        """Return what the person typed in the session, and lately in others that told its agent of it.

        Also where a helper's transcript is told. Beside it are the runs of what no file has.
        """
        texts, hidden = [one.text for one in asks_in(self._commondir)], list[str]()
        for path in dict.fromkeys((self._path, self._seen.transcript)):
            mine = path == self._path
            part = self._transcript if mine else read_slice(self._asked.host, path, 0)
            texts += part.typed if part else ()
            hidden += part.hidden if part else ()
        return texts, hidden

    def _extracted(self, told: Part, said: Slice | None) -> Extraction:
        """Return what a model learned of what was said, not of the past."""
        if said is None or (span := told.transcript) is None:
            return Extraction((), SOURCES)
        kept = kept_answer(self._commondir, *self._key, span.name, span.start)
        since, paid = (kept.span.end, kept.extraction) if kept else (0, Extraction((), SOURCES))
        chosen = Settings() if self._asked.past else settings(self._environment)
        failures = self._told.failed.get(f"{span.name} {span.start}", 0)
        found = Extraction((), SOURCES)
        if chosen.extractors and since < span.end:
            kinds = [kind.name for kind in self._policy.kinds]
            turns = tuple([turn for turn in told.turns if turn.at >= since])
            new, known = said._replace(turns=turns), nearest(self._memory, turns)
            found = extract(new, known, chosen, self._environment, kinds)
        if found.failed and failures + 1 >= TRIES:
            found = Extraction((), SOURCES)
        if found.failed:
            failed = {f"{span.name} {span.start}": failures + 1}
            self._told = self._told._replace(failed=failed)
            raise _Failed(found.failed)
        by = paid.extractor if found.extractor == SOURCES else found.extractor
        items = self._gates.items((*paid.items, *found.items))
        found = Extraction(items, by, paid.dropped + found.dropped)
        shared = found._replace(items=tuple([item for item in items if not item.personal]))
        if found.extractor != SOURCES and not (shared != found and self._asked.dry_run):
            # what is only the person's is kept nowhere here, and is found again behind a dry run
            keep_answer(self._commondir, *self._key, Answer(span, shared))
        return found

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
