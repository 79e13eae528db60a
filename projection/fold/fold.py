"""Fold a set of session logs into what it says of each fact.

`collect` gathers the histories, `merge` joins histories from disjoint sets of logs, `resolve` reads a
fact off its history. A history depends only on the events that name the fact and their stems, so
the order and the grouping in which logs arrive change nothing (FORMAT.md, F1 to F7).
"""

from __future__ import annotations

from ledger.model.event import (
    TWO_FACTS,
    FactArchived,
    FactCreated,
    FactDemoted,
    FactInvalidated,
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
    facts_in,
)
from ledger.model.ids import WITHHELD, version_id
from ledger.model.order import is_date, is_stem, key_of
from ledger.model.session import META_KEYS, Entry
from projection.fold.fact import Act, Fact, History, Version
from projection.fold.truth import Call, Take, known, taken, takes_in, takes_of
from projection.fold.versions import Texts
from projection.fold.withholding import withheld_fact
from projection.policy.model import DEFAULT_KIND, THREAD_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import assert_never
else:

    def assert_never(value: object) -> None:
        """Replace `typing.assert_never`, whose import costs every start a millisecond."""
        raise AssertionError(f"not an event: {value!r}")


#: A supersession `old → new` as said at one place of the ledger: (stem, seq, old, new).
Edge = tuple[str, int, str, str]


def collect(entries: Iterable[Entry]) -> dict[str, History]:
    """Gather what logs say, by fact id. `entries` are distinct logs, in any order."""
    uses: dict[str, int] = {}
    last: dict[str, str] = {}
    acts: dict[str, list[Act]] = {}
    for stem, work, _, _, named, events in entries:
        if work:
            for fact in named:
                if fact in uses:
                    uses[fact] += 1
                    if stem > last[fact]:
                        last[fact] = stem
                else:
                    uses[fact] = 1
                    last[fact] = stem
        else:
            for fact in named:
                if fact not in uses:
                    uses[fact] = 0
                    last[fact] = ""
        for seq, event in enumerate(events):
            act = Act(stem, seq, event)
            acts.setdefault(event.id, []).append(act)
            if type(event) in TWO_FACTS:
                other = facts_in(event)[1]
                if other != event.id:
                    acts.setdefault(other, []).append(act)
    histories: dict[str, History] = {}
    nothing: list[Act] = []
    for fact, count in uses.items():
        histories[fact] = History(count, last[fact], tuple(sorted(acts.pop(fact, nothing))))
    for fact, rest in acts.items():
        histories[fact] = History(0, "", tuple(sorted(rest)))
    return histories


def merge(a: History, b: History) -> History:
    """Join what two disjoint sets of logs say of one fact."""
    if not a.acts or not b.acts:
        acts = a.acts or b.acts
    else:
        acts = tuple(sorted(a.acts + b.acts))  # two sorted runs: merged in linear time
    return History(a.uses + b.uses, a.last if a.last > b.last else b.last, acts)


