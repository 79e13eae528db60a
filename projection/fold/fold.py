"""Fold a set of session logs into what it says of each fact.

`collect` gathers the histories, `merge` and `merged` join those of disjoint sets of logs, `resolve` reads
a fact off its history. A history depends only on the events that name the fact and their stems, so
the order and the grouping in which logs arrive change nothing (FORMAT.md, F1 to F7).
"""

from __future__ import annotations

from _operator import itemgetter

from ledger.model.event import (
    BRINGING,
    SIGNED,
    Event,
    FactArchived,
    FactCreated,
    FactDemoted,
    FactHelped,
    FactIgnored,
    FactInvalidated,
    FactMoved,
    FactPromoted,
    FactReactivated,
    FactRedacted,
    FactReferenced,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    FactVerified,
    FactWithdrawn,
    Meta,
    ThreadClosed,
    ThreadReopened,
    WorkDropped,
    WorkLanded,
    WorkReverted,
    facts_in,
)
from ledger.model.ids import WITHHELD, version_id
from ledger.model.log_names import is_date, is_stem, key_of
from ledger.model.record import TYPE_CHECKING, cached, tally
from ledger.model.session import COUNTED_KEY, ENDED, META_KEYS, WORKING, Entry
from ledger.model.verbs import CLOSING
from projection.fold.fact_history import (
    NOBODY,
    UNCOUNTED,
    Act,
    Counted,
    Fact,
    Help,
    History,
    Move,
    Signature,
    Texts,
    Version,
    counted_in,
)
from projection.fold.falsity import Call, Edge, known, taken, takes_in
from projection.policy.model import CLOSABLE, DEFAULT_KIND, TASK_KIND, THREAD_KIND

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import assert_never
else:

    def assert_never(value: object) -> None:
        """Replace `typing.assert_never`, whose import costs every start a millisecond."""
        raise AssertionError(f"not an event: {value!r}")


#: What a fact has of which nothing but its birth, its uses and its end is said.
_UNSAID = Fact("", "", (), (), "", "", "", 0, "", "")[12:]
#: In the footer of a decision.
_DECISION = ("kind", "decision")


def collect(entries: Iterable[Entry]) -> dict[str, History]:
    """Gather what logs say, by fact id. `entries` are distinct logs, in any order."""
    used: list[str] = []
    last: dict[str, str] = {}
    acts: dict[str, list[Act]] = {}
    clocks: dict[str, list[tuple[str, str]]] = {}
    in_order = sorted(entries, key=itemgetter(0))
    for stem, _, agent, kind, named, events, session, _, branch, role, reported in in_order:
        if reported and (clock := dict(reported).get(ENDED)):
            for fact in {*named, *[id for event in events for id in facts_in(event)]}:
                clocks.setdefault(fact, []).append((stem, clock))
        if kind in WORKING:
            used += named
            for fact in named:
                last[fact] = stem
        else:
            for fact in named:
                last.setdefault(fact, "")
        by: Signature | None = None
        for seq, event in enumerate(events):
            what = type(event)
            signed = what in SIGNED or (  # then it counts who said it, and of a tick, a task's move
                isinstance(event, BRINGING)
                and (_DECISION in event.meta or (what is FactCreated and event.mark == "x"))
            )
            by = by or (Signature(agent, session, branch, role, kind) if signed else None)
            act = Act._make((stem, seq, event, by if signed else NOBODY))
            acts.setdefault(event.id, []).append(act)
            if isinstance(event, FactSuperseded) and event.new != event.id:
                acts.setdefault(event.new, []).append(act)
    uses = tally(used)
    histories = {
        fact: History._make((uses.get(fact, 0), last.get(fact, ""), tuple(acts.get(fact, ())), ()))
        for fact in {**last, **acts}
    }
    for fact, told in clocks.items():
        histories[fact] = histories[fact].timed(told)
    return histories


def merge(a: History, b: History) -> History:
    """Join what two disjoint sets of logs say of one fact."""
    acts = tuple(sorted(a.acts + b.acts))  # two sorted runs: merged in linear time
    return History(a.uses + b.uses, max(a.last, b.last), acts).timed(a.clocks + b.clocks)


def merged(known: Mapping[str, History], news: Mapping[str, History]) -> dict[str, History]:
    """Return what two disjoint sets of logs say together of the facts that the second one names."""
    return {
        fact: history if (there := known.get(fact)) is None else merge(there, history)
        for fact, history in news.items()
    }


def resolve(fact: str, history: History, cut: frozenset[Edge] = frozenset()) -> Fact | None:
    """Read a fact off its history; None while no log has brought a text for it.

    `cut` are supersessions that do not count (`projection.fold.full_replay.cut_edges`).
    """
    if kind := plain_kind(history):
        return _plain(fact, kind, history)
    reading = _Reading(fact, history.counting(), cut)
    return reading.result() if reading.texts.heads else None


