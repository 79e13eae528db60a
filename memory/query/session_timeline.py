"""List the sessions around a fact, a session, a date or what answers a question.

Which sessions those are is asked of the cache; only their logs are read from git.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from types import MappingProxyType

from ledger.errors import NotFound, WrongUsage
from ledger.model.ids import is_fact_id
from ledger.model.instants import FORMS, duration_ms, span_of
from ledger.model.log_names import (
    LATEST_YEAR,
    LogRef,
    ended_of,
    floor_of,
    is_date,
    is_stem,
    milliseconds_of,
    stamp_of,
)
from ledger.model.record import TYPE_CHECKING, Record
from ledger.model.session import Entry
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import fact_named, keys_within, log_named, logs_of
from memory.query.log_listing import shown_times
from memory.query.visible_logs import visible_texts
from memory.recall.recall_values import Answer, home_and_id, tokens_of
from memory.redaction.withheld_texts import named_in
from memory.replay.reader_marks import Marks, Outdated, brought_by, marked_fact, marks_at
from memory.replay.tip_snapshot import Snapshot
from memory.write.draft import deeds
from projection.document.fact_remarks import Mark
from projection.fold.fact_history import REDACTED_TEXT
from projection.text.clipping import clipped
from projection.text.session_digest import LINE_CHARS, lead

if TYPE_CHECKING:
    from memory.query.reader import Reader

NOW, DATE, SESSION, FACT, QUERY = "now", "date", "session", "fact", "query"
_LATEST_MS = milliseconds_of(f"{LATEST_YEAR}-12-31-235959999")


class Anchor(Record):
    """What a timeline is around."""

    asked: str  #: as it was said
    kind: str  #: `now`, `date`, `session`, `fact`, or `query` for the best hit of one
    id: str  #: of the fact, or the stem; "" for a date
    #: the stretches of time it takes, first and last millisecond since 1970, in order
    spans: tuple[tuple[int, int], ...]
    stems: tuple[str, ...] = ()  #: the logs that it stands in

    @classmethod
    def at_logs(cls, asked: str, kind: str, id: str, stems: tuple[str, ...]) -> Anchor:
        """Return the anchor that takes the times of some logs."""
        instants = sorted({milliseconds_of(stem) for stem in stems})
        return cls(asked, kind, id, tuple([(at, at) for at in instants]), stems)


class TimelineSession(Record):
    """One session of a timeline."""

    stem: str  #: of its log: what `diurna log` and `recall --ids` take
    ended: str  #: when, as the log says, or its stamp
    agent: str  #: who wrote it
    type: str  #: of the log
    title: str  #: of its digest: "" where it says nothing
    summary: str  #: of its digest, at most 200 characters; "" where it says no more than the title
    #: (verb, ids): what it did to facts, in the order of FORMAT.md's table; a supersession reads
    #: `old → new`, and the facts that it only relied on stand under `Used`
    did: tuple[tuple[str, tuple[str, ...]], ...]
    tokens: int  #: what the whole log costs, about
    anchor: bool  #: whether it is what was asked about


class Timeline(Record):
    """What happened around something, oldest first."""

    anchor: Anchor  #: what it is around
    start: str  #: of the window, an instant as `ended` has it
    end: str  #: of the window
    sessions: tuple[TimelineSession, ...]  #: those that are shown
    left: int  #: how many of the window are left out
    tokens: int  #: what the shown logs cost in full, about
    #: of the facts that these sessions name: those that are closed or false now, by id
    marks: Mapping[str, Mark] = MappingProxyType({})


def timeline(
    reader: Reader,
    anchor: str = "",
    *,
    before: str = "48h",
    after: str = "24h",
    limit: int = 20,
    agent: str = "",
    kinds: Sequence[str] = (),
) -> Timeline:
    """Return the sessions around something.

    Args:
        reader: of the home.
        anchor: the id of a fact (around every event of it), a stem or the start of one, a time, else
            a question, whose best hit is taken; "" for the newest session.
        before: how far back: `30m`, `48h`, `7d`, `2w`.
        after: how far on.
        limit: at most so many sessions, those nearest to the anchor.
        agent: only of this agent.
        kinds: only sessions that named a fact of one of these kinds.

    Raises:
        NotFound: nothing is named so, and nothing answers it.
        WrongUsage: `before` or `after` is no length of time.
    """
    asked = anchor.strip()
    back, on = duration_ms(before), duration_ms(after)
    place = reader.ask(lambda cache: _named_anchor(cache, asked, reader.clock()))
    if place is None:
        best = reader.recall(asked, limit=1)
        place = reader.ask(lambda cache: _answer_anchor(cache, asked, best))
    around, spans = place, _reaching(place.spans, back, on)

    def within(cache: Cache) -> Timeline:
        if around.kind == DATE:  # by its writer's clock: a name may be pushed on (O2)
            later = cache.entries_since(floor_of(spans[0][0]))
            keys = [ref.key for ref, entry in later if _lies(entry, spans)]
        else:
            some = [keys_within(cache, floor_of(start), stamp_of(end)) for start, end in spans]
            keys = [key for one in some for key in one]
        keys = sorted({*keys, *around.stems})
        if agent or kinds:
            keys = _filtered(cache, keys, agent, kinds)
        chosen = _nearest(keys, around, limit)
        sessions = tuple([one for _, one in _sessions(reader.snapshot, cache, chosen, around)])
        ends = logs_of(cache, [*around.stems[:1], *around.stems[-1:]])
        ahead = [milliseconds_of(ref.key) - milliseconds_of(log.clock) for ref, log in ends] or [0]
        return Timeline(
            around,
            ended_of(stamp_of(max(spans[0][0] - ahead[0], 0))) if spans else "",
            ended_of(stamp_of(max(spans[-1][1] - ahead[-1], 0))) if spans else "",
            sessions,
            len(keys) - len(chosen),
            sum([session.tokens for session in sessions]),
            _marks(cache, sessions, marks_at(reader.home, cache)),
        )

    return reader.ask(within)


def sessions_of(snapshot: Snapshot, keys: Sequence[str]) -> dict[str, TimelineSession]:
    """Return sessions by the keys of their logs; those that are not there are left out.

    `keys` are of those that are to be shown: each log is read from git.
    """
    return snapshot.ask(
        lambda cache: {
            ref.key: session
            for ref, session in _sessions(snapshot, cache, keys, Anchor("", NOW, "", ()))
        }
    )


def _marks(cache: Cache, sessions: Iterable[TimelineSession], known: Marks) -> dict[str, Mark]:
    """Mark the facts that sessions name and that are closed or false by now."""
    did = [name for session in sessions for _, ids in session.did for name in ids]
    names = {id for name in did for id in name.split(" → ")}
    marks = {id: marked_fact(cache, cache.fact(id), known) for id in sorted(names)}
    return {id: mark for id, mark in marks.items() if mark.said}


def _reaching(spans: Sequence[tuple[int, int]], back: int, on: int) -> list[tuple[int, int]]:
    """Widen spans, and join those that meet."""
    wide: list[tuple[int, int]] = []
    for first, last in spans:
        start, end = max(first - back, 0), min(last + on, _LATEST_MS)
        if wide and start <= wide[-1][1]:
            wide[-1] = wide[-1][0], max(end, wide[-1][1])
        else:
            wide.append((start, end))
    return wide


def _filtered(cache: Cache, keys: Sequence[str], agent: str, kinds: Sequence[str]) -> list[str]:
    logs = [(ref, entry) for ref, entry in logs_of(cache, keys) if agent in ("", entry.agent)]
    if kinds:
        ids = sorted({id for _, entry in logs for id in named_in(entry)})
        rows = cache.rows_among("SELECT id, kind FROM facts WHERE id IN (?)", ids)
        about = {fact for fact, kind in rows if kind in kinds}
        logs = [(ref, entry) for ref, entry in logs if not about.isdisjoint(named_in(entry))]
    return [ref.key for ref, _ in logs]


def _lies(entry: Entry, spans: Iterable[tuple[int, int]]) -> bool:
    """Tell whether a log was written within spans, by its writer's clock."""
    at = milliseconds_of(entry.clock)
    return any(first <= at <= last for first, last in spans)


