"""Describe facts as `show --json` does: where each stands, how it is known, and whose side comes first."""

from __future__ import annotations

from memory.query.fact_marks import known
from projection.document.fact_remarks import mark_of
from projection.fold.testimony import RANK, persons_first, word_of
from projection.lifecycle.pattern_standing import marked_as
from rituals.answers.json_objects import fact_object, known_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memory.cache.cache_file import Cache
    from memory.replay.reader_marks import Marks
    from projection.document.fact_remarks import Mark, Met
    from projection.fold.fact_history import Fact
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing


def described(
    cache: Cache, state: State, facts: Sequence[Standing], marks: Marks
) -> list[dict[str, Any]]:
    """Describe facts of a state whose logs the cache has; a person's side of two comes first."""

    def fact_of(name: str) -> Fact | None:
        found = state.get(name)
        return None if found is None else found.fact

    def rank(stem: str) -> int:
        return RANK[word_of(cache.entry(stem))]

    facts = [one._replace(fact=persons_first(one.fact, rank)) for one in facts]
    told = known(cache, [one.fact for one in facts])
    met: Met = {}

    def mark(fact: Fact) -> Mark:
        found = marked_as(fact, mark_of(fact, fact_of, met), state.policy.learning)
        return marks.on(found, fact)

    return [
        fact_object(one, mark(one.fact), state.histories.get(one.fact.id))
        | known_object(told[one.fact.id])
        for one in facts
    ]
