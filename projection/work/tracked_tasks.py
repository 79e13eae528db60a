"""Follow tasks: what each waits for, who has claimed it, which comes next, and what was tried and failed.

Pure. A task waits for its `depends` until they are done; a fact that is no task and can not be closed lets
it go. Everything here takes time in proportion to what it is given, also for long chains and for circles,
however deep.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from ledger.model.order import instant_of, stem_in
from ledger.model.record import Record
from ledger.model.verbs import DONE, HANDOFF_READY, IN_PROGRESS, TODO
from projection.fold.fact_history import Fact
from projection.fold.full_replay import peeled
from projection.fold.projection_state import Standing
from projection.graph.fact_links import SERVES, footer, ids_in
from projection.policy.model import ATTEMPT_KIND, CLOSABLE, TASK_KIND

#: Of a task; what says nothing, or something else, is the middle one.
HIGH, MEDIUM, LOW = PRIORITIES = ("high", "medium", "low")
#: Why something is waited for that is not just in a state of its own.
UNKNOWN, CIRCLE, REPLACED = "unknown", "in a circle", "superseded"
FALSE, OPEN = "invalidated", "open"
_OPEN_STATES = (IN_PROGRESS, HANDOFF_READY, TODO)
_EITHER = " or "


class Wait(Record):
    """What a task waits for, and why that is not over: its state, or one of the words above."""

    id: str
    why: str


class Task(Record):
    """A task as it stands."""

    standing: Standing  #: the fact
    state: str  #: as of the fact: several that stand are joined by `or`
    priority: str  #: one of `PRIORITIES`
    owner: str  #: whom it is meant for, "" for nobody
    goal: str  #: what it is good for, in words or an id
    workstream: str  #: that it is part of
    depends: tuple[str, ...]  #: ids that come first
    waits: tuple[Wait, ...]  #: those of them that are not over
    #: who has it: its owner, else whoever moved it to in-progress; several are joined by `or`. ""
    #: for nobody, as while it is handed over.
    claimant: str
    contradicted: bool  #: more than one state stands, or more than one claim, or more than one text
    since: str  #: the stem of the log since which it is in this state

    @property
    def id(self) -> str:
        """The fact's id."""
        return self.standing.fact.id

    @property
    def waits_for(self) -> tuple[str, ...]:
        """The ids that it waits for."""
        return tuple([wait.id for wait in self.waits])

    @property
    def when(self) -> str:
        """Since when it is in its state: an instant, or a day where the log has no time."""
        return instant_of(stem_in(self.standing.fact.clock(self.since)))

    @property
    def open(self) -> bool:
        """Whether it is neither done nor cancelled, holds, and was not put away."""
        fact = self.standing.fact
        return not (fact.closed or fact.false or fact.archived_at)


def tasks(facts: Iterable[Standing]) -> tuple[Task, ...]:
    """Return the tasks among some facts, by priority, then age, then id.

    The facts are tasks, and all that they depend on; what is not among them is unknown.
    """
    known = {standing.fact.id: standing for standing in facts}
    found = [standing for standing in known.values() if standing.fact.kind == TASK_KIND]
    depends = {standing.fact.id: depends_of(standing.fact) for standing in found}
    why = _obstacles(known, depends)
    edges = [
        ("", 0, id, other)
        for id, ahead in depends.items()
        for other in ahead
        if not known[id].fact.closed
    ]
    rings = {edge[2:] for edge in peeled(edges)}
    made = [_task(standing, depends, why, rings) for standing in found]
    made.sort(key=lambda one: (PRIORITIES.index(one.priority), one.standing.fact.born, one.id))
    return tuple(made)


def pick(tasks: Iterable[Task], agent: str = "", elsewhere: Container[str] = ()) -> Task | None:
    """Return the task to begin next, None where there is none.

    It is the first that is in progress, handed over or to do, and that nobody else has claimed, waits for
    nothing, and is not contradicted. The tasks are in the order of `tasks`; what waits for `agent` by
    name is its own; `elsewhere` are ids of tasks that were handed to somebody else
    (`handoffs.handed_elsewhere`).
    """
    for task in tasks:
        free = task.claimant == "" or (task.state == TODO and task.claimant == agent)
        if free and task.state in _OPEN_STATES and task.open and not task.waits:
            if not task.contradicted and task.id not in elsewhere:
                return task
    return None


