"""Tell what a session left since the last time: one log, under a lock, and nothing twice.

How far a session is told stands in the ledger, in the headers of its logs (FORMAT.md, W13): a boundary
that is repeated or was killed finds there what to tell. The note beside the spool only helps
with other branches.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from zlib import crc32

from ledger.environment import now_ms
from ledger.errors import DiurnaError, DraftRefused
from ledger.model.layout import CAPTURED_DIR
from ledger.model.record import Record
from ledger.model.session import (
    CONTINUED,
    COST_KEY,
    EDIT,
    OBSERVED,
    SHOWN_KEY,
    TOLD_KEY,
    TRANSCRIPT,
    SessionLog,
    Span,
    cost_since,
    shown_since,
)
from ledger.secrets.log_redaction import KEEP, guard
from ledger.wal.atomic_files import Lock, make_folder
from ledger.wal.kept_asks import Ask, asks_in, keep_asks
from memory import MOST_USES, Memory, SessionDraft, ends_in_spool, reach_name
from projection.policy.model import FORMERLY, OFF
from rituals.hosts.adapters import PRECOMPACT, SUBAGENT_STOP
from rituals.hosts.capture.commit_texts import History
from rituals.hosts.capture.fact_uses import Evidence, nearest
from rituals.hosts.capture.facts_from_deeds import deeds_of
from rituals.hosts.capture.log_composition import (
    Part,
    draft_of_part,
    header_value,
    session_name,
    storable,
)
from rituals.hosts.capture.privacy_gates import Gates, kept_by, makes_facts
from rituals.hosts.capture.session_marks import Told, note_failure, note_told, seen_of, told_of
from rituals.hosts.capture.session_report import (
    Sources,
    answered_title,
    passages_of,
    said_in,
    sources_of,
    title_of,
)
from rituals.hosts.context.session_cursor import heard_by
from rituals.hosts.extraction import Extraction, Item, extract
from rituals.hosts.host_events import file_name
from rituals.hosts.observation_spool import spool_of
from rituals.hosts.silence import audible, heard, silences
from rituals.hosts.stop_request import counts
from rituals.hosts.transcripts.slices import Slice, read_slice
from rituals.hosts.transcripts.turns import USER
from rituals.hosts.user_settings import settings
from rituals.record.draft_composer import taken_in, words_for

#: How long another boundary of the session is waited for.
LOCK_SECONDS = 180.0
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


#: What became of an attempt: a log, or a fault.
WRITTEN, FAILED = "written", "failed"


class Attempt(Record):
    """What became of a part of a session, in numbers."""

    why: str  #: the event that made it due, "asked" for a person
    outcome: str = WRITTEN  #: `WRITTEN` or `FAILED`
    extractor: str = ""  #: that was asked, "" for none
    observed: int = 0  #: how many observations it had
    facts: int = 0  #: how many facts were recorded, or wait for a person
    known: int = 0  #: how many memory had already
    used: int = 0  #: how many facts it used
    personal: int = 0  #: how many facts a model called personal: they are recorded nowhere
    dropped: int = 0  #: how many nobody had said
    quoted: int = 0  #: how many sentences repeat what the person typed, and are in no log
    withheld: int = 0  #: how many secrets there were; the lines that had them are in no log
    said: str = ""  #: why it failed, or its model did


class Outcome(Record):
    """What became of a boundary."""

    asked: Asked  #: for which session
    logs: tuple[tuple[str, bytes], ...]  #: (stem, bytes) of what was written, or would be
    attempts: tuple[Attempt, ...]  #: what was tried, at most one
    said: str = ""  #: why nothing was written, "" where something was
    asks: tuple[Ask, ...] = ()  #: what a person asked for, for their eyes


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
        # before the ledger: what leaves it is there then
        self._in_spool = ends_in_spool(memory.home.spool)
        self._told = told_of(self._commondir, *self._key)
        self._seen = seen_of(self._commondir, *self._key)
        self._folder = asked.folder or self._seen.folder
        self._path = asked.transcript or self._seen.transcript
        self._session = header_value("session", asked.session)
        self._silent_as = (asked.session, self._seen.folder)
        self._gates = Gates(memory, self._typed)
        self._transcript: Slice | None = None  # as it was read last
        self._logs: list[tuple[str, bytes]] = []
        self._asks: list[Ask] = []
        self._withheld = 0

    def tell(self) -> Outcome:
        """Tell what is left; what makes no log is told with what comes later."""
        began, said, attempt = now_ms(), "", None
        try:
            part, slice = self._left()
            if part.observations or slice is not None:
                attempt = self._tell(part, slice)
        except DiurnaError as problem:
            said, attempt = str(problem), Attempt(self._asked.why, FAILED, said=str(problem))
            if not isinstance(problem, DraftRefused):
                raise
        finally:
            if attempt is not None and attempt.said and not self._asked.dry_run:
                note_failure(self._commondir, *self._key, attempt.said)
        if not self._asked.dry_run:
            if not said and self._asked.why not in (PRECOMPACT, SUBAGENT_STOP):
                self._told = self._told._replace(at=began)  # else something is left
            with suppress(OSError):  # the ledger knows it without the note
                note_told(self._commondir, *self._key, self._told)
        said = said or ("" if self._logs else "nothing new")
        tried = () if attempt is None else (attempt,)
        return Outcome(self._asked, (*self._logs,), tried, said, (*self._asks,))

    def _left(self) -> tuple[Part, Slice | None]:
        """Return what was not told yet: what was observed, and the rest of the transcript.

        At a compaction the turn that goes on is left for the next time, so that it is told whole; the end
        of a helper tells its transcript alone.
        """
        part = Part(self._asked.host, self._session, {})
        held = spool_of(self._commondir, *self._key).read()
        name, end = str(held.began), len(held.lines)
        start = self._end(OBSERVED, name)
        if self._asked.why != SUBAGENT_STOP and end > start:
            known = silences(self._commondir)
            news = [
                one for one in held.observations(start) if heard(known, *self._silent_as, one.at)
            ]
            spans = {OBSERVED: Span(name, start, end)}
            part = part._replace(spans=spans, observations=tuple(news))
        name, slice = self._said()
        if slice is not None and self._asked.why == PRECOMPACT:
            slice = slice.without_last_turn()
        if slice is None or slice.end <= slice.start:
            return part, None
        spans = {**part.spans, TRANSCRIPT: Span(name, slice.start, slice.end)}
        return part._replace(spans=spans, turns=slice.turns), slice

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

    def _end(self, kind: str, name: str) -> int:
        """Return up to where something is told: by what waits, by the ledger, and by the note."""
        row = reach_name(self._asked.host, self._session, kind, name)
        ledger = self._memory.snapshot.tip.ask(lambda cache: cache.reached(row))
        return max(self._in_spool.get(row, 0), ledger, self._told.ends.get(f"{kind} {name}", 0))

    def _tell(self, part: Part, slice: Slice | None) -> Attempt | None:
        """Record what is left as a log, where there is anything; one of the past uses nothing (O6)."""
        past, policy = self._asked.past, self._policy.capture
        facts = makes_facts(self._policy)
        proofs = Evidence(self._memory, self._gates, self._seen, self._session)
        used = () if past else proofs.of(slice)
        asked, again = proofs.parted(said_in(part.turns, policy.remember) if facts else ())
        said = self._record_said(part, asked)
        found = self._extracted(part) if facts and not past else Extraction()
        fresh, copies = proofs.parted(found.items)
        mine = storable([item for item in fresh if not item.personal])
        personal = sum([item.personal for item in fresh])
        part = part._replace(extractor=found.extractor)
        sources = self._sources(slice)
        shared = sources.asking(lambda _: policy.asks)
        against = {id for item in mine for id in item.supersedes}
        used = (*used, *[one._replace(by="person") for one in again], *copies)
        used = () if past else proofs.once(used, against)[:MOST_USES]
        named, (met, more) = answered_title(self._memory.snapshot, self._session), self._met()
        part = part._replace(
            items=mine,
            told=passages_of(shared, policy.characters, self._gates.open),
            title=named or title_of(shared, self._gates.open),
            references=proofs.references(used),
            more=more,
        )
        draft = self._draft(part)
        asks = self._keep != FORMERLY and any(one.role == USER for one in part.turns)
        if draft.prose or draft.events or asks:
            done = part.observations or part.items or sources.commits or sources.texts
            acted = said or done or any(deeds_of(part.turns))
            self._append(draft if acted else draft._replace(type=CONTINUED))
            self._keep_asks(sources)
            self._told = met
        elif not said:
            return None
        ends = {f"{kind} {one.name}": one.end for kind, one in part.spans.items()}
        self._told = self._told._replace(ends={**self._told.ends, **ends})
        total, made = len(asked) + len(again) + len(found.items), said + len(mine)
        return Attempt(
            self._asked.why,
            FAILED if found.failed else WRITTEN,
            found.extractor,
            observed=len(part.observations),
            facts=made,
            known=total - personal - made,
            used=len(used),
            personal=personal,
            dropped=found.dropped,
            quoted=len(self._gates.left_out),
            withheld=self._withheld,
            said=found.failed,
        )

    def _met(self) -> tuple[Told, tuple[tuple[str, str], ...]]:
        """Return the note of what the session was shown and told by now, and what a header says of it."""
        heard, known = heard_by(self._commondir, file_name(*self._key)), self._told
        shown, moments = len(heard.shown), len(heard.moments)
        now = Told(*known[:2], shown, moments, heard.characters, heard.needed)
        often = counts(self._commondir, *self._key)
        more = (
            *(zip(("asked", "answered"), map(str, often), strict=True) if any(often) else ()),
            (SHOWN_KEY, shown_since(heard.shown, known.shown, shown)),
            (TOLD_KEY, shown_since(heard.moments, known.moments, moments)),
            (COST_KEY, cost_since(now[4:], known[4:])),
        )
        return now, tuple([pair for pair in more if pair[1]])

    def _record_said(self, part: Part, items: Sequence[Item]) -> int:
        """Record what a person asked to be remembered, in a log of theirs; return how much it was."""
        shared = storable(items)
        if shared:
            said = Part(*self._key, part.spans, items=shared, title=shared[0].text)
            who = self._memory.identity().name
            self._append(self._draft(said)._replace(header=(), type=EDIT, agent=who))
        return len(shared)

    def _sources(self, said: Slice | None) -> Sources:
        """Return what was told for people to read; nothing where the user does not know of it."""
        room = self._policy.capture.characters
        if said is None or said.helps or self._keep == FORMERLY or not room:
            return Sources()
        history = History(self._folder, self._memory.home.repository)
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

    def _extracted(self, part: Part) -> Extraction:
        """Return what the user's model learned of what was said."""
        chosen = settings(self._environment)
        if not chosen.extractors:
            return Extraction()
        kinds = [kind.name for kind in self._policy.kinds]
        known = nearest(self._memory, part.turns)
        found = extract(part.turns, known, chosen, self._environment, kinds)
        return found._replace(items=self._gates.items(found.items))

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
