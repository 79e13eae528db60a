"""Run `diurna show --links` and `--about`: what a fact is linked with, and what facts are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ledger.environment import now_ms
from ledger.model.order import NO_DAY
from memory.query import entity_graph as query
from projection.document.archive_pages import summary_of
from projection.document.fact_remarks import Mark, some_of
from projection.fold.falsity import CONFLICTS
from projection.fold.projection_state import INVALIDATED, Standing
from projection.graph.entities import EntityView
from projection.graph.fact_links import LINK, SERVES
from projection.graph.graph_neighbours import (
    BOTH,
    ENTITY,
    IN,
    INFORMED,
    NEAR,
    OUT,
    SUPERSEDES,
    Links,
    Neighbour,
)
from rituals.answers.json_objects import fact_object
from rituals.answers.record_fields import fields_of, mark_object
from rituals.cli.context import Invocation
from rituals.cli.output import Line, Output, counted, heading, some

_SAID = {
    (SUPERSEDES, OUT): "supersedes", (SUPERSEDES, IN): "superseded by",
    (CONFLICTS, BOTH): "conflicts with",
    (SERVES, OUT): "serves", (SERVES, IN): "served by",
    (INFORMED, OUT): "informed by", (INFORMED, IN): "informed", (INFORMED, BOTH): "helped with",
    (LINK, OUT): "links to", (LINK, IN): "linked from",
}  # fmt: skip


def links(call: Invocation, id: str) -> None:
    """Show what a fact is linked with."""
    found = query.links(call.memory(), id)
    call.answer(lambda: _links_object(found), _links(found))
    if not (found.near or found.crowds or call.json):
        call.out.talk("nothing is linked with it")


def entity(call: Invocation, name: str) -> None:
    """Show all about an entity, or list the names of all."""
    memory = call.memory()
    if name:
        view = query.entity(memory, name)
        marks = memory.marks([standing.fact for standing in view.standings])
        return call.answer(lambda: _view_object(view, marks), _view(view, marks, call.out))
    found = memory.ask(query.entities)
    lines: list[Line] = []
    for one in found:
        false = some((one.false, f", {one.false} of them false"))
        said = f"  {counted(one.facts, 'fact')}{false}{_also(one.spellings)}"
        lines.append(((one.name, "bold"), said))
    call.answer(
        {"entities": [fields_of(one, "name facts false spellings") for one in found]}, lines,
        nothing="no fact names an entity",
        hints=() if found else ("a fact's footer says what it is about: `entity: NAME`",),
    )  # fmt: skip


def _view(view: EntityView, marks: Mapping[str, Mark], out: Output) -> Iterator[Line]:
    yield (view.name, "bold"), _also(view.spellings)
    kinds = ", ".join([f"{count} {kind}" for kind, count in view.kinds])
    tiers = ", ".join([f"{count} {tier}" for tier, count in view.tiers])
    yield f"{counted(len(view.standings), 'fact')}: {kinds}; {tiers}"
    if view.summary:
        yield heading("stands now")
    yield from [f"  {line}" for line in view.summary]
    for standing in view.standings:
        fact = standing.fact.seen(now_ms())
        used = f"{counted(fact.uses, 'use')}, last {fact.last_used}" if fact.uses else "no use"
        place = f"  {_place(standing, marks[fact.id])}, {used}"
        yield f"\n{fact.created or NO_DAY}  ", (fact.id, "bold"), place
        yield f"  {summary_of(fact)}"
        if fact.origin:
            yield ("  from ", "dim"), out.short(fact.origin)


def _view_object(view: EntityView, marks: Mapping[str, Mark]) -> dict[str, object]:
    return {
        **fields_of(view, "name spellings summary"),
        "kinds": dict(view.kinds),
        "tiers": dict(view.tiers),
        "facts": [fact_object(one, marks[one.fact.id]) for one in view.standings],
    }


def _links(found: Links) -> Iterator[Line]:
    if found.standing is None:
        yield (found.id, "bold"), "  there is no such fact; only its id is named"
    else:
        yield (found.id, "bold"), f"  {_place(found.standing, found.mark)}"
        yield f"  {summary_of(found.standing.fact)}"
    if found.purpose:
        yield f"  purpose: {' → '.join((*found.purpose[::-1], found.id))}"
    for title, hop in (("one hop", found.near), ("two hops", found.far)):
        if hop:
            yield heading(title)
            yield from [_neighbour(one, found.id) for one in hop[:NEAR]]
        if len(hop) > NEAR:
            yield f"  … and {len(hop) - NEAR:,} more: --json has all"
    for name, count in found.crowds:
        yield f'\n{counted(count, "fact")} share {name}: diurna show --about "{name}"'


def _neighbour(one: Neighbour, here: str) -> Line:
    edge = f"shares {one.entity} with" if one.kind == ENTITY else _SAID[one.kind, one.direction]
    end = _end(one, here)
    start = f"  {one.via} {edge} " if one.via else f"  {edge} "
    return start, (one.id, "bold"), f"  {end}"


def _links_object(found: Links) -> dict[str, object]:
    return {
        "id": found.id,
        "exists": found.standing is not None,
        **mark_object(found.mark),
        "purpose": found.purpose,
        "near": [_neighbour_object(one) for one in found.near],
        "far": [_neighbour_object(one) for one in found.far],
        "crowds": [{"entity": name, "facts": count} for name, count in found.crowds],
    }


def _neighbour_object(one: Neighbour) -> dict[str, object]:
    standing = one.standing
    return {
        **fields_of(one, "id edge=kind direction entity via"),
        "exists": standing is not None,
        "kind": "" if standing is None else standing.fact.kind,
        "tier": "" if standing is None else standing.tier,
        "line": "" if standing is None else summary_of(standing.fact),
        **mark_object(one.mark),
    }


def _end(one: Neighbour, here: str) -> str:
    """Say what is at the other end: that nothing is, what stands instead, or how its text begins."""
    if one.standing is None:
        return "there is no such fact"
    place = one.standing.tier
    if one.mark.false and not one.standing.fact.superseded_by:
        place = INVALIDATED
    elif one.mark.false and one.instead != (here,):
        place += f", {some_of(one.instead, ' and ') or 'nothing'} stands instead"
    elif one.mark.closed:
        place += ", closed"
    return f"{place} — {summary_of(one.standing.fact)}"


def _place(standing: Standing, mark: Mark) -> str:
    """Say the kind of a fact and where it stands."""
    said = mark.said if mark.false else standing.tier
    return f"{standing.fact.kind}, {said}{', closed' if mark.closed and not mark.false else ''}"


def _also(spellings: tuple[str, ...]) -> str:
    return f"  (also {', '.join(spellings[1:])})" if len(spellings) > 1 else ""
