"""Follow tasks: what each waits for, who has claimed it, what comes next, what failed; and handoffs.

Pure. A handoff is a fact of kind `handoff`: it `serves` the task, says who gives it (`from`) and who is to
get it (`to`: an agent or a role, in any case; nobody, for whoever moves the task to in-progress). A task
waits for its `depends` until they are done; a fact that is no task and can not be closed lets it go.
Everything here takes time in proportion to what it is given, however long its chains are.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from ledger.model.log_names import instant_of, stem_in
from ledger.model.record import Record
from ledger.model.verbs import DONE, HANDOFF_READY, IN_PROGRESS, TODO
from projection.fold.fact_history import Fact
from projection.fold.fact_links import SERVES, footer, ids_in, served
from projection.fold.live_view import Standing
from projection.policy.model import ATTEMPT_KIND, HANDOFF_KIND, TASK_KIND

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
    rings = _rings({id: ahead for id, ahead in depends.items() if not known[id].fact.closed})
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
    rings: Mapping[str, str],
) -> Task:
    fact = standing.fact
    said = footer(fact, "priority").strip().lower()
    owner = footer(fact, "owner").strip()
    waits = [
        Wait(id, CIRCLE if rings.get(fact.id) == rings.get(id, id) else why[id])
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


def _rings(follows: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name by one of them the nodes that lead to each other; `follows` is what each node leads to.

    Kosaraju's algorithm for strongly connected components (1978), without recursion.
    """
    order, seen = list[str](), set[str]()
    back: dict[str, list[str]] = {}
    for start in follows:
        way = [] if start in seen else [(start, iter(follows[start]))]
        seen.add(start)
        while way:
            node, ahead = way[-1]
            other = next(ahead, None)
            if other is None:
                order.append(way.pop()[0])
                continue
            back.setdefault(other, []).append(node)
            if other not in seen:
                seen.add(other)
                way.append((other, iter(follows.get(other, ()))))
    rings: dict[str, str] = {}
    for root in reversed(order):
        todo = [root]
        while todo:
            if (node := todo.pop()) not in rings:
                rings[node] = root
                todo += [one for one in back.get(node, ()) if one not in rings]
    return rings


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
        elif standing.fact.invalidated_at:
            found[id] = FALSE
        elif standing.fact.kind == TASK_KIND:
            found[id] = "" if standing.fact.state == DONE else standing.fact.state
        else:
            found[id] = OPEN if standing.fact.open else ""
    return found


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


def role_names(value: str) -> frozenset[str]:
    """Return the roles that a value names, parted by commas, in the form in which they are compared.

    Case and blanks make no other role, and neither does how a letter with an accent is written.
    """
    if not value:
        return frozenset()
    if not value.isascii():
        from unicodedata import normalize

        value = normalize("NFC", normalize("NFC", value).casefold())
    names = value.casefold().split(",")
    return frozenset([name for one in names if (name := " ".join(one.split()))])


class Handoff(Record):
    """What one agent left for another, who has not written a log since."""

    standing: Standing  #: the fact
    tasks: tuple[str, ...]  #: ids of the tasks that it serves
    giver: str  #: who left it, as its footer says
    to: str  #: an agent or a role, "" for whoever takes the task
    confidence: str  #: in the giver's words

    def names(self, agent: str, role: str) -> bool:
        """Tell whether it is meant for an agent, or for one in a role."""
        if not self.to or self.to.casefold() == agent.casefold():
            return bool(self.to)
        return not role_names(self.to).isdisjoint(role_names(role))


def open_handoffs(facts: Iterable[Standing]) -> tuple[Handoff, ...]:
    """Return the open handoffs among some facts, newest first."""
    found = []
    for standing in facts:
        fact = standing.fact
        if is_open(fact):
            said = [footer(fact, key).strip() for key in ("from", "to", "confidence")]
            found.append(Handoff(standing, served(fact), *said))
    found.sort(key=lambda one: (one.standing.fact.born, one.standing.fact.id), reverse=True)
    return tuple(found)


def handed_to(facts: Iterable[Standing], agent: str, role: str) -> tuple[Handoff, ...]:
    """Return the open handoffs for whoever asks, newest first: those to it, and those to nobody by name.

    `agent` is who asks, as logs name it; `role` is "" for none.
    """
    return tuple([one for one in open_handoffs(facts) if not one.to or one.names(agent, role)])


def handed_elsewhere(facts: Iterable[Standing], agent: str, role: str) -> dict[str, str]:
    """Return the tasks that others are to take, by id, with whom each was handed to last.

    `agent` is who asks, as logs name it; `role` is "" for none.
    """
    newest: dict[str, Handoff] = {}
    for one in open_handoffs(facts):
        for task in one.tasks:
            newest.setdefault(task, one)
    return {task: one.to for task, one in newest.items() if one.to and not one.names(agent, role)}


def is_open(fact: Fact) -> bool:
    """Tell whether a fact is a handoff that nobody has taken."""
    return fact.kind == HANDOFF_KIND and not (fact.closed or fact.false or fact.archived_at)
