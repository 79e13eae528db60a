"""Gather what a view is made of (`projection.views`), from the cache or from a replayed state.

The cache gives a few facts more than a view shows, and a state gives all: the view itself chooses, so both
make the same page.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.model.record import Record
from memory.cache.cache_file import Cache
from memory.cache.schema import unpack_history
from projection.fold.fact_history import History
from projection.fold.fold import resolve
from projection.fold.full_replay import State
from projection.fold.projection_state import Standing
from projection.policy.model import CLOSABLE, STATE_KIND, TASK_KIND, THREAD_KIND
from projection.views.decision_view import KIND
from projection.views.view_source import ROLE_KEY, ViewSource


class Choice(Record):
    """Which facts a view may show: of some kinds, with an entity, or whose histories hold a word."""

    kinds: tuple[str, ...] = ()
    entities: bool = False
    word: str = ""


CHOICES = {
    "state": Choice((STATE_KIND, TASK_KIND)),
    "progress": Choice((TASK_KIND, THREAD_KIND)),
    "actions": Choice(tuple(sorted(CLOSABLE))),
    "decisions": Choice(word=KIND),
    "entities": Choice(entities=True),
    "roles": Choice(word=ROLE_KEY),
}


def source_of_state(state: State) -> ViewSource:
    """Return what views of facts are made of, with every fact of a state."""
    return ViewSource(state.policy, state.summary, tuple(state.standings()), state.histories)


def source_of_cache(cache: Cache, names: Iterable[str], facts: Iterable[str] = ()) -> ViewSource:
    """Return what some views are made of.

    `facts` are ids of more facts.
    """
    packed: dict[str, bytes] = {}
    for name in names:
        choice = CHOICES.get(name, Choice())
        if choice.kinds:
            packed.update(
                cache.rows_among("SELECT id, history FROM facts WHERE kind IN (?)", choice.kinds)
            )
        if choice.entities:
            packed.update(cache.rows("SELECT id, history FROM facts WHERE about != ''"))
        if choice.word:
            question = "SELECT id, history FROM facts WHERE instr(history, CAST(? AS BLOB)) > 0"
            packed.update(cache.rows(question, (choice.word,)))
    packed.update(
        cache.rows_among("SELECT id, history FROM facts WHERE id IN (?)", sorted(set(facts)))
    )
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
