"""Find what of a session was not told yet: its observations, and the rest of its transcript."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ledger.model.ids import sha256
from ledger.model.record import Record
from ledger.model.session import OBSERVED, TRANSCRIPT, SessionLog, Span
from ledger.secrets.log_redaction import KEEP, guard
from ledger.wal.spool import Spool as LogSpool
from memory.cache.newest_logs import reach_name
from memory.replay.ledger_snapshot import Snapshot
from memory.write.host_session import ends_in_spool
from rituals.hosts.adapters import PRECOMPACT, SUBAGENT_STOP
from rituals.hosts.capture.stamps import seen_of
from rituals.hosts.observed.observation_spool import Observation, spool_of
from rituals.hosts.silence import audible, heard, silences
from rituals.hosts.transcripts.slices import Slice, read_slice
from rituals.hosts.transcripts.turns import Turn

_NAME_CHARS = 200


class Piece(Record):
    """What is there to be told next: what was observed, and what was said."""

    observed: Span | None  #: the span of the observations, None for none
    observations: tuple[Observation, ...]  #: in it
    name: str  #: of the transcript, as headers name it; a file that began anew has another one
    said: Slice | None  #: the part of the transcript, None for none

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What was said and done in it."""
        return self.said.turns if self.said else ()


class Pending:
    """What a session left, beside what is told of it.

    Args:
        snapshot: of the home.
        host: key of `HOSTS`.
        session: the host's id.
        path: of the transcript, "" for none.
        ends: up to where it is told, by the note beside its spool.
    """

    def __init__(
        self, snapshot: Snapshot, host: str, session: str, path: str, ends: Mapping[str, int]
    ) -> None:
        self.host, self.session = host, _header_value("session", session)
        self.path, self.ends = path, ends
        #: The transcript as it was read last.
        self.transcript: Slice | None = None
        self.spool = spool_of(snapshot.home.repository.commondir, host, session)
        self._snapshot = snapshot
        self._in_spool: Mapping[str, int] | None = None
        self._commondir = snapshot.home.repository.commondir
        self._silent_as = (session, seen_of(self._commondir, host, session).folder)

    def next(self, why: str = "") -> Piece | None:
        """Return what is to be told next, None for nothing.

        `why` is the event that made it due. At a compaction the turn that goes on is left for the next
        time, so that it is told whole; the end of a helper tells its transcript alone.
        """
        observed, observations = self._observed() if why != SUBAGENT_STOP else (None, ())
        name, said = self._said()
        if said is not None and why == PRECOMPACT:
            said = said.without_last_turn()
        said = said if said is not None and said.end > said.start else None
        return Piece(observed, observations, name, said) if observations or said else None

    def _observed(self) -> tuple[Span | None, tuple[Observation, ...]]:
        """Return the observations that were not told yet, and their span."""
        name = str(self.spool.read().began)
        start = self.end(OBSERVED, name)
        held = self.spool.read(start)
        known = silences(self._commondir)
        told = [one for one in held.observations if heard(known, *self._silent_as, one.at)]
        held = held._replace(observations=tuple(told))
        if held.count <= start or str(held.began) != name:  # one made anew has its turn next
            return None, ()
        return Span(name, start, held.count), held.observations

    def _said(self) -> tuple[str, Slice | None]:
        """Return the part of the transcript that was not told yet, and its name in headers."""
        base = _header_value("transcript", os.path.basename(self.path)) if self.path else ""
        if not base:
            return "", None
        name, number = base, 1
        while self.end(TRANSCRIPT, f"{base}~{number + 1}"):
            number += 1
            name = f"{base}~{number}"
        start = self.end(TRANSCRIPT, name)
        found = self.transcript = read_slice(self.host, self.path, start)
        if found is None:
            return name, None
        if found.start != start:  # it is another file than the one that was told
            name = f"{base}~{number + 1}"
        heard_here = audible(found.turns, self._commondir, *self._silent_as)
        return name, found._replace(turns=heard_here)

    def end(self, kind: str, name: str) -> int:
        """Return up to where something is told: by the ledger, by what waits, and by the note."""
        row = reach_name(self.host, self.session, kind, name)
        noted = self.ends.get(f"{kind} {name}", 0)
        if self._in_spool is None:  # once: what is told from here on is noted
            self._in_spool = ends_in_spool(LogSpool(self._snapshot.home.spool_folder))
        return max(self._in_spool.get(row, 0), self.in_ledger(row), noted)

    def sweep(self) -> None:
        """Remove the spool where the ledger has everything in it."""
        held = self.spool.read()
        row = reach_name(self.host, self.session, OBSERVED, str(held.began))
        if self.in_ledger(row) >= held.count:
            self.spool.remove(held.began, held.count)

    def in_ledger(self, row: str) -> int:
        """Return up to where the ledger itself tells, by a row of `reach_name`."""
        return self._snapshot.tip.ask(lambda cache: cache.reached(row))


def _header_value(key: str, value: str) -> str:
    """Return how a header names a session or a transcript: as it is, unless nothing would read it so."""
    clean = " ".join("".join([char if char.isprintable() else " " for char in value]).split())
    log, _ = guard(SessionLog(((key, clean),), "T", "", ()), personal=KEEP)
    if clean == value and len(clean) <= _NAME_CHARS and log.header == ((key, clean),):
        return clean
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{key}-{digest}"
