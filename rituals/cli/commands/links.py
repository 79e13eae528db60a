"""Run `diurna show --links` and `--about`: what a fact is linked with, and what facts are about."""

from __future__ import annotations

from memory import entities
from memory import entity as entity_view
from memory import links as links_of
from projection.document.archive_pages import summary_of
from projection.document.fact_remarks import Mark, some_of
from projection.fold.fact_links import LINK, SERVES
from projection.fold.falsity import CONFLICTS
from projection.fold.live_view import INVALIDATED, Standing
from projection.graph.graph_neighbours import BOTH, ENTITY, IN, INFORMED, OUT, SUPERSEDES, Neighbour
from rituals.answers.fact_objects import fact_object
from rituals.answers.record_to_dict import fields_of, mark_object
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout

_SAID = {
    (SUPERSEDES, OUT): "supersedes", (SUPERSEDES, IN): "superseded by",
    (CONFLICTS, BOTH): "conflicts with",
    (SERVES, OUT): "serves", (SERVES, IN): "served by",
    (INFORMED, OUT): "informed by", (INFORMED, IN): "informed", (INFORMED, BOTH): "helped with",
    (LINK, OUT): "links to", (LINK, IN): "linked from",
}  # fmt: skip
_LINKS = Layout("""
{id:bold}  {=end}
  {=line}
  purpose: {=purpose}
near:100|# linked
near:100|  {=said} {id:bold}[  {=end}]
crowds|
crowds|{facts#fact} share {entity}: diurna show --about "{entity}"
!near|!crowds|nothing is linked with it
""")
_NAMES = Layout("entities|{name:bold}  {facts#fact}[, {false} of them false][  (also {=also})]")
_ABOUT = Layout("""
{name:bold}[  (also {=also})]
{=facts#fact}: {=kinds}; {=tiers}
summary|# stands now
summary|  {}
facts|
facts|{created|0000-00-00}  {id:bold}  {=end}, {uses#use}[, last {=last}]
facts|  {=line}
facts|  from {origin~}
""")


def links(call: Invocation, id: str) -> None:
    """Show what a fact is linked with."""
    found = links_of(call.memory(), id)
    whole = found.standing
    end = _placed(whole, found.mark) if whole else "there is no such fact; only its id is named"
    call.answer(
        {
            **fields_of(found, "id purpose"),
            "exists": whole is not None,
            **mark_object(found.mark),
            "near": [_neighbour(one, found.id) for one in found.near],
            "crowds": [{"entity": name, "facts": count} for name, count in found.crowds],
            "=end": end,
            "=line": summary_of(whole.fact) if whole else "",
            "=purpose": " → ".join((*found.purpose[::-1], found.id)) if found.purpose else "",
        },
        _LINKS,
    )


def entity(call: Invocation, name: str) -> None:
    """Show all about an entity, or list the names of all."""
    memory = call.memory()
    if not name:
        found = [
            {**fields_of(one, "name facts false spellings"), "=also": one.spellings[1:]}
            for one in memory.ask(entities)
        ]
        hint = "a fact's footer says what it is about: `entity: NAME`"
        return call.answer(
            {"entities": found}, _NAMES, nothing="no fact names an entity",
            hints=() if found else (hint,),
        )  # fmt: skip
    view = entity_view(memory, name)
    marks = memory.marks([standing.fact for standing in view.standings])
    facts = [
        {
            **(told := fact_object(one, marks[one.fact.id])),
            "=end": _placed(one, marks[one.fact.id]),
            "=line": summary_of(one.fact),
            "=last": told["last_used"] if told["uses"] else "",
        }
        for one in view.standings
    ]
    counts = {name: dict(getattr(view, name)) for name in ("kinds", "tiers")}
    said = {
        f"={key}": [f"{n} {name}" for name, n in found.items()] for key, found in counts.items()
    }
    call.answer(
        {
            **fields_of(view, "name spellings summary"),
            **counts,
            "facts": facts,
            **said,
            "=also": view.spellings[1:],
            "=facts": len(facts),
        },
        _ABOUT,
    )


def _neighbour(one: Neighbour, here: str) -> dict[str, object]:
    """Describe the other end of an edge, and say of it what is at that end."""
    standing, mark = one.standing, one.mark
    end = "there is no such fact"
    if standing is not None:
        place = standing.tier
        if mark.false and not standing.fact.superseded_by:
            place = INVALIDATED
        elif mark.false and one.instead != (here,):
            place += f", {some_of(one.instead, ' and ') or 'nothing'} stands instead"
        elif mark.closed:
            place += ", closed"
        end = f"{place} — {summary_of(standing.fact)}"
    shares = f"shares {one.entity} with"
    return {
        **fields_of(one, "id edge=kind direction entity"),
        "exists": standing is not None,
        "kind": "" if standing is None else standing.fact.kind,
        "tier": "" if standing is None else standing.tier,
        "line": "" if standing is None else summary_of(standing.fact),
        **mark_object(mark),
        "=said": shares if one.kind == ENTITY else _SAID[one.kind, one.direction],
        "=end": end,
    }


def _placed(standing: Standing, mark: Mark) -> str:
    """Say the kind of a fact and where it stands."""
    said = mark.said if mark.false else standing.tier
    return f"{standing.fact.kind}, {said}{', closed' if mark.closed and not mark.false else ''}"
