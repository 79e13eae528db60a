"""Gather what a brief says of other homes: the top of the user's own, the invariants of those upstream."""

from __future__ import annotations

from projection.brief.choice import DAYS, invariants, yours
from projection.brief.values import Beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.cache.cache_file import Cache
    from memory.replay.upstream_homes import Layer
    from projection.fold.projection_state import Standing


def beside(layers: Iterable[Layer]) -> tuple[Beside, ...]:
    """Return what some homes, nearest first, say; those that say nothing are left out."""
    found = [Beside(one.name, _foremost(one), one.personal, one.fetched) for one in layers]
    return tuple([one for one in found if one.facts])


def _foremost(layer: Layer) -> tuple[Standing, ...]:
    def ask(cache: Cache) -> tuple[Standing, ...]:
        live = cache.view().live
        if layer.personal:
            return yours(live, cache.work_dates(DAYS))
        return invariants(live)

    nothing: tuple[Standing, ...] = ()
    return tuple(
        [
            one._replace(fact=one.fact._replace(id=layer.named(one.fact.id)))
            for one in layer.ask(ask, nothing)
        ]
    )
