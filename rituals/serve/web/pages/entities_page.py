"""Show what facts are about: all entities, and each with its facts and what it is named together with."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from urllib.parse import quote

from ledger.model.record import Record
from projection.document.fact_remarks import Mark
from projection.fold.projection_state import Standing
from projection.fold.testimony import Testimony
from projection.graph.graph_neighbours import entity_names, folded
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

#: How many entities, facts of one, and related ones are shown.
ENTITIES, FACTS, RELATED = 300, 200, 20


class About(Record):
    """A fact about an entity, what a reader has to know before its text, and how it is known."""

    standing: Standing
    mark: Mark
    known: Testimony


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
    shown = view.standings[:FACTS]
    marks, told = tip.memory.marks([one.fact for one in shown]), tip.known(shown)
    values = {
        "view": view,
        "facts": [About(one, marks[one.fact.id], told[one.fact.id]) for one in shown],
        "more": len(view.standings) - len(shown),
        "command": f"diurna show --about {shlex.quote(view.name)}",
        "related": _related(view.standings, view.name),
    }
    return Page("entity", view.name, values)


def addresses(tip: TipView) -> Iterator[str]:
    """List the addresses of the pages of all entities."""
    for one in tip.memory.entities():
        yield f"/entities/{quote(one.name, safe='', errors='replace')}"


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
