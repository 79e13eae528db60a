"""Show what facts are about: all entities, and each with its facts and what it is named together with."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from projection.fold.projection_state import Standing
from projection.graph.graph_neighbours import entity_names, folded
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.fact_filter import filter_bar
from rituals.serve.web.pages.fact_list import SORTS, ordered, page_of, rows_of, sort_of
from rituals.serve.web.tip_view.tip_view import TipView

#: How many entities, facts of one, and related ones are shown.
ENTITIES, FACTS, RELATED = 300, 200, 20
FIELDS = ("kind", "tier", "agent", "person", "role", "since", "until")


def entities(tip: TipView, asked: Asked) -> Page:
    """Return the page of all entities, those with most facts first."""
    found = tip.memory.entities()
    more = max(len(found) - ENTITIES, 0)
    return Page("entities", "Entities", {"entities": found[:ENTITIES], "more": more})


def entity(tip: TipView, asked: Asked) -> Page:
    """Return the page of one entity.

    Raises:
        NotFound: no fact is about it.
    """
    view = tip.memory.entity(asked["name"])
    kept = {"sort": asked.get("sort", "")}
    bar = filter_bar(tip, asked, _address(asked["name"]), FIELDS, kept)
    fits, sort = bar.filter.keeps(tip), asked.get("sort", "")
    found = [one for one in view.standings if fits(one)]
    found = ordered(found, sort_of(asked)) if sort in SORTS else found
    shown, pages = page_of(found, asked, FACTS)
    values = {
        "bar": bar,
        "view": view,
        "facts": shown,
        "rows": rows_of(tip, shown),
        "pages": pages,
        "sort": sort,
        "sorts": {"": "what stands first", **SORTS},
        "related": _related(view.standings, view.name),
    }
    return Page("entity", view.name, values)


def addresses(tip: TipView) -> Iterator[str]:
    """List the addresses of the pages of all entities."""
    for one in tip.memory.entities():
        yield _address(one.name)


def _address(name: str) -> str:
    return f"/entities/{quote(name, safe='', errors='replace')}"


def _related(standings: tuple[Standing, ...], name: str) -> list[tuple[str, int]]:
    """Return what the facts about an entity name beside it, and how many of them; most often first."""
    counts: dict[str, int] = {}
    written: dict[str, str] = {}
    for one in standings:
        for other in entity_names(one.fact):
            key = folded(other)
            if key != folded(name):
                counts[key] = counts.get(key, 0) + 1
                written.setdefault(key, other)
    order = sorted(counts, key=lambda key: (-counts[key], key))
    return [(written[key], counts[key]) for key in order[:RELATED]]
