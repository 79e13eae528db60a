"""Ask the cache for tasks and handoffs, with all that they depend on."""

from __future__ import annotations

from collections.abc import Iterable

from memory.cache.cache_file import Cache
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.policy.model import HANDOFF_KIND, TASK_KIND
from projection.work.tracked_tasks import Task, depends_of, tasks


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
