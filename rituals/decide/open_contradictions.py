"""List contradictions: what stands against what, who said it, and when. Every door asks here."""

from __future__ import annotations

from ledger.model.event import FactCreated, FactSuperseded, ThreadClosed
from ledger.model.ids import version_id
from ledger.model.log_names import stem_in
from ledger.model.record import TYPE_CHECKING, Record
from projection.fold.fact_history import REDACTED_TEXT, Fact, History
from projection.fold.falsity import against
from projection.fold.testimony import RANK, word_of
from rituals.decide.decision import facts_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from memory import Memory
    from projection.fold.full_replay import State

#: What stands against what.
TEXT, BIRTH, CLOSED, SUCCESSOR = "text", "birth", "closed", "successor"
CIRCLE, REWORDED, MOVED, DECLARED = "circle", "reworded", "moved", "declared"
SAYS = {
    TEXT: "changed on several sides",
    BIRTH: "created several times",
    CLOSED: "closed on one side, reworded on another",
    SUCCESSOR: "superseded by several facts",
    CIRCLE: "supersedes what supersedes it",
    REWORDED: "called false on one side, reworded on another",
    MOVED: "moved on several sides",
    DECLARED: "set against each other by a footer",
}


class Choice(Record):
    """One side of a contradiction: a version, a fact that may replace it, that it is false, or a state."""

    id: str  #: of the version or fact; of an invalidation or a move the log
    text: str  #: what it says
    stem: str  #: the log that put it there
    agent: str = ""  #: who wrote that log
    person: str = ""  #: for whom, as git knows it; "" where it does not
    date: str = ""  #: when
    closed: bool = False  #: the version as it stood when the thread was closed

    @property
    def who(self) -> str:
        """Who said it: the person, and the agent that wrote it for them."""
        names = dict.fromkeys(filter(None, (self.person, self.agent)))
        return " by ".join(names) or "nobody named"


class Dispute(Record):
    """One contradiction of a fact, or of several; `kind` is one of `SAYS`."""

    fact: str
    kind: str
    choices: tuple[Choice, ...]

    @property
    def about(self) -> tuple[str, ...]:
        """The facts that are contradicted."""
        return tuple([one.id for one in self.choices]) if self.kind == DECLARED else (self.fact,)

    @property
    def said(self) -> str:
        """What happened, in words."""
        return SAYS[self.kind]

    def keeping(self, choice: Choice) -> str:
        """Return the command that lets a side hold."""
        return f"diurna conflicts {self.fact} --choose {choice.id}"


def kinds_of(fact: Fact, history: History) -> tuple[str, ...]:
    """Name what is contradicted about a fact; nothing for most."""
    heads, texts = {version.id for version in fact.heads}, TEXT
    if len(heads) > 1:
        acts = [act.event for act in history.acts if isinstance(act.event, FactCreated)]
        if heads <= {version_id(one.text) for one in acts if one.text is not None}:
            texts = BIRTH
        if fact.closed and set(closed_with(history)) & heads not in (set(), heads):
            texts = CLOSED
    stand = (
        (len(heads) > 1, texts),
        (len(fact.rivals) > 1, SUCCESSOR),
        (fact.circular, CIRCLE),
        (fact.denied, REWORDED),
        (fact.torn, MOVED),
        (fact.opposed, DECLARED),
    )
    return tuple(kind for stands, kind in stand if stands)


def contested(facts: Iterable[Fact], histories: Mapping[str, History]) -> list[dict[str, Any]]:
    """Describe which of some facts are contradicted, and by what, by id."""
    listed = sorted(facts, key=lambda fact: fact.id)
    return [{"id": one.id, "kinds": list(kinds_of(one, histories[one.id]))} for one in listed]


