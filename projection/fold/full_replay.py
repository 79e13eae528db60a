"""Replay all logs into the whole state; each fact is worked out only when it is asked for.

A `State` never changes. Its facts are resolved when they are looked at, so the state after one more log
costs what that log touches; looking at everything costs the full price once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ledger.model.event import FactReinstated
from ledger.model.finding_codes import Finding
from projection.fold.checks import fact_findings, pending_findings
from projection.fold.fact_history import Fact, History
from projection.fold.falsity import (
    Edge,
    Take,
    declares,
    edges_and_takes,
    opposed,
    taken,
    takes_of,
)
from projection.fold.fold import plain_kind, resolve
from projection.fold.live_view import (
    Decay,
    LiveView,
    Standing,
    Summary,
    live_view,
    never_decaying,
    stand,
)
from projection.fold.withholding import withheld_fact
from projection.policy.model import CLOSABLE, Policy


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
    suspect = peeled(edges)
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


def peeled(edges: list[Edge]) -> list[Edge]:
    """Return, in linear time, the edges of circles, and of the ways from one of them to another."""
    return _peel(_peel(edges, 2, 3), 3, 2)


def _peel(edges: list[Edge], source: int, target: int) -> list[Edge]:
    """Drop the edges out of facts that none (any more) leads into."""
    indegree = Counter([str(edge[target]) for edge in edges])
    leaving: dict[str, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(str(edge[source]), []).append(edge)
    ready = [fact for fact in leaving if not indegree[fact]]
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


class Cuts:
    """Which supersessions do not count, at every place of a ledger.

    Greedy from old to new, so what is cut stays cut, until a person takes something back. Where no circle
    is, a fact's own history tells all.

    Args:
        histories: of all facts.
    """

    def __init__(self, histories: Mapping[str, History]) -> None:
        edges, _ = edges_and_takes(histories)
        self._first = cut_edges(edges)
        self._turns: list[str] = []
        self._later: list[frozenset[Edge]] = []
        if self._first:
            takes = [
                (stem, take)
                for _, history in histories.items()
                for stem, _, event, _ in history.acts
                if isinstance(event, FactReinstated)
                for take in takes_of(stem, event)
            ]
            self._turns = sorted({stem for stem, _ in takes})
            for turn in self._turns:
                known = [take for stem, take in takes if stem <= turn]
                self._later.append(cut_edges(edges, known))
        self._facts = {edge[2] for cut in (self._first, *self._later) for edge in cut}

    def turns(self, fact: str) -> frozenset[str]:
        """Return the logs that may change what is cut of a fact without naming it."""
        return frozenset(self._turns) if fact in self._facts else frozenset()

    def at(self, point: str, fact: str, history: History) -> frozenset[Edge]:
        """Return what is cut of a fact at a place, where this was its history."""
        if self._first:
            later = bisect_right(self._turns, point)
            return self._later[later - 1] if later else self._first
        edges, takes = edges_and_takes({fact: history})
        return cut_edges(edges, takes) if takes else frozenset()


class State:
    """A replayed ledger: a mapping from fact id to `Standing`.

    Args:
        histories: what all logs say, by fact id; not changed afterwards by anybody.
        work: the stems of all `work` logs in ledger order; the same.
        summary: of the same logs.
        policy: windows and kinds.
        noticed: what reading the logs brought up.
        withheld: facts that were redacted since: F9 holds at every point of the past.
    """

    def __init__(
        self,
        histories: Mapping[str, History],
        work: Sequence[str],
        summary: Summary,
        policy: Policy,
        noticed: tuple[Finding, ...] = (),
        withheld: frozenset[str] = frozenset(),
    ) -> None:
        self.histories = histories
        self.work = work
        self.summary = summary
        self.policy = policy
        #: the supersessions that do not count
        self.cut = cut_edges(*edges_and_takes(histories))
        self._resolved: dict[str, Fact | None] = {}
        self._noticed = noticed
        self._withheld = withheld
        self.decay = Decay(work, policy.windows)
        self._clock = self.decay.clock()
        self._lasting = never_decaying(policy)
        self._view: LiveView | None = None
        #: what was found to stand in the place of what is false, kept by whoever marks facts
        self.met: dict[str, tuple[str, ...]] = {}

    def fact(self, fact: str) -> Fact | None:
        """Return a fact, None when no log has brought a text for the id."""
        found = self._alone(fact)
        if found is not None and len(found.superseded_by) > 1:
            known = [self._alone(name) for name in found.superseded_by]
            live = sorted([one.id for one in known if one is not None and not one.false])
            # nobody decided between several successors that are live
            return found._replace(rivals=tuple(live) if len(live) > 1 else ())
        against = self._opposed.get(fact)
        return found._replace(opposed=against) if found is not None and against else found

    @cached_property
    def _opposed(self) -> dict[str, tuple[str, ...]]:
        names = [name for name, history in self.histories.items() if declares(history)]
        return opposed([one for name in names if (one := self._alone(name))], self._alone)

    def _alone(self, fact: str) -> Fact | None:
        """Return a fact as its own history tells it."""
        if fact not in self._resolved and fact in self.histories:
            found = resolve(fact, self.histories[fact], self.cut)
            if found is not None and fact in self._withheld:
                found = withheld_fact(found)
            self._resolved[fact] = found
        return self._resolved.get(fact)

    def some_histories(self, facts: Iterable[str]) -> dict[str, History]:
        """Return what is known of some ids."""
        return {fact: self.histories[fact] for fact in facts if fact in self.histories}

    def get(self, fact: str) -> Standing | None:
        """Return where a fact stands, None when there is no such fact."""
        found = self.fact(fact)
        return found and stand(found, self._clock, self._lasting, self.decay)

    def __getitem__(self, fact: str) -> Standing:
        """Return where a fact stands.

        Raises:
            KeyError: there is no such fact.
        """
        found = self.get(fact)
        if found is None:
            raise KeyError(fact)
        return found

    def __contains__(self, fact: object) -> bool:
        """Tell whether a fact of this id exists."""
        return isinstance(fact, str) and self.fact(fact) is not None

    def __iter__(self) -> Iterator[str]:
        """Yield the ids of all facts, sorted."""
        return (fact for fact in sorted(self.histories) if self.fact(fact) is not None)

    def __len__(self) -> int:
        """Count the facts."""
        return sum(1 for _ in self)

    def standings(self) -> list[Standing]:
        """Return all facts where they stand, by id."""
        return [self[fact] for fact in self]

    def findings(self) -> tuple[Finding, ...]:
        """Return what was noticed in the logs and in what they say together."""
        found = list(self._noticed)
        for fact in sorted(self.histories):
            value = self.fact(fact)
            if value is None:
                found += pending_findings(fact, self.histories[fact])
            else:
                found += fact_findings(value, self.histories[fact], self.policy, self.cut)
        return tuple(found)

    def view(self) -> LiveView:
        """Return what `continuity.md` shows; worked out once."""
        if self._view is None:
            # most of any ledger surely is in the archive, and uncontested: no need to read it
            begin, pinned = min(self._clock[1:]), self._lasting | {""}
            rest = [
                name
                for name, history in self.histories.items()
                if (kind := plain_kind(history)) in pinned
                or (kind in CLOSABLE and len(history.acts) == 1)
                or (history.last or history.acts[0].stem) >= begin
                or name in self._opposed
            ]
            facts = [fact for name in rest if (fact := self.fact(name)) is not None]
            hold = [fact for fact in facts if not fact.false]
            torn = [fact for fact in facts if fact.contradicted]
            counts = len(facts) + len(self.histories) - len(rest), len(facts) - len(hold)
            self._view = live_view(self.summary, self.policy, self._clock, hold, torn, counts)
        return self._view
