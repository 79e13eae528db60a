"""Gather from the cache what is to be done by whoever asks for a brief."""

from __future__ import annotations

from memory.cache.cached_tasks import task_in, tasks_in
from projection.brief.choice import ordered, own_tasks, stated
from projection.brief.values import Stated, Todo
from projection.policy.model import ATTEMPT_KIND
from projection.work.handoffs import handed_to
from projection.work.tracked_tasks import failed_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.cache.cache_file import Cache
    from projection.fold.projection_state import LiveView


def todo(cache: Cache, view: LiveView, agent: str, role: str, task: str) -> Todo:
    """Return what is to be done.

    `agent` is who asks, as logs name it, `role` is "" for none; `task` is the id of a task, or anything
    else.
    """
    tasks = tasks_in(cache)
    asked = task_in(cache, task) if task else None
    handoffs = handed_to(view.live, agent, role)
    about = [task]
    if not asked:
        about = [one.id for one in own_tasks(tasks, agent)]
        about += [id for one in handoffs for id in one.tasks]
    return Todo(
        tuple(map(stated, handoffs)),
        _failed(cache, list(dict.fromkeys(about))),
        ordered(tasks, view.live, agent, asked),
    )


def _failed(cache: Cache, tasks: Sequence[str]) -> tuple[Stated, ...]:
    """Return what failed before at some tasks, newest first for each."""
    if not tasks:
        return ()
    place = cache.placing()
    attempts = cache.facts_of_kind(ATTEMPT_KIND)
    found = [one for task in tasks for one in failed_before(attempts, task)]
    return tuple([Stated(place(one.fact), one.said) for one in dict.fromkeys(found)])
