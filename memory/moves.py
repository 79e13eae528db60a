"""Moves: which facts change tier when a log is added."""

from __future__ import annotations

from memory.cache import Cache
from projection.fact import History
from projection.fold import resolve
from projection.state import DecayClock
from projection.tiers import never_decaying, tier

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
    cache: Cache, before: Mapping[str, str], clock: DecayClock, touched: list[str]
) -> tuple[tuple[str, str, str], ...]:
    """Return (id, tier before, tier after) of the facts that changed tier.

    Args:
        cache: of the ledger with the new log.
        before: tiers of the facts that the log names, before it.
        clock: where the ledger stood before it.
        touched: the ids that the log names.
    """
    after_clock = cache.clock()
    moved = [fact for fact in cache.crossing(clock, after_clock) if fact not in before]
    histories = cache.some_histories([*touched, *moved])
    after = tiers_of(cache, histories, after_clock)
    old = {**tiers_of(cache, {f: histories[f] for f in moved if f in histories}, clock), **before}
    return tuple(
        (fact, old.get(fact, ""), found)
        for fact, found in after.items()
        if old.get(fact, "") != found
    )
