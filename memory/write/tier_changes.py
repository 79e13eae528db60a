"""Tell which of the facts that a log names change their tier by it."""

from __future__ import annotations

from memory.cache.cache_file import Cache
from projection.fold.fact_history import History
from projection.fold.fold import resolve
from projection.fold.projection_state import DecayClock
from projection.fold.tiers import never_decaying, tier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def tiers_of(cache: Cache, histories: Mapping[str, History], clock: DecayClock) -> dict[str, str]:
    """Return the tiers of facts at a clock; ids without a text are left out."""
    lasting = never_decaying(cache.policy)
    found: dict[str, str] = {}
    for fact, history in histories.items():
        value = resolve(fact, history, cache.cut)
        if value is not None:
            found[fact] = tier(value, clock, lasting)
    return found


def moves(
    cache: Cache, before: Mapping[str, str], touched: list[str]
) -> tuple[tuple[str, str, str], ...]:
    """Return (id, tier before, tier after) of the facts that a log named and that changed tier.

    The cache has the new log; `before` is the tiers of the facts that it names, before it.
    """
    after = tiers_of(cache, cache.some_histories(touched), cache.clock())
    return tuple(
        (fact, before.get(fact, ""), found)
        for fact, found in after.items()
        if before.get(fact, "") != found
    )
