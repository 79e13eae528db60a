"""Run the tool `task`: what `diurna task` does, for an agent."""

from __future__ import annotations

from functools import partial
from typing import Any

from rituals.serve.mcp.client_name import Caller
from rituals.serve.mcp.input_schemas import TaskAsked
from rituals.serve.mcp.responses import NOTICE, TaskAnswered, TaskListed, noticed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory
    from memory.write.draft import Receipt
    from rituals.record.tasks.handoff import Leaving
    from rituals.record.tasks.new_task import Author
    from rituals.record.tasks.task_steps import Change

#: How many tasks are listed at most.
MOST_LISTED = 50


def task(memory: Memory, asked: TaskAsked, caller: Caller) -> TaskAnswered:
    """List tasks, or do something about one.

    Raises:
        WrongUsage: the action lacks what it is about.
    """
    if asked.action == "list":
        return _listed(memory)
    from rituals.record.tasks.new_task import Author
    from rituals.record.tasks.task_steps import carried_out, moving, picking, starting

    author = Author(caller.agent, asked.role, caller.host, caller.session)
    if asked.action == "pick":
        plan = partial(picking, memory, author, start=asked.start)
    elif asked.action == "add":
        return _added(memory, asked, author)
    else:
        id = _given("id", asked)
        if asked.action == "start":
            plan = partial(starting, memory, id, author, take_over=asked.take_over)
        elif asked.action == "handoff":
            from rituals.record.tasks.handoff import handing_over

            plan = partial(handing_over, memory, id, _leaving(asked), author)
        else:
            state = "done" if asked.action == "done" else _given("state", asked)
            plan = partial(moving, memory, id, state, author, asked.why)
    return _told(memory, *carried_out(memory, plan))


def _listed(memory: Memory) -> TaskAnswered:
    from rituals.answers.task_objects import Wanted, listed, task_object

    found = listed(memory, Wanted(), memory.occasion().now_ms)
    more = len(found) - MOST_LISTED
    return TaskAnswered(
        notice=NOTICE,
        tasks=[TaskListed.model_validate(task_object(one)) for one in found[:MOST_LISTED]],
        notes=[f"{more} more are open"] if more > 0 else [],
    )


def _added(memory: Memory, asked: TaskAsked, author: Author) -> TaskAnswered:
    from rituals.record.option_values import parse_ids
    from rituals.record.tasks.new_task import NewTask, adding

    new = NewTask(
        _given("text", asked), asked.id, asked.priority, depends=parse_ids((asked.depends,)),
        criteria=tuple([line for line in asked.criteria.split("\n") if line.strip()]),
    )  # fmt: skip
    draft, odd = adding(memory, new, author)
    receipt = memory.append(draft, tiers=True)
    return _recorded(receipt, findings=noticed((*odd, *receipt.findings)))


def _leaving(asked: TaskAsked) -> Leaving:
    from rituals.record.tasks.handoff import Leaving

    return Leaving(
        asked.to, (asked.done,), (asked.remaining,), (asked.warnings,), (asked.questions,),
        (asked.next,), asked.confidence,
    )  # fmt: skip


def _told(memory: Memory, change: Change, receipt: Receipt | None) -> TaskAnswered:
    """Tell what became of a task, or which one was picked."""
    from rituals.answers.task_objects import Listed, task_object

    chosen = [TaskListed.model_validate(task_object(Listed(change.task)))] if change.task else []
    more: dict[str, Any] = {"notes": list(change.notes), "already": change.already}
    if receipt is None:
        return TaskAnswered(notice=NOTICE if chosen else "", tasks=chosen, **more)
    return _recorded(receipt, findings=noticed(receipt.findings), **more)


def _recorded(receipt: Receipt, **more: Any) -> TaskAnswered:
    from rituals.answers.json_objects import receipt_object

    said = receipt_object(receipt)
    kept = {key: said[key] for key in ("stem", "commit", "facts", "did")}
    return TaskAnswered(**kept, **more)


def _given(name: str, asked: TaskAsked) -> str:
    """Return an argument that the action needs."""
    said: str = getattr(asked, name)
    if not said.strip():
        from ledger.errors import WrongUsage

        raise WrongUsage(f"{name}: {asked.action} needs it")
    return said
