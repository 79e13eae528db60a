"""Tell why memory holds something, and what changed between two points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from ledger.environment import now_ms
from ledger.errors import NotFound
from ledger.model.event import (
    VERB_OF,
    Event,
    FactCreated,
    FactRedacted,
    FactReferenced,
    FactUpdated,
    facts_in,
    told,
)
from ledger.model.evidence import Proof, proof_in
from ledger.model.ids import version_id
from ledger.model.instants import lies
from ledger.model.layout import EDITED_KEY
from ledger.model.logset import LogRef
from ledger.model.order import (
    ahead_by_a_day,
    ended_of,
    instant_of,
    key_of,
    stamp_in,
)
from ledger.model.record import Record
from ledger.model.session import EDIT, SessionLog
from memory.cache.cache_file import Cache
from memory.query.fact_marks import marked
from memory.query.origins import ADOPTION, Origin, Origins, origins_of, seen_at
from memory.query.resident import Link, Resident, chain_of, supersessions
from memory.query.visible_logs import logs_of, taking_part
from memory.redaction.withheld_texts import ids_in
from memory.replay.ledger_snapshot import Snapshot
from memory.replay.outdated_lines import Outdated, brought_by
from memory.replay.reader_marks import marks_at
from projection.document.fact_remarks import PLAIN, Mark
from projection.document.page_renderer import REDACTED
from projection.fold.full_replay import State
from projection.fold.testimony import UNTOLD, Testimony, testimony

_IMPORT = "import"


class LogLine(Record):
    """One session log in a list. `ended` is as the log says, or its stamp; it may wait yet.

    `user` is for whom the agent worked, or what was asked for, where a log by hand says so. A log of
    somebody who judges has a `verdict`, and says in which `role` and `about` which facts.
    """

    stem: str
    agent: str
    title: str
    ended: str
    type: str
    path: str
    waiting: bool = False
    role: str = ""
    verdict: str = ""
    about: tuple[str, ...] = ()
    tokens: int = 0
    user: str = ""
    session: str = ""


class Step(Record):
    """One event of a fact. `text` and `version` are set where the event brought a text.

    `event` is the verb; a supersession reads `Superseded by X` or `Supersedes X`. `title` is that of
    the log, which may wait to be committed. What was taken in from elsewhere says where it stood, and who
    wrote it there and when, as far as that was known. `origin` says who wrote the log, and `brought` which
    commit has brought it here.
    """

    stem: str
    agent: str
    event: str
    date: str
    origin: Origin
    text: str
    version: str
    was: tuple[str, ...]
    remark: str
    path: str
    title: str = ""
    waiting: bool = False
    source: str = ""
    by: str = ""
    created: str = ""
    brought: Origin = Origin()

    @property
    def proof(self) -> Proof | None:
        """The evidence of a use, None where there is none."""
        return proof_in(self.remark) if self.event == VERB_OF[FactReferenced] else None

    @property
    def commit(self) -> str:
        """The commit of whoever wrote it, "" where nobody knows."""
        return self.origin.named

    @property
    def author(self) -> str:
        """Who wrote it, "" where nobody knows."""
        return self.origin.author

    @property
    def via(self) -> str:
        """How it came, where not by a commit of whoever wrote it."""
        return self.origin.via


class Provenance(Record):
    """Everything a ledger says of one id, oldest first.

    `chain` are the supersessions that lead to the id and on from it, however many steps away, or, where
    only some were asked for, the nearest; `further` says that there are more. `mark` says whether the fact
    is closed or false, and what stands instead; `known` how it is known, and by whom.
    """

    id: str
    steps: tuple[Step, ...]
    chain: tuple[Link, ...] = ()
    mark: Mark = PLAIN
    known: Testimony = UNTOLD
    further: bool = False


class Difference(Record):
    """What changed between two states, by id.

    `learned` came, `corrected` changed its text or was superseded or invalidated, `faded` left
    `continuity.md` unused, `returned` came back to it, `closed` are threads that were closed.
    """

    learned: tuple[str, ...]
    corrected: tuple[tuple[str, str], ...]
    faded: tuple[str, ...]
    returned: tuple[str, ...]
    closed: tuple[str, ...]
    sessions: int


def provenance(
    snapshot: Snapshot,
    fact: str,
    kept: Origins | None = None,
    resident: Resident | None = None,
    near: int = 0,
) -> Provenance:
    """Gather every event of a fact, oldest first; the texts of a redacted one are withheld.

    `kept` is which commits brought its logs, where the process keeps that; `resident` is the state in
    memory, where many facts are asked for; `near`: so many supersessions of each direction, those
    nearest to the fact, 0 for all.

    Raises:
        NotFound: no log names the id.
    """
    cache = resident or snapshot.cache()
    refs = resident.naming(fact) if resident else _naming(snapshot.cache(), fact)
    if not refs:
        raise NotFound(
            f"no session log names {fact}", hint="`diurna show --list --all` lists the ids"
        )
    commits = origins_of(snapshot.home, refs, kept)
    steps: list[Step] = []
    waiting, when = snapshot.waiting(), shown_times(snapshot, refs, commits)
    for ref, log, events in (resident.telling if resident else partial(_telling, snapshot))(
        refs, fact
    ):
        for event in events:
            step = _step(ref, log, event, fact, commits.get(ref.path, Origin()))
            steps.append(step._replace(date=when(ref, log), waiting=ref.key in waiting))
    if any(step.event == VERB_OF[FactRedacted] for step in steps):
        steps = [step._replace(text=REDACTED) if step.text else step for step in steps]
    now = cache.fact(fact)
    told = testimony(now, cache.entry, cache.some_histories)
    mark = marked(cache, now, snapshot.ask(partial(marks_at, snapshot.home)))
    edges = resident.edges if resident else partial(supersessions, cache)
    chain, further = chain_of(edges, cache.cut, fact, near)
    return Provenance(fact, tuple(steps), chain, mark, told, further)


def _naming(cache: Cache, fact: str) -> list[LogRef]:
    """Return the logs that name a fact, in ledger order."""
    found = [ref for ref, entry in cache.entries_naming(fact) if fact in taking_part(entry)]
    return sorted(found, key=lambda ref: ref.key)


def _telling(
    snapshot: Snapshot, refs: list[LogRef], fact: str
) -> Iterator[tuple[LogRef, SessionLog, Sequence[Event]]]:
    """Yield logs, as far as they are there, with what they say of a fact."""
    for ref, log in logs_of(snapshot, refs):
        yield ref, log, [event for event in log.events if fact in facts_in(event)]


def _step(ref: LogRef, log: SessionLog, event: Event, fact: str, brought: Origin) -> Step:
    text = (event.text or "") if isinstance(event, FactCreated | FactUpdated) else ""
    was = (event.was or ()) if isinstance(event, FactUpdated) else ()
    footer = dict(event.meta) if isinstance(event, FactCreated | FactUpdated) else {}
    return Step(
        ref.stem,
        log.get("agent"),
        told(event, fact),
        "",
        told_by(log.header, brought),
        text,
        version_id(text) if text else "",
        was,
        _shown(event.remark),
        ref.path,
        log.title,
        source=footer.get("source", ""),
        by=footer.get("by", ""),
        created=footer.get("created", ""),
        brought=brought,
    )


def _shown(remark: str) -> str:
    """Return a remark without the questions behind which a fact was used: they are shown nowhere (S14)."""
    proof = proof_in(remark)
    return proof._replace(asked=()).remark if proof and proof.asked else remark


def told_by(header: Iterable[tuple[str, str]], brought: Origin) -> Origin:
    """Return where the words of a log come from: from the commit that its header tells of, where it does.

    That is one of an adopted ledger's past (FORMAT.md, O6), or one in which a person edited a page (A9).
    Of any other log the header says at which commit of the code somebody worked.
    """
    said = dict(header)
    commit, kind = said.get("commit", ""), said.get("type", "")
    edited = kind == EDIT and EDITED_KEY in said and "branch" not in said
    if commit and (edited or (kind == _IMPORT and "source" not in said)):
        return Origin(commit, said.get("agent", ""), ADOPTION if kind == _IMPORT else brought.via)
    return brought


def shown_times(
    snapshot: Snapshot, refs: Iterable[LogRef], brought: Mapping[str, Origin] | None = None
) -> Callable[[LogRef, SessionLog], str]:
    """Return what tells when a log ended, as far as that is known (`seen_at`).

    `brought` is which commits brought the logs, where that was asked already.
    """
    now = now_ms()
    far = [ref for ref in refs if ahead_by_a_day(ref.stem, now)]
    if brought is None:
        brought = origins_of(snapshot.home, far)

    def shown(ref: LogRef, log: SessionLog) -> str:
        said = ended_at(ref.stem, log)
        stamp = stamp_in(said) or key_of(ref.stem)
        seen = seen_at(stamp, brought.get(ref.path, Origin()), now)
        return said if seen == stamp else seen and ended_of(seen)

    return shown


def ended_at(stem: str, log: SessionLog) -> str:
    """Return when a session ended: as its log says, else its stamp."""
    return log.get("ended") or instant_of(stem)


def lines_of(snapshot: Snapshot, stems: Iterable[str]) -> dict[str, LogLine]:
    """Return what a list says of some logs, by stem; those that are not there are left out."""
    cache = snapshot.cache()
    refs = [ref for stem in sorted(stems) if (ref := cache.log_ref(stem)) is not None]
    return {line.stem: line for line in _lines(snapshot, refs)}


def origins(
    snapshot: Snapshot, stems: Iterable[str], kept: Origins | None = None
) -> dict[str, Origin]:
    """Return which commit brought each of some logs, by path."""
    cache = snapshot.cache()
    refs = [ref for stem in stems if (ref := cache.log_ref(stem)) is not None]
    commits = origins_of(snapshot.home, refs, kept)
    return {ref.path: commits.get(ref.path, Origin()) for ref in refs}


def writers(
    snapshot: Snapshot, stems: Iterable[str], kept: Origins | None = None
) -> dict[str, Origin]:
    """Return who wrote each of some logs, by stem."""
    cache = snapshot.cache()
    refs = [ref for stem in stems if (ref := cache.log_ref(stem)) is not None]
    brought = origins_of(snapshot.home, refs, kept)
    refs = [ref for ref in refs if ref.path in brought]
    found = {ref.stem: brought[ref.path] for ref in refs}
    # of all others the header says nothing of who wrote them (`told_by`), so it is not read
    telling = [ref for ref in refs if (of := cache.entry(ref.key)) and of.type in (_IMPORT, EDIT)]
    for ref, log in logs_of(snapshot, telling):
        found[ref.stem] = told_by(log.header, brought[ref.path])
    return found


def log_lines(
    snapshot: Snapshot, agent: str, since: str, until: str, limit: int
) -> tuple[LogLine, ...]:
    """List session logs, newest first, between two stems or the starts of such (see `Memory.log`)."""
    chosen: list[LogRef] = []
    for ref, entry in snapshot.cache().entries_since(since[:10]):
        if (agent and entry.agent != agent) or not lies(entry.stem, entry.clock, since, until):
            continue
        chosen.append(ref)
        if limit and len(chosen) == limit:
            break
    return tuple(_lines(snapshot, chosen))


def _lines(snapshot: Snapshot, refs: list[LogRef]) -> Iterable[LogLine]:
    waits, outdated = snapshot.waiting(), Outdated(snapshot.cache())
    when = shown_times(snapshot, refs)
    for ref, log in logs_of(snapshot, refs):
        ended = when(ref, log)
        who, waiting = log.get("agent"), ref.key in waits
        title = outdated.line(ref.key, log.title, [*brought_by(log.events), *ids_in(log.events)])
        line = LogLine(ref.stem, who, title, ended, log.type, ref.path, waiting)
        line = line._replace(user=log.get("user"), session=log.get("session"))
        yield _judging(line, log) if log.get("verdict") else line._replace(role=log.get("role"))


def _judging(line: LogLine, log: SessionLog) -> LogLine:
    """Say of a log what its verdict is, about what, and what that took."""
    about = tuple([name for part in log.get("about").split(",") if (name := part.strip())])
    tokens = log.get("tokens")
    return line._replace(
        role=log.get("role"),
        verdict=log.get("verdict"),
        about=about,
        tokens=int(tokens) if tokens.isascii() and tokens.isdigit() and len(tokens) < 16 else 0,
    )


def difference(old: State, new: State) -> Difference:
    """Compare two states."""
    learned: list[str] = []
    corrected: list[tuple[str, str]] = []
    faded: list[str] = []
    returned: list[str] = []
    closed: list[str] = []
    for fact in new:
        after = new[fact]
        before = old.get(fact)
        if before is None:
            learned.append(fact)
            continue
        now, then = after.fact, before.fact
        if now.superseded_by and not then.superseded_by:
            corrected.append((fact, f"superseded by {', '.join(now.superseded_by)}"))
        elif now.invalidated_at and not then.invalidated_at:
            corrected.append((fact, "invalidated"))
        elif now.text != then.text:
            corrected.append((fact, "new text"))
        elif before.live and not after.live:
            faded.append(fact)
        elif after.live and not before.live:
            returned.append(fact)
        if now.closed and not then.closed:
            closed.append(fact)
    sessions = new.summary.sessions - old.summary.sessions
    return Difference(
        tuple(learned), tuple(corrected), tuple(faded), tuple(returned), tuple(closed), sessions
    )
