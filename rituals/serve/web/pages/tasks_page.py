"""Show the tasks: whose they are, what comes next, what waits for what, and what is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ledger.model.log_stamps import instant_of, key_of
from ledger.model.verbs import BLOCKED, HANDOFF_READY, IN_PROGRESS, may_follow
from projection.graph.fact_links import served_by, tags
from projection.policy.model import THREAD_KIND
from projection.work.tracked_tasks import Task, handed_elsewhere, is_open, pick
from rituals.answers.task_objects import with_claims
from rituals.serve.web.tip_view import Asked, Page, TipView

#: How many tasks of one sort are shown.
TASKS = 100
#: Their sorts, in the order of the page.
_SORTS = ("contradicted", "started", "handed", "free", "waiting", "over")


def tasks(tip: TipView, asked: Asked) -> Page:
    """Return the page of the tasks."""
    there: dict[str, list[Task]] = {name: [] for name in _SORTS}
    for task in tip.tasks:
        there[_sort_of(task)].append(task)
    there["over"].sort(key=lambda task: task.since, reverse=True)
    others = handed_elsewhere(tip.standings.values(), "", "")
    values = {
        #: by their sort: how many there are, and those that are shown
        "groups": {
            name: (len(found), cards(tip, found[:TASKS])) for name, found in there.items() if found
        },
        "open": len(tip.tasks) - len(there["over"]),
        "next": pick(tip.tasks, elsewhere=others),
    }
    return Page("tasks", "Tasks", values)


def _sort_of(task: Task) -> str:
    if not task.open or task.contradicted:
        return "contradicted" if task.open else "over"
    by_state = {IN_PROGRESS: "started", HANDOFF_READY: "handed", BLOCKED: "waiting"}
    return by_state.get(task.state, "waiting" if task.waits else "free")


def cards(tip: TipView, tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Return tasks as they are shown, with what only this clone knows of their claims.

    `claims` are who says to be at it: the agent, the person, and since when.
    """
    memory, now_ms = tip.memory, tip.memory.occasion().now_ms
    commondir = memory.home.repository.commondir
    shown = memory.ask(lambda cache: with_claims(cache, tasks, commondir, now_ms))
    served = served_by(one.fact for one in tip.standings.values()) if shown else {}
    found = []
    for one in shown:
        task, serving = one.task, served.get(one.task.id, [])
        fact = task.standing.fact
        claims = [
            (move.agent, tip.persons.get(key_of(move.stem), ""), instant_of(fact.clock(move.stem)))
            for move in fact.moves
            if move.state == IN_PROGRESS
        ]
        left = sorted(filter(is_open, serving), key=lambda fact: fact.born, reverse=True)
        found.append({
            "task": task, "claims": claims, "left": one.left, "handoffs": left,
            "follows": may_follow(tuple(task.state.split(" or "))) if task.open else (),
            "stale": span(now_ms - one.sign_ms) if one.stale and one.sign_ms else "",
            "criteria": [fact for fact in serving if "criterion" in tags(fact)],
            "risks": [fact for fact in serving if "risk" in tags(fact)],
            "questions": [one for one in serving if one.kind == THREAD_KIND and not one.closed],
        })  # fmt: skip
    return found


def span(ms: int) -> str:
    """Say how long something is, rounded to the one unit that fits."""
    minutes = max(ms, 0) // 60_000
    hours = round(minutes / 60)
    count, unit = (minutes, "minute") if minutes < 90 else (hours, "hour")
    if hours >= 36:
        count, unit = round(hours / 24), "day"
    return f"{count:,} {unit}{'' if count == 1 else 's'}"
