"""Gather facts that belong together: tasks with what they depend on, and what a view is made of.

For a view the cache gives a few facts more than it shows, and a replayed state gives all: the view itself
chooses (`projection.views`), so both make the same page.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory.cache.cache_file import Cache
from memory.cache.schema import unpack_history
from projection.fold.fact_history import Fact
from projection.fold.live_view import Standing
from projection.policy.model import HANDOFF_KIND, STATE_KIND, TASK_KIND, THREAD_KIND
from projection.work.tracked_tasks import Task, depends_of, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.fold.full_replay import State
    from projection.views.view_page import ViewSource


def tasks_in(cache: Cache, *, closed: bool = False) -> tuple[Task, ...]:
    """Return the tasks of a ledger, in order.

    `closed`: those too that are done, cancelled, false or put away.
    """
    return _tasks(cache, cache.facts_of_kind(TASK_KIND, unsettled=not closed))


def task_in(cache: Cache, id: str) -> Task | None:
    """Return one task, None where there is none of this id; a circle that it is in is not looked for."""
    fact = cache.fact(id)
    return None if fact is None or fact.kind != TASK_KIND else _tasks(cache, (fact,))[0]


def handoffs_in(cache: Cache) -> tuple[Standing, ...]:
    """Return the facts that are handoffs and open."""
    facts = cache.facts_of_kind(HANDOFF_KIND, unsettled=True)
    return tuple(map(cache.placing(), facts)) if facts else ()


def _tasks(cache: Cache, facts: Iterable[Fact]) -> tuple[Task, ...]:
    place = cache.placing()
    known = {fact.id: place(fact) for fact in facts}
    chosen = frozenset(known)
    ahead = [id for standing in known.values() for id in depends_of(standing.fact)]
    while ahead:
        id = ahead.pop()
        if id not in known and (fact := cache.fact(id)) is not None:
            known[id] = place(fact)
            ahead += fact.superseded_by
    return tuple([task for task in tasks(known.values()) if task.id in chosen])


def source_of_state(state: State) -> ViewSource:
    """Return what views of facts are made of, with every fact of a state."""
    from projection.views.view_page import ViewSource

    return ViewSource(state.policy, state.summary, tuple(state.standings()), state.histories)


def source_of_cache(cache: Cache, names: Iterable[str], facts: Iterable[str] = ()) -> ViewSource:
    """Return what some views are made of.

    `facts` are ids of more facts.
    """
    from projection.views.decision_view import KIND
    from projection.views.view_page import ROLE_KEY, ViewSource

    #: of some kinds, with an entity, or whose histories hold a word
    choices = {
        "state": _kinds(STATE_KIND, TASK_KIND),
        "progress": _kinds(TASK_KIND, THREAD_KIND),
        "decisions": f"instr(history, CAST({KIND!r} AS BLOB)) > 0",
        "entities": "about != ''",
        "roles": f"instr(history, CAST({ROLE_KEY!r} AS BLOB)) > 0",
    }
    asked, place = "SELECT id, history FROM facts WHERE ", cache.placing()
    packed = dict(cache.rows_among(asked + "id IN (?)", sorted(set(facts))))
    for choice in [choices[name] for name in names if name in choices]:
        packed.update(cache.rows(asked + choice))
    histories = {fact: unpack_history(packed[fact]) for fact in sorted(packed)}
    known = [fact for id in histories if (fact := cache.fact(id)) is not None]
    return ViewSource(cache.policy, cache.summary, tuple(map(place, known)), histories)


def _kinds(*kinds: str) -> str:
    return f"kind IN ({', '.join(map(repr, sorted(kinds)))})"