class _Reading:
    """What is read off a history, event by event.

    Args:
        fact: its id.
        history: all that the ledger says of it.
        cut: supersessions that do not count.
    """

    def __init__(self, fact: str, history: History, cut: frozenset[Edge]) -> None:
        self.fact, self.history = fact, history
        self.births: list[tuple[str, FactCreated]] = []
        self.texts = Texts()
        self.meta: dict[str, str] = {}
        self.calls: list[Call] = []
        self.predecessors: dict[str, None] = {}
        self.circle: dict[str, None] = {}
        #: where an event of each type was said last
        self.last: dict[type[Event], tuple[str, int]] = {}
        for stem, seq, event, _ in history.acts:
            self.last[type(event)] = stem, seq
            match event:
                case FactCreated():
                    self.births.append((stem, event))
                    self.meta = dict(event.meta) | self.meta
                    self.texts.bring(event.text, stem, ())
                case FactUpdated():
                    self.meta.update(event.meta)
                    self.texts.bring(event.text, stem, event.was, knew=event.mark == "x")
                case FactSuperseded() if event.id != fact:
                    if (stem, seq, event.id, event.new) not in cut:
                        self.predecessors[event.id] = None
                case FactSuperseded():
                    if (stem, seq, event.id, event.new) not in cut:
                        self.calls.append((stem, event.new, event.was))
                    elif event.new != fact and not taken(stem, takes_in(fact, history)):
                        self.circle[event.new] = None
                case FactInvalidated():
                    if not taken(stem, takes_in(fact, history)):
                        self.calls.append((stem, "", event.was))
                case ThreadClosed():
                    self.texts.close(stem, event.was)
                case ThreadReopened():
                    self.texts.close("", None)
                case WorkLanded() | WorkDropped() | WorkReverted():
                    pass  # no history has them: they speak of logs
                case FactVerified() | FactRedacted() | FactPromoted() | FactDemoted():
                    pass  # it counts where it was said last
                case FactArchived() | FactReactivated() | FactReferenced() | FactReinstated():
                    pass  # the same, or counted by its name, or looked up in the history
                case FactMoved() | FactHelped() | FactIgnored() | FactWithdrawn():
                    pass  # what that withdraws is out of the history by now
                case _:
                    raise AssertionError(assert_never(event))

    def _stands(self, kind: type[Event], ended: type[Event]) -> str:
        """Return the log that said an event last, "" where a later one ended that."""
        at = self.last.get(kind, ("", 0))
        return at[0] if at > self.last.get(ended, ("", 0)) else ""

    def _closed_at(self, kind: str, moves: Sequence[Move]) -> str:
        """Return the log that closed a fact of a kind, "" where it is open or can not be closed."""
        if kind == TASK_KIND:  # closed since the last log, where all that stands closes it
            return moves[-1].stem if all(move.state in CLOSING for move in moves) and moves else ""
        if kind not in CLOSABLE:  # `Closed` means nothing there, which is a finding
            return ""
        if ThreadClosed in self.last or ThreadReopened in self.last:
            return self._stands(ThreadClosed, ThreadReopened)
        # the first checkbox that a birth has; a thread that has none is open
        boxed = next(((event.mark, stem) for stem, event in self.births if event.mark), ("", ""))
        return boxed[1] if boxed[0] == "x" else ""

    def result(self) -> Fact:
        """Return the fact that all of this makes."""
        history, births, calls = self.history, self.births, self.calls
        created, origin, born = _birth(births, self.texts.first, dict(history.clocks))
        boxed = any(event.mark for _, event in births)
        kind = self.meta.pop("kind", "") or (THREAD_KIND if boxed else DEFAULT_KIND)
        moves: tuple[Move, ...] = ()
        helps, ignores = tuple[Help, ...](), tuple[tuple[str, str], ...]()
        if kind == TASK_KIND or FactHelped in self.last or FactIgnored in self.last:
            from projection.fold.checks import Moves, helps_in, ignores_in, moves_said

            moves = Moves(moves_said(history.acts)).standing() if kind == TASK_KIND else ()
            helps, ignores = helps_in(history.acts), ignores_in(history.acts)
        closed_at = self._closed_at(kind, moves)
        heads = self.texts.standing() if closed_at else self.texts.heads
        denied: list[tuple[str, str]] = []
        if calls and not known(heads, calls, history):
            calls, denied = [], [(stem, new) for stem, new, _ in calls]
        versions = tuple(heads.values())
        found = Fact(
            id=self.fact,
            kind=kind,
            heads=versions,
            meta=_ordered(self.meta),
            created=created,
            origin=origin,
            last_used="",
            uses=0,
            born=born,
            anchor="",
            closed=closed_at != "",
            closed_at=closed_at,
            superseded_by=tuple(dict.fromkeys([new for _, new, _ in calls if new])),
            superseded_at=next((stem for stem, new, _ in calls if new), ""),
            supersedes=tuple(self.predecessors),
            invalidated_at=next((stem for stem, new, _ in calls if not new), ""),
            promoted=self._stands(FactPromoted, FactDemoted) != "",
            verified=self.last.get(FactVerified, ("",))[0],
            circle=tuple(self.circle),
            denied=tuple(denied),
            archived_at=self._stands(FactArchived, FactReactivated),
            moves=moves,
            helps=helps,
            ignores=ignores,
            counted=_counted(births),
            clocks=history.clocks,
        )
        found = with_uses(found, history.uses, history.last)
        if FactRedacted in self.last or any(version.text[:1] == WITHHELD for version in versions):
            from projection.fold.withholding import withheld_fact

            return withheld_fact(found)
        return found