def disputes(memory: Memory, facts: Iterable[str] = ()) -> tuple[Dispute, ...]:
    """List contradictions, by fact: only those of `facts`, () for all.

    Raises:
        NotFound: there is no such fact.
    """
    from memory import lines_of, writers

    state = memory.state()
    named = facts_named(memory, facts)
    by_kind: dict[tuple[str, str], Dispute] = {}
    for fact in sorted(named or state.view().contradicted, key=lambda fact: fact.id):
        for kind in kinds_of(fact, state.histories[fact.id]):
            one = fact if kind != DECLARED else state[_against(state, fact)[0]].fact
            if (one.id, kind) not in by_kind:
                by_kind[one.id, kind] = Dispute(one.id, kind, _choices(state, one, kind))
    stems = {choice.stem for one in by_kind.values() for choice in one.choices}
    lines = lines_of(memory.snapshot, stems)
    persons = writers(memory.snapshot, stems, memory.origins) if stems else {}
    cache = memory.cache()
    rank = {stem: RANK[word_of(cache.entry(stem))] for stem in stems}

    def signed(choice: Choice) -> Choice:
        line, origin = lines.get(choice.stem), persons.get(choice.stem)
        person = origin.author if origin else ""
        return choice._replace(agent=line.agent, date=line.ended, person=person) if line else choice

    return tuple(
        one._replace(
            choices=tuple(map(signed, sorted(one.choices, key=lambda choice: rank[choice.stem])))
        )
        for one in by_kind.values()
    )


def closed_with(history: History) -> tuple[str, ...]:
    """Return the versions that the last closing of a thread names."""
    closings = [act.event for act in history.counting().acts if isinstance(act.event, ThreadClosed)]
    return closings[-1].was or () if closings else ()


def _against(state: State, fact: Fact) -> tuple[str, ...]:
    """Return all facts that footers set against each other with this one, itself too, by id."""
    sides, todo = {fact.id}, [fact]
    while todo:
        for other in todo.pop().opposed:
            if other not in sides:
                sides.add(other)
                todo.append(state[other].fact)
    return tuple(sorted(sides))


def _choices(state: State, fact: Fact, kind: str) -> tuple[Choice, ...]:
    history = state.histories[fact.id]
    if kind == DECLARED:
        sides = [state[one].fact for one in _against(state, fact)]
        return tuple([Choice(one.id, one.text, one.versions[-1].stem) for one in sides])
    if kind == MOVED:
        moves = [(stem_in(move.stem), move) for move in fact.moves]
        return tuple([Choice(id, move.state, move.stem, move.agent) for id, move in moves])
    if kind == SUCCESSOR:  # each with the log that says so first
        said = [(act.event, act.stem) for act in reversed(history.acts) if act.event.id == fact.id]
        stems = {event.new: stem for event, stem in said if isinstance(event, FactSuperseded)}
        return tuple([Choice(one, state[one].fact.text, stems[one]) for one in fact.rivals])
    if kind == CIRCLE:
        against_each = [(one, against(one, state.histories[one])) for one in _around(state, fact)]
        return tuple(
            [Choice(one, state[one].fact.text, next(iter(by), "")) for one, by in against_each]
        )
    closed = closed_with(history) if kind == CLOSED else ()
    texts = [
        Choice(
            one.id, REDACTED_TEXT if fact.redacted else one.text, one.stem, closed=one.id in closed
        )
        for one in fact.versions
    ]
    calls = {new or stem: (stem, new) for stem, new in reversed(fact.denied)}
    for id, (stem, new) in reversed(calls.items()) if kind == REWORDED else ():
        successor = state.fact(new) if new else None
        text = f"({new})" if new else "(false, and nothing replaces it)"
        texts.append(Choice(id, successor.text if successor else text, stem))
    return tuple(texts)


def _around(state: State, fact: Fact) -> tuple[str, ...]:
    """Walk the supersessions from where a circle was cut to its start; the fact itself comes first."""
    for start in fact.circle:
        paths: dict[str, tuple[str, ...]] = {start: (fact.id,)}
        todo = [start]
        for name in todo:
            here = state.fact(name)
            for following in here.superseded_by if here else ():
                if following not in paths:
                    paths[following] = (*paths[name], name)
                    todo.append(following)
        if fact.id in paths:
            return paths[fact.id]
    return (fact.id, *fact.circle)
