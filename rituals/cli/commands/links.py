"""Run `diurna show --links` and `--about`: what a fact is linked with, and what facts are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ledger.environment import now_ms
from ledger.model.order import NO_DAY
from projection.document.archive_pages import summary_of
from projection.document.fact_remarks import Mark, some_of
from projection.fold.falsity import CONFLICTS
from projection.fold.projection_state import INVALIDATED, Standing
from projection.graph.entities import EntityView
from projection.graph.fact_links import LINK, SERVES
from projection.graph.graph_neighbours import (
    BOTH,
    COMMIT,
    ENTITY,
    IN,
    INFORMED,
    NEAR,
    OUT,
    SUPERSEDES,
    Links,
    Neighbour,
)
from projection.text.claims import is_hash
from rituals.answers.json_objects import fact_object
from rituals.answers.record_fields import fields_of, mark_object
from rituals.cli.context import Invocation
from rituals.cli.output import Output, counted

_SAID = {
    (SUPERSEDES, OUT): "supersedes", (SUPERSEDES, IN): "superseded by",
    (CONFLICTS, BOTH): "conflicts with",
    (SERVES, OUT): "serves", (SERVES, IN): "served by",
    (INFORMED, OUT): "informed by", (INFORMED, IN): "informed", (INFORMED, BOTH): "helped with",
    (LINK, OUT): "links to", (LINK, IN): "linked from", (COMMIT, OUT): "commit",
}  # fmt: skip


def links(call: Invocation, id: str, hops: int) -> None:
    """Show what a fact is linked with."""
    found = call.memory().links(id, hops)
    if call.json:
        return call.out.answer(_links_object(found))
    _show_links(call.out, found)
    if not found.near and not found.crowds:
        call.out.talk("nothing is linked with it")


def entity(call: Invocation, name: str) -> None:
    """Show all about an entity, or list the names of all."""
    memory, out = call.memory(), call.out
    if name:
        view = memory.entity(name)
        marks = memory.marks([standing.fact for standing in view.standings])
        if call.json:
            out.answer(_view_object(view, marks))
        else:
            _show_entity(out, view, marks)
        return
    found = memory.entities()
    if call.json:
        return out.answer(
            {"entities": [fields_of(one, "name facts false spellings") for one in found]}
        )
    if not found:
        out.talk("no fact names an entity")
        out.hint("a fact's footer says what it is about: `entity: NAME`")
    for one in found:
        false = f", {one.false} of them false" if one.false else ""
        out.line((one.name, "bold"), f"  {counted(one.facts, 'fact')}{false}{_also(one.spellings)}")


def _show_entity(out: Output, view: EntityView, marks: Mapping[str, Mark]) -> None:
    out.line((view.name, "bold"), _also(view.spellings))
    kinds = ", ".join([f"{count} {kind}" for kind, count in view.kinds])
    tiers = ", ".join([f"{count} {tier}" for tier, count in view.tiers])
    out.line(f"{counted(len(view.standings), 'fact')}: {kinds}; {tiers}")
    if view.summary:
        out.heading("stands now")
        for line in view.summary:
            out.line(f"  {line}")
    for standing in view.standings:
        fact = standing.fact.seen(now_ms())
        used = f"{counted(fact.uses, 'use')}, last {fact.last_used}" if fact.uses else "no use"
        out.line("")
        out.line(
            f"{fact.created or NO_DAY}  ",
            (fact.id, "bold"),
            f"  {_place(standing, marks[fact.id])}, {used}",
        )
        out.line(f"  {summary_of(fact)}")
        if fact.origin:
            out.line(("  from ", "dim"), out.short(fact.origin))


def _show_links(out: Output, found: Links) -> None:
    if found.standing is None:
        out.line((found.id, "bold"), "  there is no such fact; only its id is named")
    else:
        out.line((found.id, "bold"), f"  {_place(found.standing, found.mark)}")
        out.line(f"  {summary_of(found.standing.fact)}")
    if found.chains:
        out.heading("purpose")
    for chain in found.chains[:NEAR]:
        out.line(f"  {' → '.join(map(_short, chain))}")
    _tell_more(out, found.chains)
    for title, hop in (
        ("one hop", found.near), ("two hops", found.far), ("three hops", found.farther),
    ):  # fmt: skip
        if hop:
            out.heading(title)
        for one in hop[:NEAR]:
            start = f"{one.via} " if one.via else ""
            end = _end(one, found.id)
            out.line(f"  {start}{_edge(one)} ", (_short(one.id), "bold"), f"  {end}" if end else "")
        _tell_more(out, hop)
    for name, count in found.crowds:
        out.line("")
        out.line(f'{counted(count, "fact")} share {name}: diurna show --about "{name}"')


def _short(name: str) -> str:
    """Return how an end of an edge is printed: a whole commit by its beginning."""
    return name[:7] if len(name) == 40 and is_hash(name) else name


def _tell_more(out: Output, some: Sequence[object]) -> None:
    if len(some) > NEAR:
        out.line(f"  … and {len(some) - NEAR:,} more: --json has all")


def _view_object(view: EntityView, marks: Mapping[str, Mark]) -> dict[str, object]:
    return {
        **fields_of(view, "name spellings summary"),
        "kinds": dict(view.kinds),
        "tiers": dict(view.tiers),
        "facts": [fact_object(one, marks[one.fact.id]) for one in view.standings],
    }


def _links_object(found: Links) -> dict[str, object]:
    return {
        "id": found.id,
        "exists": found.standing is not None,
        **mark_object(found.mark),
        "near": [_neighbour_object(one) for one in found.near],
        "far": [_neighbour_object(one) for one in found.far],
        "farther": [_neighbour_object(one) for one in found.farther],
        "chains": [list(chain) for chain in found.chains],
        "crowds": [{"entity": name, "facts": count} for name, count in found.crowds],
    }


def _neighbour_object(one: Neighbour) -> dict[str, object]:
    standing = one.standing
    return {
        "id": one.id,
        "edge": one.kind,
        "direction": one.direction,
        "entity": one.entity,
        "via": one.via,
        "exists": standing is not None or one.kind == COMMIT,
        "kind": "" if standing is None else standing.fact.kind,
        "tier": "" if standing is None else standing.tier,
        "line": "" if standing is None else summary_of(standing.fact),
        **mark_object(one.mark),
    }


def _edge(one: Neighbour) -> str:
    return f"shares {one.entity} with" if one.kind == ENTITY else _SAID[one.kind, one.direction]


def _end(one: Neighbour, here: str) -> str:
    """Say what is at the other end: that nothing is, what stands instead, or how its text begins."""
    if one.kind == COMMIT:
        return ""
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