def _nearest(keys: Sequence[str], anchor: Anchor, limit: int) -> list[str]:
    """Return the logs nearest to an anchor, in ledger order; of equals its own, then the newer."""
    if len(keys) <= limit:
        return list(keys)
    spans, own = anchor.spans, frozenset(anchor.stems)
    begins = [first for first, _ in spans]

    def distance(key: str) -> tuple[int, bool, int, str]:
        at = milliseconds_of(key)
        behind = bisect_left(begins, at + 1)
        far = [spans[behind][0] - at] if behind < len(spans) else []
        if behind:
            far.append(max(at - spans[behind - 1][1], 0))
        return min(far), key not in own, -at, key

    return sorted(nsmallest(limit, keys, key=distance))


def _sessions(
    snapshot: Snapshot, cache: Cache, keys: Sequence[str], anchor: Anchor
) -> list[tuple[LogRef, TimelineSession]]:
    outdated, logs = Outdated(cache), logs_of(cache, keys)
    when = shown_times(snapshot, [ref for ref, _ in logs])
    sessions = []
    for visible in visible_texts(snapshot.home, cache, logs):
        ref, entry = visible.ref, visible.entry
        title, summary = REDACTED_TEXT, ""
        if not visible.withheld:
            title, summary, *_ = lead(visible.text)
            summary = clipped(summary, LINE_CHARS) if summary != title else ""
            brought = [*brought_by(entry.acts), *entry.named]
            title = outdated.line(ref.key, title, brought)
            summary = outdated.line(ref.key, summary, brought)
        its_own = ref.key in anchor.stems or (not anchor.stems and _lies(entry, anchor.spans))
        session = TimelineSession(
            ref.stem, when(ref, visible.log), entry.agent, entry.type, title, summary, deeds(entry),
            tokens_of(visible.whole), its_own,
        )  # fmt: skip
        sessions.append((ref, session))
    return sessions


