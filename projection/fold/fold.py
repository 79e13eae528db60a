"""Fold a set of session logs into what it says of each fact.

`collect` gathers the histories, `merge` and `merged` join those of disjoint sets of logs, `resolve` reads
a fact off its history. A history depends only on the events that name the fact and their stems, so
the order and the grouping in which logs arrive change nothing (FORMAT.md, F1 to F7).
"""

from __future__ import annotations

from ledger.model.event import (
    SIGNED,
    TWO_FACTS,
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
    Meta,
    ThreadClosed,
    ThreadReopened,
    WorkDropped,
    WorkLanded,
    WorkReverted,
    decides,
    facts_in,
)
from ledger.model.ids import WITHHELD, version_id
from ledger.model.log_names import is_date, is_stem, key_of
from ledger.model.session import COUNTED_KEY, ENDED, META_KEYS, WORKING, Entry
from ledger.model.verbs import CLOSING
from projection.fold.checks import Moves, helps_in, ignores_in, moves_said
from projection.fold.fact_history import (
    UNCOUNTED,
    Act,
    Counted,
    Fact,
    History,
    Signature,
    Texts,
    Version,
    counted_in,
)
from projection.fold.falsity import Call, Edge, Take, known, taken, takes_in
from projection.policy.model import CLOSABLE, DEFAULT_KIND, TASK_KIND, THREAD_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import assert_never
else:

    def assert_never(value: object) -> None:
        """Replace `typing.assert_never`, whose import costs every start a millisecond."""
        raise AssertionError(f"not an event: {value!r}")


