"""Find in the cache which facts stand against something, and what footers set against them."""

from __future__ import annotations

from projection.fold.declared_conflicts import opposed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Protocol

    from projection.fold.fact_history import Fact
    from projection.fold.projection_state import Summary

    class Questions(Protocol):
        """What is asked of the cache (`memory.cache.queries`)."""

        opposed: tuple[str, dict[str, tuple[str, ...]]]

        @property
        def summary(self) -> Summary: ...  # noqa: D102
        def column(self, question: str) -> list[Any]: ...  # noqa: D102
        def fact(self, fact: str) -> Fact | None: ...  # noqa: D102
        def alone(self, fact: str) -> Fact | None: ...  # noqa: D102


_MAY_BE = "SELECT id FROM facts WHERE contested"


def contested(cache: Questions) -> Iterator[Fact]:
    """Yield the facts of which something stands against something, by id."""
    for id in sorted({*cache.column(_MAY_BE), *_against(cache)}):
        found = cache.fact(id)
        if found is not None and found.contradicted:
            yield found


def set_against(cache: Questions, fact: Fact) -> Fact:
    """Return a fact with what footers set against it."""
    against = _against(cache).get(fact.id)
    return fact._replace(opposed=against) if against else fact


def _against(cache: Questions) -> dict[str, tuple[str, ...]]:
    """Return what footers set against each other; it holds until there is another log."""
    if cache.opposed[0] != cache.summary.digest:
        facts = [fact for id in cache.column(_MAY_BE) if (fact := cache.alone(id)) is not None]
        cache.opposed = cache.summary.digest, opposed(facts, cache.alone) if facts else {}
    return cache.opposed[1]
