"""Show the tasks: whose they are, what comes next, what waits for what, and what is over."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.model.record import Record
from ledger.model.task_states import BLOCKED, HANDOFF_READY, IN_PROGRESS
from memory.replay.request_inbox import waiting
from projection.work.handoffs import handed_elsewhere
from projection.work.tracked_tasks import Task, pick
from rituals.answers.task_objects import Listed, with_claims
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

#: How many tasks of one sort are shown.
TASKS = 100
CONTRADICTED, STARTED, HANDED, FREE, WAITING, OVER = (
    "contradicted", "started", "handed", "free", "waiting", "over",
)  # fmt: skip


class Group(Record):
    """The tasks of one sort."""

    name: str  #: which sort it is
    tasks: tuple[Listed, ...]  #: by priority and then by age, those that are over the newest first
    more: int  #: how many are not shown


def tasks(tip: TipView, asked: Asked) -> Page:
    """Return the page of the tasks."""
    there: dict[str, list[Task]] = {
        name: [] for name in (CONTRADICTED, STARTED, HANDED, FREE, WAITING, OVER)
    }
    for task in tip.tasks:
        there[_sort_of(task)].append(task)
    there[OVER].sort(key=lambda task: task.since, reverse=True)
    others = handed_elsewhere(tip.standings.values(), "", "")
    values = {
        "groups": [_group(tip, name, found) for name, found in there.items() if found],
        "open": len(tip.tasks) - len(there[OVER]),
        "next": pick(tip.tasks, elsewhere=others),
        "asked": tip.memory.ask(lambda cache: waiting(tip.memory.home, cache)),
    }
    return Page("tasks", "Tasks", values)


def _sort_of(task: Task) -> str:
    if not task.open:
        return OVER
    if task.contradicted:
        return CONTRADICTED
    if task.state == IN_PROGRESS:
        return STARTED
    if task.state == HANDOFF_READY:
        return HANDED
    return WAITING if task.waits or task.state == BLOCKED else FREE


def _group(tip: TipView, name: str, found: Sequence[Task]) -> Group:
    """Return a group, with what only this clone knows of its claims."""
    memory = tip.memory
    now_ms = memory.occasion().now_ms
    commondir = memory.home.repository.commondir
    shown = memory.ask(lambda cache: with_claims(cache, found[:TASKS], commondir, now_ms))
    return Group(name, shown, len(found) - len(shown))
