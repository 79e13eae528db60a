"""Gather all that memory holds about an entity, with a summary of what stands now.

Pure and by rules alone: every line of a summary is the beginning of a fact's own text.
"""

from __future__ import annotations

from collections import Counter

from ledger.model.record import TYPE_CHECKING, Record
from projection.document.archive_pages import summary_of
from projection.fold.fact_links import entity_names, folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeVar

    from projection.fold.fact_history import Fact
    from projection.fold.live_view import Standing

    Value = TypeVar("Value", int, str)

SUMMARY_LINES = 3


class Entity(Record):
    """An entity in a list."""

    name: str  #: as most often written
    facts: int  #: how many facts are about it
    false: int  #: how many of them are superseded or invalidated
    spellings: tuple[str, ...]  #: every way in which it is written, most often first


class EntityView(Record):
    """All that memory holds about an entity."""

    name: str  #: as most often written
    spellings: tuple[str, ...]  #: every way in which it is written, most often first
    summary: tuple[str, ...]  #: up to three lines: what stands now, newest and most used first
    kinds: tuple[tuple[str, int], ...]  #: (kind, how many facts), most first
    tiers: tuple[tuple[str, int], ...]  #: (tier, how many facts), most first
    #: the facts, what stands first, then what is archived; the newest first
    standings: tuple[Standing, ...]


def entities_of(counts: Iterable[tuple[tuple[str, ...], int, int]]) -> tuple[Entity, ...]:
    """List entities, those with most facts first.

    Args:
        counts: names that stand together in footers, how many footers hold just these, how many of
            those belong to false facts.
    """
    spellings: dict[str, Counter[str]] = {}
    totals: dict[str, tuple[int, int]] = {}
    for names, facts, false in counts:
        for name in names:
            known = folded(name)
            spellings.setdefault(known, Counter())[name] += facts
            before = totals.get(known, (0, 0))
            totals[known] = before[0] + facts, before[1] + false
    found = []
    for known in sorted(totals, key=lambda one: (-totals[one][0], one)):
        ways = _by_count(spellings[known])
        found.append(Entity(ways[0][0], *totals[known], tuple([way for way, _ in ways])))
    return tuple(found)


def view_of(name: str, standings: Iterable[Standing]) -> EntityView:
    """Gather what facts say about an entity, in any spelling; each fact comes once, in any order."""
    wanted = folded(name)
    newest = sorted(standings, key=lambda one: one.fact.id)
    newest.sort(key=lambda one: one.fact.created, reverse=True)
    written = [name for one in newest for name in entity_names(one.fact) if folded(name) == wanted]
    kinds, tiers = Counter([one.fact.kind for one in newest]), Counter([one.tier for one in newest])
    ways = tuple([way for way, _ in _by_count(Counter(written))])
    return EntityView(
        ways[0] if ways else name, ways, summarised(newest), _by_count(kinds), _by_count(tiers),
        tuple([one for one in newest if one.live] + [one for one in newest if not one.live]),
    )  # fmt: skip


def summarised(standings: Sequence[Standing]) -> tuple[str, ...]:
    """Say in up to three lines what stands now: newest and most used first, the two ranks added.

    What is archived, done or withheld is left out. A dispute is said with every side of it.
    """
    stand = [one for one in standings if one.live and not (one.fact.redacted or one.fact.closed)]
    stand.sort(key=lambda one: one.fact.id)
    by_use = _places([one.fact.uses for one in stand])
    by_date = _places([_written(one.fact) for one in stand])
    stand.sort(key=lambda one: by_use[one.fact.uses] + by_date[_written(one.fact)])
    return tuple([summary_of(one.fact) for one in stand[:SUMMARY_LINES]])


def _places(values: Sequence[Value]) -> dict[Value, int]:
    """Return how many of the values are greater, for each of them."""
    places: dict[Value, int] = {}
    for place, value in enumerate(sorted(values, reverse=True)):
        places.setdefault(value, place)
    return places


def _written(fact: Fact) -> str:
    """Return the date of the newest text that stands; a first one is as old as the fact."""
    return max(fact.clock(head.stem)[:10] if head.parents else fact.created for head in fact.heads)


def _by_count(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
