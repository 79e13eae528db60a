"""Write the views `state` and `progress`: where the work stands, by facts of kind `state` and tasks.

A task stands once, in the first section that one of its states belongs to: of a task that was claimed and
finished by two who did not know of each other, work is still to be done.
"""

from __future__ import annotations

from ledger.model.task_states import BLOCKED, HANDOFF_READY, IN_PROGRESS
from projection.policy.model import STATE_KIND, TASK_KIND, THREAD_KIND
from projection.views.view_page import Item, Page, Section, fact_item, told
from projection.views.view_source import minute_of
from projection.work.tracked_tasks import tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from projection.fold.fact_history import Fact
    from projection.fold.projection_state import Standing
    from projection.views.view_source import ViewSource

NEXT_ACTION = "Next Action"
#: The headings of the view `state` that tell one fact, and its id.
FACTS = {
    "Current Phase": "state-phase",
    "Current Status": "state-status",
    NEXT_ACTION: "state-next",
}
ACTIVE_WORK, BLOCKED_ITEMS, UPDATED = "Active Work", "Blocked Items", "Last Updated"
COMPLETED, UNDER_WAY, STUCK, NOT_STARTED = "Completed", "In Progress", "Blocked", "Not Started"
NOT_SAID, NONE = "Not recorded.", "None."


def state(source: ViewSource) -> Page:
    """Write the view `state`: programs read its headings, so each is there, with content below it."""
    doing, blocked, waiting, _ = _sorted(source, (TASK_KIND,))
    said = {title: _said(source, fact) for title, fact in FACTS.items()}
    if said[NEXT_ACTION] == NOT_SAID and (doing or waiting):
        first = (doing or waiting)[0]
        said[NEXT_ACTION] = f"{told(first)} (`{first.id}`)"
    newest = source.summary.newest
    order = ("Current Phase", "Current Status", ACTIVE_WORK, BLOCKED_ITEMS, NEXT_ACTION)
    known: dict[str, tuple[Item | str, ...]] = {title: (line,) for title, line in said.items()}
    known[ACTIVE_WORK], known[BLOCKED_ITEMS] = _items(doing), _items(blocked)
    sections = [Section(title, known[title]) for title in order]
    sections.append(Section(UPDATED, (minute_of(newest) if newest else "Never.",)))
    return Page(f"State — {source.policy.project}", "", tuple(sections))


def progress(source: ViewSource) -> Page:
    """Write the view `progress`: tasks, and threads, which nobody moves, by how far they are."""
    doing, blocked, waiting, closed = _sorted(source, (TASK_KIND, THREAD_KIND))
    days: dict[str, list[Fact]] = {}
    for fact in closed:
        days.setdefault(fact.closed_at[:10], []).append(fact)
    done = [
        Section(f"{COMPLETED} {day}".rstrip(), _items(sorted(days[day], key=by_birth)))
        for day in sorted(days, reverse=True)
    ]
    sections = [
        *(done or [Section(COMPLETED, (NONE,))]),
        Section(UNDER_WAY, _items(doing)),
        Section(STUCK, _items(blocked)),
        Section(NOT_STARTED, _items(waiting)),
    ]
    return Page(f"Progress — {source.policy.project}", "", tuple(sections))


def _said(source: ViewSource, name: str) -> Item | str:
    """Return what a fact of the state says, if there is one that holds."""
    fact = source.fact(name)
    if fact is None or fact.kind != STATE_KIND or fact.false:
        return NOT_SAID
    return fact_item(fact, bare=True)


def _sorted(
    source: ViewSource, kinds: tuple[str, ...]
) -> tuple[list[Fact], list[Fact], list[Fact], list[Fact]]:
    """Return what is under way, blocked, not started and closed, each in the order of tasks."""
    shared = [one for one in source.shared() if one.fact.kind in kinds and not one.fact.false]
    doing, blocked, waiting, closed = [], [], [], []
    for fact in _in_order(shared):
        states = set(fact.states)
        if fact.closed:
            closed.append(fact)
        elif states & {IN_PROGRESS, HANDOFF_READY}:
            doing.append(fact)
        elif BLOCKED in states:
            blocked.append(fact)
        else:
            waiting.append(fact)
    return doing, blocked, waiting, closed


def _in_order(standings: Sequence[Standing]) -> list[Fact]:
    """Return tasks by priority and age, then threads by age."""
    mine = [one for one in standings if one.fact.kind == TASK_KIND]
    others = [one for one in standings if one.fact.kind != TASK_KIND]
    ranked = [task.standing.fact for task in tasks(mine)]
    return [*ranked, *sorted([one.fact for one in others], key=by_birth)]


def _items(facts: Iterable[Fact]) -> tuple[Item | str, ...]:
    return tuple([fact_item(fact, "x" if fact.closed else " ") for fact in facts]) or (NONE,)


def by_birth(fact: Fact) -> tuple[str, str]:
    """Return what facts are sorted by where the oldest comes first."""
    return fact.created, fact.id
