"""Say how far patterns and findings have come: by use, and by what came back."""

from __future__ import annotations

from projection.policy.model import FINDING_KIND, PATTERN_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.cache.cache_file import Cache
    from projection.fold.fact_history import Fact


def states_of(cache: Cache, facts: Iterable[Fact]) -> tuple[dict[str, str], frozenset[str]]:
    """Return what there is to say of some facts, by id, and which patterns did not hold up."""
    patterns, bugs = [], []
    for fact in facts:
        if fact.kind == PATTERN_KIND:
            patterns.append(fact)
        elif fact.kind == FINDING_KIND and not fact.closed:
            bugs.append(fact)
    states = _came_back(cache, bugs) if bugs else {}
    if not patterns:
        return states, frozenset()
    from projection.lifecycle.promotion import DEPRECATED, pattern_standing

    learning = cache.policy.learning
    standings = {fact.id: pattern_standing(fact, learning) for fact in patterns}
    states.update({id: f"standing {how}" for id, how in standings.items()})
    return states, frozenset([id for id, how in standings.items() if how == DEPRECATED])


def _came_back(cache: Cache, bugs: Sequence[Fact]) -> dict[str, str]:
    """Return the open findings that were fixed before, by id, with the word for it."""
    from projection.work.finding_facts import REGRESSED, finding_of

    histories = cache.some_histories([fact.id for fact in bugs])
    found = [finding_of(fact, histories[fact.id]) for fact in bugs]
    return {
        fact.id: REGRESSED
        for fact, finding in zip(bugs, found, strict=True)
        if finding is not None and finding.state == REGRESSED
    }
