"""Show the work: tasks, whose they are and what comes next; and the brief that the next agent reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ledger.model.layout import BRIEF_CHARS
from ledger.model.log_names import instant_of, key_of
from ledger.model.verbs import BLOCKED, HANDOFF_READY, IN_PROGRESS, may_follow
from projection.brief import values
from projection.fold.fact_links import served_by, tags
from projection.policy.model import CLOSABLE, THREAD_KIND
from projection.work.tracked_tasks import Task, handed_elsewhere, is_open, pick
from rituals.answers.task_objects import with_claims
from rituals.hosts.capture.session_marks import sessions
from rituals.hosts.host_events import captured_file
from rituals.hosts.processes import is_gone
from rituals.hosts.session_files import ENDED
from rituals.serve.web.pages.filter_bar import names_of
from rituals.serve.web.tip_view import Asked, Page, TipView

#: How many tasks of one sort are shown.
TASKS = 100
#: A session that was silent for longer does not run any more.
_RUNS_MS = 7_200_000
#: Their sorts, in the order of the page.
_SORTS = ("contradicted", "started", "handed", "free", "waiting", "over")


def tasks(tip: TipView, asked: Asked) -> Page:
    """Return the page of the tasks."""
    there: dict[str, list[Task]] = {name: [] for name in _SORTS}
    for task in tip.tasks:
        there[_sort_of(task)].append(task)
    there["over"].sort(key=lambda task: task.since, reverse=True)
    others = handed_elsewhere(tip.standings.values(), "", "")
    shown = {
        #: by their sort: how many there are, and those that are shown
        "groups": {
            name: (len(found), cards(tip, found[:TASKS])) for name, found in there.items() if found
        },
        "open": len(tip.tasks) - len(there["over"]),
        "next": pick(tip.tasks, elsewhere=others),
        "running": running(tip),
    }
    return Page("tasks", "Tasks", shown)


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


def running(tip: TipView) -> list[tuple[str, str, str]]:
    """Return the host sessions of this clone that gave a sign lately and did not end, newest first.

    Each is its host, the name of its folder, and how long ago it gave one; no words of theirs.
    """
    commondir, now = tip.memory.home.repository.commondir, tip.memory.occasion().now_ms
    return [
        (one.host, os.path.basename(one.folder), span(now - one.at))
        for one in sessions(commondir)
        if now - one.at < _RUNS_MS
        and not is_gone(one.process)
        and not os.path.exists(captured_file(commondir, one.host, one.session, ENDED))
    ]


def span(ms: int) -> str:
    """Say how long something is, rounded to the one unit that fits."""
    minutes = max(ms, 0) // 60_000
    hours = round(minutes / 60)
    count, unit = (minutes, "minute") if minutes < 90 else (hours, "hour")
    if hours >= 36:
        count, unit = round(hours / 24), "day"
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


#: Why a line stands in a section of a brief, by its name; what is named after a home begins with its own.
WHY = {
    values.ASKED: "The task asks for these: they come before all else.",
    values.PASSAGES: "No fact answers the task, and these sessions spoke of it.",
    values.CONTRADICTIONS: "Both sides are shown until somebody decides.",
    values.INVARIANTS: "Always shown: they never fade.",
    values.HANDED: "Somebody left these for whoever reads.",
    values.CHANGES: "News since the last log of whoever reads; corrections first.",
    values.ROLE: "Recorded for this role.",
    values.ATTEMPTS: "Tried at this task before, without success.",
    values.TASKS: "Open work; what the reader has comes first.",
    values.THREADS: "Open, and named lately or kept by an owner, a priority or an end.",
    values.DECISIONS: "Live; what was used lately or is near the branch comes first.",
    values.SESSIONS: "What the last sessions came to.",
    values.REST: "There was room left for these.",
    values.UPSTREAM: "What holds in a repository that this one follows.",
}
#: The most characters of a task that is asked about, and about how many of a text make a token.
_TASK_CHARS, _TOKEN_CHARS = 2_000, 4


def brief(tip: TipView, asked: Asked) -> Page:
    """Return the page of what the next agent reads, for a task, a role and an agent of the address.

    The user's own memory is counted and not shown: pages leave it out.
    """
    task, role, agent = (
        asked.get(name, "").strip()[:_TASK_CHARS] for name in ("task", "role", "agent")
    )
    made = tip.memory.brief(task=task, role=role, agent=agent)
    sizes = map(len, made.text.split("\n## ")[1:])
    sections = [(one, WHY.get(one.name.split()[0], ""), size)
                for one, size in zip(made.sections, sizes, strict=True)]  # fmt: skip
    said = {
        "task": task, "role": role, "agent": agent, "made": made, "budget": BRIEF_CHARS,
        "sections": [one for one in sections if one[0].name != values.YOURS],
        "own": sum([size for one, _, size in sections if one.name == values.YOURS]),
        "standings": tip.standings, "closable": CLOSABLE, "per_token": _TOKEN_CHARS,
        "roles": names_of(tip, "role"), "agents": names_of(tip, "agent"),
    }  # fmt: skip
    return Page("brief", "Brief", said)