def collect(entries: Iterable[Entry]) -> dict[str, History]:
    """Gather what logs say, by fact id. `entries` are distinct logs, in any order."""
    uses: dict[str, int] = {}
    last: dict[str, str] = {}
    acts: dict[str, list[Act]] = {}
    clocks: dict[str, list[tuple[str, str]]] = {}
    for stem, _, agent, kind, named, events, session, _, branch, role, reported in entries:
        if reported and (clock := dict(reported).get(ENDED)):
            for fact in {*named, *[id for event in events for id in facts_in(event)]}:
                clocks.setdefault(fact, []).append((stem, clock))
        count, at = (1, stem) if kind in WORKING else (0, "")
        for fact in named:
            uses[fact] = uses.get(fact, 0) + count
            last[fact] = max(last.get(fact, ""), at)
        by: Signature | None = None
        for seq, event in enumerate(events):
            ticked = type(event) is FactCreated and event.mark == "x"  # a move, of a task
            if ticked or type(event) in SIGNED or decides(event):
                by = by or Signature(agent, session, branch, role, kind)
                act = Act(stem, seq, event, by)
            else:
                act = Act(stem, seq, event)
            acts.setdefault(event.id, []).append(act)
            if type(event) in TWO_FACTS:
                other = facts_in(event)[1]
                if other != event.id:
                    acts.setdefault(other, []).append(act)
    nothing: list[Act] = []
    histories = {
        fact: History(uses.get(fact, 0), last.get(fact, ""), tuple(sorted(acts.get(fact, nothing))))
        for fact in {**uses, **acts}
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
    if len(history.acts) == 1 and not history.clocks:
        found = _plain(fact, history)
        if found is not None:
            return found
    reading = _Reading(fact, history, cut)
    for stem, seq, event, _ in history.acts:
        reading.hear(stem, seq, event)
    return reading.result()


class _Reading:
    """Reads a fact off its history, event by event.

    Args:
        fact: its id.
        history: all that the ledger says of it.
        cut: supersessions that do not count.
    """

    def __init__(self, fact: str, history: History, cut: frozenset[Edge]) -> None:
        self._fact, self._history, self._cut = fact, history, cut
        self._births: list[tuple[str, FactCreated]] = []
        self._texts = Texts()
        self._brought = ""
        self._meta: dict[str, str] = {}
        self._closed: bool | None = None
        self._closed_at = self._verified = self._archived = ""
        self._calls: list[Call] = []
        self._predecessors: dict[str, None] = {}
        self._circle: dict[str, None] = {}
        self._takes: list[Take] | None = None
        self._promoted = self._redacted = False

    def hear(self, stem: str, seq: int, event: Event) -> None:
        """Take in the next event, in ledger order."""
        match event:
            case FactCreated():
                self._births.append((stem, event))
                for key, value in event.meta:
                    self._meta.setdefault(key, value)
                if event.text is not None:
                    self._bring(event.text, stem, ())
            case FactUpdated():
                self._meta.update(event.meta)
                if event.text is not None:
                    self._bring(event.text, stem, event.was, knew=event.mark == "x")
            case FactSuperseded():
                self._supersede(stem, seq, event)
            case FactInvalidated():
                if not self._taken(stem):
                    self._calls.append((stem, "", event.was))
            case ThreadClosed():
                self._closed, self._closed_at = True, stem
                self._texts.close(stem, event.was)
            case ThreadReopened():
                self._closed, self._closed_at = False, ""
                self._texts.close("", None)
            case FactVerified():
                self._verified = stem
            case FactPromoted():
                self._promoted = True
            case FactDemoted():
                self._promoted = False
            case FactRedacted():
                self._redacted = True
            case FactArchived():
                self._archived = stem
            case FactReactivated():
                self._archived = ""
            case WorkLanded() | WorkDropped() | WorkReverted():
                pass  # no history has them: they speak of logs
            case FactReferenced() | FactReinstated() | FactMoved() | FactHelped() | FactIgnored():
                pass  # counted by its name, or looked up in the history where it is asked for
            case _:
                raise AssertionError(assert_never(event))

    def _bring(
        self, text: str, stem: str, was: tuple[str, ...] | None, *, knew: bool = False
    ) -> None:
        self._brought = self._brought or stem
        self._texts.bring(text, stem, was, knew=knew)

    def _taken(self, stem: str) -> bool:
        """Tell whether what a log said against the fact was taken back."""
        if self._takes is None:
            self._takes = takes_in(self._fact, self._history)
        return taken(stem, self._takes)

    def _supersede(self, stem: str, seq: int, event: FactSuperseded) -> None:
        ours = event.id == self._fact
        if (stem, seq, event.id, event.new) in self._cut:
            if ours and event.new != self._fact and not self._taken(stem):
                self._circle[event.new] = None
        elif ours:
            self._calls.append((stem, event.new, event.was))
        else:
            self._predecessors[event.id] = None

    def result(self) -> Fact | None:
        """Return the fact that all of this makes; None where no text came."""
        if not self._texts.heads:
            return None
        history, archived = self._history, self._archived
        created, origin, born = _birth(self._births, self._brought, dict(history.clocks))
        kind = self._meta.pop("kind", "") or _kind_of(self._births)
        moves = Moves(moves_said(history.acts)).standing() if kind == TASK_KIND else ()
        if kind == TASK_KIND:  # closed since the last log, where all that stands closes it
            closed = bool(moves) and all(move.state in CLOSING for move in moves)
            closed_at = moves[-1].stem if closed else ""
        elif kind not in CLOSABLE:
            closed, closed_at = False, ""  # `Closed` means nothing there, which is a finding
        elif self._closed is None:
            # the first checkbox that a birth has; a thread that has none is open
            boxed = next(((event.mark, stem) for stem, event in self._births if event.mark), None)
            closed = boxed is not None and boxed[0] == "x"
            closed_at = boxed[1] if boxed and closed else ""
        else:
            closed, closed_at = self._closed, self._closed_at
        heads = self._texts.standing() if closed else self._texts.heads
        calls, denied = self._calls, []
        if calls and not known(heads, calls, history):
            calls, denied = [], [(stem, new) for stem, new, _ in calls]
        versions = tuple(heads.values())
        found = Fact(
            id=self._fact,
            kind=kind,
            heads=versions,
            meta=_ordered(self._meta),
            created=created,
            origin=origin,
            last_used="",
            uses=0,
            born=born,
            anchor="",
            closed=closed,
            closed_at=closed_at,
            superseded_by=tuple(dict.fromkeys([new for _, new, _ in calls if new])),
            superseded_at=next((stem for stem, new, _ in calls if new), ""),
            supersedes=tuple(self._predecessors),
            invalidated_at=next((stem for stem, new, _ in calls if not new), ""),
            promoted=self._promoted,
            verified=self._verified,
            circle=tuple(self._circle),
            denied=tuple(denied),
            archived_at=archived,
            moves=moves,
            helps=helps_in(history.acts),
            ignores=ignores_in(history.acts),
            counted=_counted(self._births),
            clocks=history.clocks,
        )
        found = with_uses(found, history.uses, history.last)
        withheld = self._redacted or any(version.text[:1] == WITHHELD for version in versions)
        if not withheld:
            return found
        from projection.fold.withholding import withheld_fact

        return withheld_fact(found)


def _plain(fact: str, history: History) -> Fact | None:
    """Read a fact that was created once and only used since: most of any ledger, in a third of the time.

    Returns None when there is more to it; `resolve` then says the same the long way.
    """
    stem, _, event, _ = history.acts[0]
    if type(event) is not FactCreated or event.text is None or event.text[:1] == WITHHELD:
        return None
    kind, meta = "", event.meta
    for key, value in meta:
        if key == "kind":
            kind = value
        elif key in _BIRTH:
            return None
    meta = _ordered(dict(meta)) if len(meta) > bool(kind) else ()
    kind = kind or (THREAD_KIND if event.mark else DEFAULT_KIND)
    if kind == TASK_KIND:
        return None  # its box is a move, too
    closed = kind in CLOSABLE and event.mark == "x"
    last = history.last
    date = stem[:10]
    return Fact(
        fact, kind, (Version(version_id(event.text), event.text, stem),), meta, date, stem,
        last[:10] or date, history.uses, stem, last or stem, closed, stem if closed else "",
    )  # fmt: skip


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


def _kind_of(births: list[tuple[str, FactCreated]]) -> str:
    return THREAD_KIND if any(event.mark for _, event in births) else DEFAULT_KIND


def _ordered(meta: dict[str, str]) -> Meta:
    """Known keys in canonical order, then the others by name; birth keys stand in the fact itself."""
    items = [item for item in meta.items() if item[0] not in _BIRTH]
    return tuple(sorted(items, key=lambda item: (_PLACE_OF.get(item[0], len(META_KEYS)), item)))


_BIRTH = ("created", "origin", COUNTED_KEY, "kind")
_PLACE_OF = {key: place for place, key in enumerate(META_KEYS)}
