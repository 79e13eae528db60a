"""Choose what is to be done by whoever asks: what was handed over, what failed before, and the tasks.

Pure. Of a task the line says its state, who has it, its priority, and what it waits for; of a handoff
which task it is for, and who left it; of an attempt what became of it.
"""

from __future__ import annotations

from ledger.model.task_states import IN_PROGRESS
from projection.brief.brief_values import Stated
from projection.brief.single_line import label
from projection.graph.fact_links import SERVES, named
from projection.policy.model import HANDOFF_KIND, STATE_KIND
from projection.work.tracked_tasks import MEDIUM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from projection.fold.projection_state import Standing
    from projection.work.handoffs import Handoff
    from projection.work.tracked_tasks import Task

#: How many ids a line names that a task waits for, or a handoff is for.
_NAMED = 3


def stated(handoff: Handoff) -> Stated:
    """Say of a handoff which task it is for, and who left it."""
    said = [f"for {' and '.join(handoff.tasks[:_NAMED])}"] if handoff.tasks else []
    if handoff.confidence:
        said.append(f"confidence {label(handoff.confidence)}")
    return Stated(handoff.standing, ", ".join(said), label(handoff.giver))


def own_tasks(tasks: Iterable[Task], agent: str) -> list[Task]:
    """Return the tasks in progress that an agent has."""
    return [one for one in tasks if one.state == IN_PROGRESS and one.claimant == agent != ""]


def ordered(
    tasks: Sequence[Task], live: Iterable[Standing], agent: str, asked: Task | None
) -> tuple[Stated, ...]:
    """Return tasks and what holds of the state, as a brief has them.

    The tasks are the open ones, in their order; what serves `asked`, the task that the brief is for,
    follows it. `agent` is as logs name it.
    """
    live = list(live)
    found: dict[str, Stated] = {}

    def add(some: Iterable[Stated]) -> None:
        for one in some:
            found.setdefault(one.standing.fact.id, one)

    if asked:
        edge = (SERVES, asked.id)
        serving = [one for one in live if edge in named(one.fact)]
        add([_task(asked)])
        add([Stated(one, f"serves {asked.id}") for one in serving if one.fact.kind != HANDOFF_KIND])
    add(map(_task, own_tasks(tasks, agent)))
    add([Stated(one, "") for one in live if one.fact.kind == STATE_KIND])
    add(map(_task, tasks))
    return tuple(found.values())


def _task(task: Task) -> Stated:
    said = [f"{task.state} by {label(task.claimant)}" if task.claimant else task.state]
    if task.priority != MEDIUM:
        said.append(task.priority)
    if task.waits:
        more = f" and {len(task.waits) - _NAMED} more" if len(task.waits) > _NAMED else ""
        said.append(f"waits for {' and '.join(task.waits_for[:_NAMED])}{more}")
    return Stated(task.standing, ", ".join(said))
