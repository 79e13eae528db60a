"""Show the tasks: whose they are, what comes next, what waits for what, and what is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.model.order import instant_of, stem_in
from ledger.model.verbs import BLOCKED, HANDOFF_READY, IN_PROGRESS, may_follow
from memory.query.origins import Origin
from projection.fold.fact_history import Fact, Move
from projection.graph.fact_links import served_by
from projection.graph.graph_neighbours import tags
from projection.policy.model import THREAD_KIND
from projection.work.handoffs import handed_elsewhere, is_open
from projection.work.tracked_tasks import Task, pick
from rituals.answers.task_objects import Listed, with_claims
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
        "groups": [
            {"name": name, "tasks": cards(tip, found[:TASKS]), "more": max(len(found) - TASKS, 0)}
            for name, found in there.items()
            if found
        ],
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
    """Return tasks as they are shown, with what only this clone knows of their claims."""
    memory = tip.memory
    now_ms, commondir = memory.occasion().now_ms, memory.home.repository.commondir
    shown = memory.ask(lambda cache: with_claims(cache, tasks, commondir, now_ms))
    claims = [move.stem for task in tasks for move in _claims(task)]
    authors = tip.writers([stem_in(stem) for stem in claims])
    serving = served_by(one.fact for one in tip.standings.values()) if shown else {}
    return [_card(one, serving.get(one.task.id, []), authors, now_ms) for one in shown]


def _card(
    one: Listed, serving: Sequence[Fact], authors: Mapping[str, Origin], now_ms: int
) -> dict[str, Any]:  # fmt: skip
    task, claims = one.task, []
    for move in _claims(task):  # who says to be at it: the agent, the person, and since when
        stem = stem_in(move.stem)
        who = authors[stem].author if stem in authors else ""
        claims.append((move.agent, who, instant_of(task.standing.fact.clock(stem))))

    def tagged(tag: str) -> list[Fact]:
        return [fact for fact in serving if tag in tags(fact)]

    asked = [one for one in serving if one.kind == THREAD_KIND and not one.closed]
    left = [fact for fact in serving if is_open(fact)]
    states = may_follow(tuple(task.state.split(" or "))) if task.open else ()
    return {
        "task": task, "claims": claims, "left": one.left, "follows": states,
        "stale": span(now_ms - one.sign_ms) if one.stale and one.sign_ms else "",
        "criteria": tagged("criterion"), "risks": tagged("risk"), "questions": asked,
        "handoffs": sorted(left, key=lambda fact: fact.born, reverse=True),
    }  # fmt: skip


def _claims(task: Task) -> list[Move]:
    return [move for move in task.standing.fact.moves if move.state == IN_PROGRESS]


def span(ms: int) -> str:
    """Say how long something is, rounded to the one unit that fits."""
    minutes = max(ms, 0) // 60_000
    hours = round(minutes / 60)
    count, unit = (minutes, "minute") if minutes < 90 else (hours, "hour")
    if hours >= 36:
        count, unit = round(hours / 24), "day"
    return f"{count:,} {unit}{'' if count == 1 else 's'}"