def resolve(fact: str, history: History, cut: frozenset[Edge] = frozenset()) -> Fact | None:
    """Read a fact off its history; None while no log has brought a text for it.

    Args:
        fact: its id.
        history: all that the ledger says of it.
        cut: supersessions that do not count (`cut_edges`).
    """
    if len(history.acts) == 1:
        found = _plain(fact, history)
        if found is not None:
            return found
    births: list[tuple[str, FactCreated]] = []
    texts = Texts()
    meta: dict[str, str] = {}
    closed: bool | None = None
    brought = closed_at = verified = archived = ""
    calls: list[Call] = []
    predecessors: list[str] = []
    circle: list[str] = []
    takes: list[Take] | None = None
    promoted = redacted = False
    for stem, seq, event in history.acts:
        match event:
            case FactCreated():
                births.append((stem, event))
                for key, value in event.meta:
                    meta.setdefault(key, value)
                if event.text is not None:
                    brought = brought or stem
                    texts.bring(event.text, stem, ())
            case FactUpdated():
                meta.update(event.meta)
                if event.text is not None:
                    brought = brought or stem
                    texts.bring(event.text, stem, event.was, knew=event.mark == "x")
            case FactSuperseded():
                if (stem, seq, event.id, event.new) in cut:
                    if event.id == fact and event.new not in (fact, *circle):
                        takes = takes_in(fact, history) if takes is None else takes
                        if not taken(stem, takes):
                            circle.append(event.new)
                    continue
                if event.id == fact:
                    calls.append((stem, event.new, event.was))
                elif event.id not in predecessors:
                    predecessors.append(event.id)
            case FactInvalidated():
                takes = takes_in(fact, history) if takes is None else takes
                if not taken(stem, takes):
                    calls.append((stem, "", event.was))
            case ThreadClosed():
                closed, closed_at = True, stem
                texts.close(stem, event.was)
            case ThreadReopened():
                closed, closed_at = False, ""
                texts.close("", None)
            case FactVerified():
                verified = stem
            case FactPromoted():
                promoted = True
            case FactDemoted():
                promoted = False
            case FactRedacted():
                redacted = True
            case FactArchived():
                archived = stem
            case FactReactivated():
                archived = ""
            case FactReferenced() | FactReinstated():
                pass  # counted by its name; what is taken back is looked up where it was said
            case _:
                assert_never(event)
    if not texts.heads:
        return None
    created, origin, born = _birth(births, brought)
    kind = meta.pop("kind", "") or _kind_of(births)
    if kind != THREAD_KIND:
        closed, closed_at = False, ""  # `Closed` means nothing there, which is a finding
    elif closed is None:
        closed, closed_at = _closed_at_birth(births)
    heads = texts.standing() if closed else texts.heads
    denied: tuple[tuple[str, str], ...] = ()
    if calls and not known(heads, calls, history):
        denied = tuple([(stem, new) for stem, new, _ in calls])
        calls = []
    versions = tuple(heads.values())
    redacted = redacted or any(version.text[:1] == WITHHELD for version in versions)
    found = Fact(
        id=fact,
        kind=kind,
        heads=versions,
        meta=_ordered(meta),
        created=created,
        origin=origin,
        last_used=history.last[:10] or created,
        uses=history.uses,
        born=born,
        anchor=history.last or born,
        closed=bool(closed),
        closed_at=closed_at,
        superseded_by=tuple(dict.fromkeys([new for _, new, _ in calls if new])),
        superseded_at=next((stem for stem, new, _ in calls if new), ""),
        supersedes=tuple(predecessors),
        invalidated_at=next((stem for stem, new, _ in calls if not new), ""),
        promoted=promoted,
        verified=verified,
        circle=tuple(circle),
        denied=denied,
        archived_at="" if history.last > archived else archived,
    )
    return withheld_fact(found) if redacted else found


def _plain(fact: str, history: History) -> Fact | None:
    """Read a fact that was created once and only used since: most of any ledger, in a third of the time.

    Returns None when there is more to it; `resolve` then says the same the long way.
    """
    stem, _, event = history.acts[0]
    if type(event) is not FactCreated or event.text is None or event.text[:1] == WITHHELD:
        return None
    kind, meta = "", event.meta
    for key, value in meta:
        if key == "kind":
            kind = value
        elif key in _BIRTH:
            return None
    if meta:
        meta = meta[1:] if len(meta) == 1 and kind else _ordered(dict(meta))
    kind = kind or (THREAD_KIND if event.mark else DEFAULT_KIND)
    closed = kind == THREAD_KIND and event.mark == "x"
    last = history.last
    date = stem[:10]
    return Fact(
        fact, kind, (Version(version_id(event.text), event.text, stem),), meta, date, stem,
        last[:10] or date, history.uses, stem, last or stem, closed, stem if closed else "",
    )  # fmt: skip


def _birth(births: list[tuple[str, FactCreated]], brought: str) -> tuple[str, str, str]:
    """Return (created, origin, born). What an import says of the birth goes before its own date.

    `brought` is the log that brought the first text: it stands for the birth where none was told.
    """
    if not births:
        return brought[:10], brought, brought
    for _, event in births:
        said = dict(event.meta)
        created, origin = said.get("created", ""), said.get("origin", "")
        if origin and is_stem(origin):
            return created if is_date(created) else origin[:10], origin, key_of(origin)
        if is_date(created):
            # "~" sorts after every stem of that day: age counts the logs dated after it
            return created, "", created + "~"
    stem = births[0][0]
    return stem[:10], stem, stem


def _kind_of(births: list[tuple[str, FactCreated]]) -> str:
    return THREAD_KIND if any(event.mark for _, event in births) else DEFAULT_KIND


