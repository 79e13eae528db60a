"""Gather what a view is made of (`projection.views`), from the cache or from a replayed state.

The cache gives a few facts more than a view shows, and a state gives all: the view itself chooses, so both
make the same page.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory.cache.cache_file import Cache
from memory.cache.schema import unpack_history
from projection.fold.fact_history import History
from projection.fold.fold import resolve
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.policy.model import CLOSABLE, STATE_KIND, TASK_KIND, THREAD_KIND
from projection.views.decision_view import KIND
from projection.views.view_page import ROLE_KEY, ViewSource


def _kinds(*kinds: str) -> str:
    return f"kind IN ({', '.join(map(repr, sorted(kinds)))})"


#: Which facts a view may show: of some kinds, with an entity, or whose histories hold a word.
CHOICES = {
    "state": _kinds(STATE_KIND, TASK_KIND),
    "progress": _kinds(TASK_KIND, THREAD_KIND),
    "actions": _kinds(*CLOSABLE),
    "decisions": f"instr(history, CAST({KIND!r} AS BLOB)) > 0",
    "entities": "about != ''",
    "roles": f"instr(history, CAST({ROLE_KEY!r} AS BLOB)) > 0",
}


def source_of_state(state: State) -> ViewSource:
    """Return what views of facts are made of, with every fact of a state."""
    return ViewSource(state.policy, state.summary, tuple(state.standings()), state.histories)


def source_of_cache(cache: Cache, names: Iterable[str], facts: Iterable[str] = ()) -> ViewSource:
    """Return what some views are made of.

    `facts` are ids of more facts.
    """
    asked = "SELECT id, history FROM facts WHERE "
    packed = dict(cache.rows_among(asked + "id IN (?)", sorted(set(facts))))
    for name in names:
        if name in CHOICES:
            packed.update(cache.rows(asked + CHOICES[name]))
    histories = {fact: unpack_history(packed[fact]) for fact in sorted(packed)}
    return ViewSource(cache.policy, cache.summary, tuple(_standings(cache, histories)), histories)


def _standings(cache: Cache, histories: dict[str, History]) -> Iterable[Standing]:
    place = cache.placing()
    for name, history in histories.items():
        fact = resolve(name, history, cache.cut)
        if fact is not None and len(fact.superseded_by) > 1:
            fact = cache.fact(name)
        if fact is not None:
            yield place(fact)