def plain_kind(history: History) -> str:
    """Return the kind of a fact that was created and only used and closed since, "" where more is said."""
    acts = history.acts
    if not acts or (len(acts) > 1 and (acts[2:] or type(acts[1].event) is not ThreadClosed)):
        return ""
    event = acts[0].event
    if type(event) is not FactCreated or history.clocks or (event.text or WITHHELD)[0] == WITHHELD:
        return ""
    said = dict(event.meta)
    if not _TOLD.isdisjoint(said):
        return ""
    kind = said.get("kind") or (THREAD_KIND if event.mark else DEFAULT_KIND)
    return "" if kind == TASK_KIND else kind  # its box is a move, too


def _plain(fact: str, kind: str, history: History) -> Fact:
    """Read such a fact, most of any ledger, in a third of the time."""
    stem, _, event, _ = history.acts[0]
    assert isinstance(event, FactCreated) and event.text is not None
    closed = kind in CLOSABLE and (len(history.acts) > 1 or event.mark == "x")
    closed_at, last, date = history.acts[-1].stem if closed else "", history.last, stem[:10]
    text = Version._make((version_id(event.text), event.text, stem, ()))
    said = (fact, kind, (text,), _ordered(dict(event.meta)), date, stem, last[:10] or date, history.uses,
            stem, last or stem, closed, closed_at)  # fmt: skip
    return Fact._make(said + _UNSAID)


def _birth(
    births: list[tuple[str, FactCreated]], brought: str, clocks: Mapping[str, str]
) -> tuple[str, str, str]:
    """Return (created, origin, born). What an import says of the birth goes before its own date.

    `brought` is the log that brought the first text: it stands for the birth where none was told.
    """
    for _, event in births:
        said = dict(event.meta)
        created, origin = said.get("created", ""), said.get("origin", "")
        if is_stem(origin):
            return created if is_date(created) else origin[:10], origin, key_of(origin)
        if is_date(created):
            # "~" sorts after every stem of that day: age counts the logs dated after it
            return created, "", created + "~"
    stem = births[0][0] if births else brought
    return clocks.get(stem, stem)[:10], stem, stem


def _counted(births: list[tuple[str, FactCreated]]) -> Counted:
    """Return what the first birth that tells so says of uses that were counted before."""
    for stem, event in births:
        for key, value in event.meta:
            if key == COUNTED_KEY and (found := counted_in(value, stem)).at:
                return found
    return UNCOUNTED


def with_uses(fact: Fact, uses: int, last: str) -> Fact:
    """Return a fact as so many logs use it, of which the last is given, "" for none (F4, T6)."""
    told = fact.counted
    if last < told.at:
        last_used, anchor = told.last, told.since
    else:
        last_used, anchor = fact.clock(last)[:10] or fact.created, last or fact.born
    return fact._replace(
        uses=max(uses + told.uses, 0), last_used=last_used, anchor=anchor,
        archived_at="" if last > fact.archived_at else fact.archived_at,
    )  # fmt: skip


def _ordered(meta: dict[str, str]) -> Meta:
    return tuple([(key, meta[key]) for key in _order(tuple(meta))])


@cached(256)  # most footers have the keys of many others
def _order(keys: tuple[str, ...]) -> list[str]:
    """Known keys in canonical order, then the others by name; birth keys stand in the fact itself."""
    shown = [key for key in keys if key != "kind" and key not in _TOLD]
    return sorted(shown, key=lambda key: (_PLACE_OF.get(key, len(META_KEYS)), key))


_TOLD = frozenset(("created", "origin", COUNTED_KEY))
_PLACE_OF = {key: place for place, key in enumerate(META_KEYS)}
