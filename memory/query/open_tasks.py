"""Ask a home for its tasks and handoffs: what `diurna task list` and the brief show, as values."""

from __future__ import annotations

from functools import partial

from memory.cache.cached_tasks import handoffs_in, tasks_in
from projection.work.handoffs import Handoff, handed_to
from projection.work.tracked_tasks import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.reader import Reader


def tasks_of(memory: Reader, *, closed: bool = False) -> tuple[Task, ...]:
    """Return the tasks of a home by priority, then age; `tracked_tasks.pick` chooses one of them.

    `closed`: those too that are done, cancelled, false or put away.
    """
    return memory.snapshot.ask(partial(tasks_in, closed=closed))


def handoffs_for(memory: Reader, agent: str = "", role: str = "") -> tuple[Handoff, ...]:
    """Return the open handoffs for an agent in a role, newest first.

    `agent` is who asks, "" for who opened it; `role` is "" for none.
    """
    return handed_to(memory.snapshot.ask(handoffs_in), agent or memory.asker(), role)
