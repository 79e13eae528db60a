"""Tell why memory holds something, and what changed between two points."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from ledger.errors import NotFound
from ledger.model.event import (
    VERB_OF,
    Event,
    FactCreated,
    FactRedacted,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    facts_in,
    told,
)
from ledger.model.evidence import Proof, proof_in
from ledger.model.ids import version_id
from ledger.model.log_names import LogRef
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import SessionLog
from memory.cache.cache_file import Cache
from memory.query.log_listing import Origin, origins_of, shown_times, told_by
from memory.query.visible_logs import logs_of
from memory.redaction.withheld_texts import ids_in
from memory.replay.reader_marks import marked_fact, marks_at
from projection.document.fact_remarks import PLAIN, Mark
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.falsity import Edge
from projection.fold.full_replay import State
from projection.fold.testimony import UNTOLD, Testimony, testimony

if TYPE_CHECKING:
    from memory.query.reader import Reader
    from projection.fold.fact_history import Fact


class WhyStep(Record):
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


class Link(Record):
    """A supersession: `new` took the place of `old`, by a log; `counts` unless it was left out."""

    old: str
    new: str
    stem: str
    counts: bool


class Provenance(Record):
    """Everything a ledger says of one id, oldest first.

    `chain` are the supersessions that lead to the id and on from it, however many steps away, or, where
    only some were asked for, the nearest; `further` says that there are more. `mark` says whether the fact
    is closed or false, and what stands instead; `known` how it is known, and by whom.
    """

    id: str
    steps: tuple[WhyStep, ...]
    chain: tuple[Link, ...] = ()
    mark: Mark = PLAIN
    known: Testimony = UNTOLD
    further: bool = False


def provenance(reader: Reader, fact: str, near: int = 0) -> Provenance:
    """Gather every event of a fact, oldest first; the texts of a redacted one are withheld.

    `fact` is its id, or the start of it; `near`: so many supersessions of each direction, those nearest
    to the fact, 0 for all.

    Raises:
        NotFound: no log names the id, or several facts begin so.
    """
    id, cache, snapshot = reader.named(fact), reader.cache(), reader.snapshot
    refs = sorted(
        [
            ref
            for ref, entry in cache.entries_naming(id)
            if id in entry.named or id in ids_in(entry.acts)
        ],
        key=lambda ref: ref.key,
    )
    if not refs:
        raise NotFound(f"no session log names {id}", hint=reader.near_hint(fact))
    brought = origins_of(reader.home, refs, reader.origins)
    waiting, when = snapshot.waiting(), shown_times(snapshot, refs, brought)
    steps = [
        _step(ref, log, event, id, brought.get(ref.path, Origin()))._replace(
            date=when(ref, log), waiting=ref.key in waiting
        )
        for ref, log in logs_of(snapshot, refs)
        for event in log.events
        if id in facts_in(event)
    ]
    if any(step.event == VERB_OF[FactRedacted] for step in steps):
        steps = [step._replace(text=REDACTED_TEXT) if step.text else step for step in steps]
    now = cache.fact(id)
    mark = marked_fact(cache, now, reader.ask(partial(marks_at, reader.home)))
    chain, further = _chain(cache, id, near)
    known = testimony(now, cache.entry, cache.some_histories)
    return Provenance(id, tuple(steps), chain, mark, known, further)


def _step(ref: LogRef, log: SessionLog, event: Event, fact: str, brought: Origin) -> WhyStep:
    text = (event.text or "") if isinstance(event, FactCreated | FactUpdated) else ""
    was = (event.was or ()) if isinstance(event, FactUpdated) else ()
    footer = dict(event.meta) if isinstance(event, FactCreated | FactUpdated) else {}
    return WhyStep(
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


def _chain(cache: Cache, fact: str, near: int) -> tuple[tuple[Link, ...], bool]:
    """Return the supersessions around a fact in ledger order, and whether there are more."""
    found: set[Edge] = set()
    further = False
    for forward in (True, False):
        way = list(islice(_supersessions(cache, fact, forward), near + 1 if near else None))
        further = further or 0 < near < len(way)
        found.update(way[: near or None])
    links = [Link(edge[2], edge[3], edge[0], edge not in cache.cut) for edge in sorted(found)]
    return tuple(links), further


def _supersessions(cache: Cache, fact: str, forward: bool) -> Iterator[Edge]:
    """Yield those that lead on from a fact, or to it, however many steps away, the nearer ones first."""
    seen, todo = {fact}, [fact]
    for here in todo:  # which grows
        history = cache.some_histories([here]).get(here)
        for act in history.acts if history is not None else ():
            event = act.event
            if isinstance(event, FactSuperseded) and here == (event.id if forward else event.new):
                yield act.stem, act.seq, event.id, event.new
                end = event.new if forward else event.id
                if end not in seen:
                    seen.add(end)
                    todo.append(end)


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


def changes_between(old: State, new: State) -> Difference:
    """Compare two states."""
    rows = [(now, old.get(now.fact.id)) for now in new.standings()]
    known = [(now, then, _corrected(now.fact, then.fact)) for now, then in rows if then]
    moved = [now for now, then, why in known if not why and now.live != then.live]
    return Difference(
        tuple([now.fact.id for now, then in rows if then is None]),
        tuple([(now.fact.id, why) for now, _, why in known if why]),
        tuple([now.fact.id for now in moved if not now.live]),
        tuple([now.fact.id for now in moved if now.live]),
        tuple([now.fact.id for now, then, _ in known if now.fact.closed and not then.fact.closed]),
        new.summary.sessions - old.summary.sessions,
    )


def _corrected(now: Fact, then: Fact) -> str:
    """Return how a fact was corrected since, "" where it was not."""
    if now.superseded_by and not then.superseded_by:
        return f"superseded by {', '.join(now.superseded_by)}"
    if now.invalidated_at and not then.invalidated_at:
        return "invalidated"
    return "new text" if now.text != then.text else ""