def _closed_at_birth(births: list[tuple[str, FactCreated]]) -> tuple[bool, str]:
    """Read the first checkbox that a birth has; a thread that has none is open."""
    for stem, event in births:
        if event.mark:
            return event.mark == "x", stem if event.mark == "x" else ""
    return False, ""


def _ordered(meta: dict[str, str]) -> Meta:
    """Known keys in canonical order, then the others by name; birth keys stand in the fact itself."""
    known = [(key, meta[key]) for key in META_KEYS if key in meta and key not in _BIRTH]
    return tuple(known + sorted(item for item in meta.items() if item[0] not in META_KEYS))


_BIRTH = ("created", "origin", "kind")


def cut_of(histories: Mapping[str, History]) -> frozenset[Edge]:
    """Return the supersessions in the histories that do not count."""
    edges: list[Edge] = []
    takes: list[Take] = []
    for fact, history in histories.items():
        for stem, seq, event in history.acts:
            if isinstance(event, FactSuperseded):
                if event.id == fact:
                    edges.append((stem, seq, fact, event.new))
            elif isinstance(event, FactReinstated):
                takes += takes_of(stem, event)
    return cut_edges(edges, takes)


def cut_edges(edges: Iterable[Edge], takes: Iterable[Take] = ()) -> frozenset[Edge]:
    """Return the edges to leave out: those that were taken back, and what makes circles.

    The others enter in ledger order, and one that would close a circle is cut, so that no fact supersedes
    itself, however long the way: each circle loses its newest edge. Only the part of the graph that
    lies on circles is looked at edge by edge.
    """
    backs: dict[str, list[Take]] = {}
    for take in takes:
        backs.setdefault(take[0], []).append(take)
    edges = list(edges)
    cut = {edge for edge in edges if edge[2] in backs and taken(edge[0], backs[edge[2]])}
    if cut:
        edges = [edge for edge in edges if edge not in cut]
    suspect = _peel(_peel(edges, 2, 3), 3, 2)
    follows: dict[str, list[str]] = {}
    precedes: dict[str, list[str]] = {}
    for edge in sorted(suspect):
        _, _, old, new = edge
        if _reaches(follows, precedes, new, old):
            cut.add(edge)
        else:
            follows.setdefault(old, []).append(new)
            precedes.setdefault(new, []).append(old)
    return frozenset(cut)


def _peel(edges: list[Edge], source: int, target: int) -> list[Edge]:
    """Drop, in linear time, the edges out of facts that none (any more) leads into."""
    indegree: dict[str, int] = {}
    leaving: dict[str, list[Edge]] = {}
    for edge in edges:
        start, end = str(edge[source]), str(edge[target])
        indegree.setdefault(start, 0)
        indegree[end] = indegree.get(end, 0) + 1
        leaving.setdefault(start, []).append(edge)
    ready = [fact for fact, count in indegree.items() if not count]
    while ready:
        for edge in leaving.pop(ready.pop(), ()):
            end = str(edge[target])
            indegree[end] -= 1
            if not indegree[end]:
                ready.append(end)
    return [edge for rest in leaving.values() for edge in rest]


def _reaches(
    follows: Mapping[str, list[str]], precedes: Mapping[str, list[str]], start: str, goal: str
) -> bool:
    """Tell whether `goal` lies on a way from `start`.

    Looks from both ends in turn, an edge at a time, until one end has nothing more: a circle of n facts
    costs n log n steps in whatever order it was said, and not n² as from one end alone.
    """
    ahead, behind = {start}, {goal}
    if start == goal:
        return True
    for one, other in zip(
        _walk(follows, start, ahead), _walk(precedes, goal, behind), strict=False
    ):
        if one in behind or other in ahead:
            return True
    return False


def _walk(links: Mapping[str, list[str]], start: str, seen: set[str]) -> Iterator[str]:
    """Yield where each edge leads that lies on a way from `start`; `seen` gets every such fact."""
    todo = [start]
    while todo:
        for fact in links.get(todo.pop(), ()):
            if fact not in seen:
                seen.add(fact)
                todo.append(fact)
            yield fact


def rivals(fact: Fact, facts: Mapping[str, Fact]) -> tuple[str, ...]:
    """Return the live successors of a fact when there are several: nobody decided between them."""
    if len(fact.superseded_by) < 2:
        return ()
    live = []
    for successor in fact.superseded_by:
        found = facts.get(successor)
        if found is not None and not found.false:
            live.append(successor)
    return tuple(sorted(live)) if len(live) > 1 else ()