def depends_of(fact: Fact) -> tuple[str, ...]:
    """Return the ids that stand in the footer `depends`, each once."""
    return ids_in(footer(fact, "depends"))


def _task(
    standing: Standing,
    depends: Mapping[str, tuple[str, ...]],
    why: Mapping[str, str],
    rings: Container[tuple[str, str]],
) -> Task:
    fact = standing.fact
    said = footer(fact, "priority").strip().lower()
    owner = footer(fact, "owner").strip()
    waits = [
        Wait(id, CIRCLE if (fact.id, id) in rings else why[id])
        for id in depends[fact.id]
        if why[id]
    ]
    agents = {move.agent for move in fact.moves if move.state == IN_PROGRESS and move.agent}
    claimant = owner or _EITHER.join(sorted(agents)) if fact.state != HANDOFF_READY else ""
    return Task(
        standing, fact.state, said if said in PRIORITIES else MEDIUM, owner,
        footer(fact, "goal").strip(), footer(fact, "workstream").strip(), depends[fact.id],
        tuple(waits), claimant, fact.contradicted or _EITHER in fact.state,
        max([move.stem for move in fact.moves], default=fact.origin),
    )  # fmt: skip


def _obstacles(
    known: Mapping[str, Standing], depends: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """Return for each id that a task depends on why it is not over, "" where it is.

    What was superseded is over when all that superseded it is.
    """
    found: dict[str, str] = {}
    todo = [id for ahead in depends.values() for id in ahead]
    entered: set[str] = set()
    while todo:
        id = todo[-1]
        if id in found:
            todo.pop()
            continue
        standing = known.get(id)
        after = standing.fact.superseded_by if standing else ()
        if after and id not in entered:
            entered.add(id)
            todo += [other for other in after if other not in found and other not in entered]
            continue
        todo.pop()
        if standing is None:
            found[id] = UNKNOWN
        elif after:
            over = all(found.get(other, REPLACED) == "" for other in after)
            found[id] = "" if over else REPLACED
        else:
            found[id] = _obstacle(standing.fact)
    return found


def _obstacle(fact: Fact) -> str:
    if fact.invalidated_at:
        return FALSE
    if fact.kind == TASK_KIND:
        return "" if fact.state == DONE else fact.state
    return OPEN if fact.kind in CLOSABLE and not fact.closed else ""


FAILED, WORKED = "failed", "worked"


class Attempt(Record):
    """One thing that was tried."""

    fact: Fact  #: as the ledger has it; its text says what was tried
    outcome: str  #: `FAILED`, `WORKED`, or what else its footer says, "" for nothing
    iteration: int  #: which one it was, 0 where nobody counted

    @property
    def said(self) -> str:
        """What became of it, in a few words: `failed, iteration 3`."""
        return self.outcome + (f", iteration {self.iteration}" if self.iteration else "")


def failed_before(facts: Iterable[Fact], task: str) -> tuple[Attempt, ...]:
    """Return the attempts at a task that failed, newest first; none that turned out false, or is withheld.

    Args:
        facts: where attempts are among, archived ones too (`Questions.facts_of_kind`).
        task: the id that they are `about`, or serve.
    """
    found = [
        _attempt(fact)
        for fact in facts
        if fact.kind == ATTEMPT_KIND
        and not (fact.false or fact.redacted)
        and task in ids_in(f"{footer(fact, 'about')} {footer(fact, SERVES)}")
        and footer(fact, "outcome").strip().casefold() == FAILED
    ]
    found.sort(key=lambda one: (one.fact.born, one.iteration, one.fact.id), reverse=True)
    return tuple(found)


def _attempt(fact: Fact) -> Attempt:
    said = footer(fact, "iteration").strip()
    counted = said.isascii() and said.isdigit() and len(said) < 10
    return Attempt(fact, footer(fact, "outcome").strip().casefold(), int(said) if counted else 0)