def _named_anchor(cache: Cache, asked: str, now_ms: int) -> Anchor | None:
    """Find what an anchor names: the newest log for "", a log, a fact or a time; None for anything else.

    Raises:
        NotFound: it has the form of a stem, and there is no such log, or several begin so.
        WrongUsage: it begins like a time, and is none.
    """
    if not asked:
        newest = cache.summary.newest
        return Anchor.at_logs(asked, NOW, newest, (newest,) if newest else ())
    if is_stem(asked.partition(":")[0]) and not is_date(asked):
        ref = log_named(cache, asked)
        return Anchor.at_logs(asked, SESSION, ref.stem, (ref.key,))
    try:
        fact = fact_named(cache, asked) if is_fact_id(asked) else ""
    except NotFound:  # words of a question, with which several begin
        fact = ""
    if stems := _stems_of(cache, fact):
        return Anchor.at_logs(asked, FACT, fact, stems)
    when = span_of(asked, now_ms)
    if when is None and is_date(asked[:10]):
        raise WrongUsage(f"{asked} is no time", hint=FORMS)
    return Anchor(asked, DATE, "", (when,)) if when else None


def _answer_anchor(cache: Cache, asked: str, answer: Answer) -> Anchor:
    """Take the best hit of a question as the anchor.

    Raises:
        NotFound: nothing answers it.
    """
    # what others hold has its time there
    best = next((hit for hit in answer.hits if not home_and_id(hit.id)[0]), None)
    if best is None:
        raise NotFound(
            f"nothing is named {asked}, and nothing answers to it",
            hint=f"`diurna show --list` lists facts, `diurna log` sessions; {FORMS}",
        )
    # a fact that only may answer stands for what was said in its log
    id = best.passage if answer.perhaps and best.passage else best.id
    return Anchor.at_logs(asked, QUERY, id, _stems_of(cache, id) or (best.stem,))


def _stems_of(cache: Cache, fact: str) -> tuple[str, ...]:
    """Return the logs in which something happened to a fact, and the last that used it, in order."""
    history = cache.some_histories([fact]).get(fact)
    stems = {history.last, *[act.stem for act in history.acts]} if history is not None else set()
    return tuple(sorted(stems - {""}))
