"""Show the roles: what each has learned, who worked in it lately, and what was handed over to it."""

from __future__ import annotations

from ledger.codec.log import read_header
from ledger.model.record import Record
from ledger.model.task_states import HANDOFF_READY
from memory.replay.log_bytes import read_bytes
from projection.fold.fact_history import Fact
from projection.text.role_names import role_names
from projection.views.role_view import kind_told, known_by_role
from projection.views.view_source import ViewSource
from projection.work.handoffs import Handoff, open_handoffs
from projection.work.tracked_tasks import Task
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

#: How many facts of a role are shown, and of how many of the newest sessions it is said who worked in it.
FACTS, SESSIONS = 60, 200


class Worked(Record):
    """Who worked in a role, of the newest sessions."""

    sessions: int  #: how many
    last: str  #: the stem of the newest
    agents: tuple[str, ...]  #: who, by name


class Role(Record):
    """A role."""

    name: str  #: of it
    #: what it has learned, by kind and then by birth, each with what is said of its kind
    facts: tuple[tuple[Fact, str], ...]
    more: int  #: how many are not shown
    handoffs: tuple[Handoff, ...]  #: that wait for it
    worked: Worked | None  #: None where none of the newest sessions did


def roles(tip: TipView, asked: Asked) -> Page:
    """Return the page of the roles: of those that facts are for, and of those that sessions had."""
    state = tip.state
    standings = tuple(tip.standings.values())
    handoffs = open_handoffs(standings)
    known = known_by_role(ViewSource(state.policy, state.summary, standings))
    worked = worked_in(tip)
    names = {folded: folded for folded in worked} | {_folded(name): name for name in known}
    found = []
    for folded, name in sorted(names.items()):
        facts = known.get(name, [])
        shown = tuple([(fact, kind_told(fact, state.policy)) for fact in facts[:FACTS]])
        mine = tuple([one for one in handoffs if one.names("", name)])
        found.append(Role(name, shown, len(facts) - len(shown), mine, worked.get(folded)))
    taken = {one.standing.fact.id for role in found for one in role.handoffs}
    others = tuple([one for one in handoffs if one.standing.fact.id not in taken])
    values = {
        "roles": found,
        "others": others,
        "told": tuple([one for one in tip.tasks if _is_told(one, handoffs)]),
        "of": min(len(tip.work), SESSIONS),
    }
    return Page("roles", "Roles", values)


def worked_in(tip: TipView) -> dict[str, Worked]:
    """Tell who worked in which role, as roles are compared, in the newest sessions."""
    cache = tip.memory.cache()
    refs = [ref for stem in tip.work[-SESSIONS:] if (ref := cache.log_ref(stem)) is not None]
    found: dict[str, Worked] = {}
    for ref, data in read_bytes(tip.memory.home, refs):
        said = dict(read_header(data))
        for name in role_names(said.get("role", "")):
            before = found.get(name, Worked(0, "", ()))
            agents = tuple(sorted({*before.agents, said.get("agent", "")} - {""}))
            found[name] = Worked(before.sessions + 1, max(before.last, ref.stem), agents)
    return found


def _folded(name: str) -> str:
    return next(iter(role_names(name)), name)


def _is_told(task: Task, handoffs: tuple[Handoff, ...]) -> bool:
    """Tell whether a task waits to be taken over, and the handoff that said to whom is closed."""
    waits = task.open and task.state == HANDOFF_READY
    return waits and not any(task.id in one.tasks for one in handoffs)
