"""Follow the supersessions of facts, and hold a replayed state as the cache holds it.

That is for whoever asks why of many facts.
"""

from __future__ import annotations

from ledger.model.event import Event, FactSuperseded, facts_in
from ledger.model.record import Record
from memory.query.visible_logs import logs_of, taking_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from typing import Protocol

    from ledger.model.logset import LogRef
    from ledger.model.session import Entry, SessionLog
    from memory.replay.ledger_snapshot import Snapshot
    from projection.document.fact_remarks import Met
    from projection.fold.fact_history import Fact, History
    from projection.fold.falsity import Edge
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing

    class Histories(Protocol):
        """Gives facts' histories: the cache does, and whoever holds a state."""

        def some_histories(self, facts: Sequence[str]) -> Mapping[str, History]:
            """Return the histories of facts, by id."""

    Edges = list[Edge]

#: So many events of logs are kept at most, beside those of the fact that is asked for.
_MOST_EVENTS = 100_000


class Link(Record):
    """A supersession: `new` took the place of `old`, by a log; `counts` unless it was left out."""

    old: str
    new: str
    stem: str
    counts: bool


def supersessions(holder: Histories, fact: str, forward: bool) -> Edges:
    """Return the supersessions of a fact by others, or of others by it, as (stem, place, old, new)."""
    history = holder.some_histories([fact]).get(fact)
    return [
        (act.stem, act.seq, act.event.id, act.event.new)
        for act in (history.acts if history is not None else ())
        if isinstance(act.event, FactSuperseded)
        and (act.event.id if forward else act.event.new) == fact
    ]


def chain_of(
    edges: Callable[[str, bool], Edges], cut: Container[Edge], fact: str, near: int
) -> tuple[tuple[Link, ...], bool]:
    """Follow the supersessions from a fact in both directions; they come in ledger order.

    Returns:
        All of them, or the nearest of each direction, and whether there are more.
    """
    found: set[Edge] = set()
    further = False
    for forward in (True, False):
        way: set[Edge] = set()
        seen, todo = {fact}, [fact]
        for here in todo:  # which grows: those nearer come first
            for edge in edges(here, forward):
                if near and len(way) == near and edge not in way:
                    further = True
                    break
                way.add(edge)
                end = edge[3] if forward else edge[2]
                if end not in seen:
                    seen.add(end)
                    todo.append(end)
            if near and len(way) == near and further:
                break
        found |= way
    links = [Link(edge[2], edge[3], edge[0], edge not in cut) for edge in sorted(found)]
    return tuple(links), further


class Resident:
    """Answers what `provenance` asks of the cache; what several facts need is read once.

    Args:
        snapshot: of the home, for the words of logs.
        state: of its tip.
        standings: the facts of the state, by id.
        entries: its logs.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        state: State,
        standings: Mapping[str, Standing],
        entries: Iterable[Entry],
    ) -> None:
        self.cut, self.policy = state.cut, state.policy
        self.met: Met = {}
        self._snapshot, self._state, self._standings = snapshot, state, standings
        self._entries = {entry.stem: entry for entry in entries}
        self._naming: dict[str, list[LogRef]] = {}
        for ref in sorted(snapshot.ask(lambda cache: cache.log_refs()), key=lambda ref: ref.key):
            entry = self._entries.get(ref.key)
            for fact in taking_part(entry) if entry is not None else ():
                self._naming.setdefault(fact, []).append(ref)
        self._logs: dict[LogRef, tuple[SessionLog, dict[str, list[Event]]]] = {}
        self._events = 0
        self._edges: dict[tuple[str, bool], Edges] = {}

    def fact(self, fact: str) -> Fact | None:
        """Return one fact, None when there is none of this id."""
        standing = self._standings.get(fact)
        return None if standing is None else standing.fact

    def entry(self, stem: str) -> Entry | None:
        """Return what one log says, by its whole stem."""
        return self._entries.get(stem)

    def some_histories(self, facts: Iterable[str]) -> dict[str, History]:
        """Return what is known of some ids."""
        known = self._state.histories
        return {fact: known[fact] for fact in facts if fact in known}

    def naming(self, fact: str) -> list[LogRef]:
        """Return the logs that name a fact, in ledger order."""
        return self._naming.get(fact, [])

    def telling(
        self, refs: Sequence[LogRef], fact: str
    ) -> Iterator[tuple[LogRef, SessionLog, Sequence[Event]]]:
        """Yield logs, as far as they are there, with what they say of a fact."""
        if self._events > _MOST_EVENTS:
            self._logs.clear()
            self._events = 0
        for ref, log in logs_of(self._snapshot, [ref for ref in refs if ref not in self._logs]):
            said: dict[str, list[Event]] = {}
            for event in log.events:
                for name in dict.fromkeys(facts_in(event)):
                    said.setdefault(name, []).append(event)
            self._logs[ref] = log._replace(events=(), prose=""), said
            self._events += len(log.events) + 1
        for ref in refs:
            if ref in self._logs:
                log, said = self._logs[ref]
                yield ref, log, said.get(fact, ())

    def edges(self, fact: str, forward: bool) -> Edges:
        """Return the supersessions of a fact by others, or of others by it."""
        found = self._edges.get((fact, forward))
        if found is None:
            found = self._edges[fact, forward] = supersessions(self, fact, forward)
        return found
