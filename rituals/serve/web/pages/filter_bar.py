"""Read the filter that stands in an address, order what it leaves, and cut it into pages.

Its words mean what the options of `diurna recall` and `show` mean. What an address says wrongly is told on
the page and left out, so that no address is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ledger.errors import DiurnaError
from ledger.model.instants import lies
from ledger.model.record import Record
from projection.fold.fact_history import Fact
from projection.fold.fact_links import footer, matches_entity
from projection.fold.live_view import TIERS, Standing
from projection.views.view_page import ROLE_KEY
from projection.work.tracked_tasks import role_names
from rituals.serve.web.tip_view import Asked, TipView, number_in

#: The fields, in the order in which they are offered; and those that can be asked of logs.
FIELDS = ("kind", "tier", "agent", "person", "role", "entity", "since", "until", "as_of", "false")
OF_LOGS = ("kind", "agent", "person", "since", "until", "as_of")
#: What is offered for a bound of time; each other form of `diurna log --since` is taken, too.
TIMES = ("today", "yesterday", "7d", "30d")
#: The most names that are offered of one field; the others can be typed.
_OFFERED = 100


class FilterBar(Record):
    """A filter as a page shows it: what is asked, what can be, and the addresses that ask otherwise."""

    path: str  #: of the page
    said: Mapping[str, str]  #: what stands in the address, by field, in the order of `FIELDS`
    kept: Mapping[str, str]  #: what else stands there
    offered: Mapping[str, Sequence[str]]  #: the fields, each with what there is
    begin: str = ""  #: where logs since then begin
    end: str = ""  #: where logs until then end
    wrong: Sequence[str] = ()  #: what the address says wrongly, each a sentence

    def query(self, **other: str) -> dict[str, str]:
        """Return what stands in the address, with something else in it; "" takes it out."""
        return {**self.kept, **self.said, **other}

    def asks(self, field: str) -> str:
        """Return what is asked of a field, "" for nothing: that lets everything through."""
        return self.said.get(field, "")

    def keeps_log(self, tip: TipView) -> Callable[[str], bool]:
        """Return what tells of a log, by its key, whether it is of that agent, person and time."""
        agent, person = self.asks("agent"), self.asks("person")
        entries, authors = tip.logs, tip.persons if person else {}

        def keeps(key: str) -> bool:
            entry = entries.get(key)
            if entry is None:
                return not agent and not person and self.begin <= key <= self.end + "~"
            told = agent in ("", entry.agent) and person in ("", authors.get(key))
            return told and lies(key, entry.clock, self.begin, self.end)

        return keeps

    def keeps(self, tip: TipView) -> Callable[[Standing], bool]:
        """Return what tells of a fact whether it fits; whether false ones do is for the list to say."""
        keeps_log = self.keeps_log(tip)
        of_log = bool(self.begin or self.end or self.asks("agent") or self.asks("person"))
        kind, tier, entity, role = map(self.asks, ("kind", "tier", "entity", "role"))

        def keeps(one: Standing) -> bool:
            # of the log of the text that stands, the newest of several
            log = one.fact.heads[-1].stem if one.fact.heads else one.fact.origin
            return (
                kind in ("", one.fact.kind)
                and tier in ("", one.tier)
                and (not entity or matches_entity(one.fact, entity))
                and (not role or bool(role_names(role) & _roles_of(tip, one.fact, log)))
                and (not of_log or keeps_log(log))
            )

        return keeps


def filter_bar(
    tip: TipView,
    asked: Asked,
    path: str,
    fields: Sequence[str] = FIELDS,
    kept: Mapping[str, str] | None = None,
) -> tuple[FilterBar, TipView]:
    """Read the filter of an address, as far as a page has these fields; and what it is of.

    That is the tip, or how it was at a point of the past. `kept` is what else stands in the address.
    """
    said = {name: one for name in FIELDS if name in fields and (one := asked.get(name, "").strip())}
    wrong: list[str] = []
    releases = [name for name, _ in reversed(tip.releases)]
    if "as_of" in said:
        try:
            tip = tip.then(said["as_of"])
            wrong += tip.notes
        except DiurnaError as problem:
            wrong.append(f"{problem.message}: {problem.hint}")
            del said["as_of"]
    offered = {name: names_of(tip, name) for name in FIELDS if name in fields}
    if "as_of" in offered:
        offered["as_of"] = (*releases[:_OFFERED], *TIMES)
    if "false" in said:
        said["false"] = "1"
    for name in ("kind", "tier"):
        if name in said and said[name] not in offered[name]:
            wrong.append(f"There is no {name} {said.pop(name)}: {', '.join(offered[name])}")
    bounds = dict.fromkeys(("since", "until"), "")
    for name in bounds:
        if name in said:
            try:
                found = tip.memory.bounds(**{**bounds, name: said[name]})
                bounds[name] = found[name == "until"]
            except DiurnaError as problem:
                del said[name]
                wrong.append(f"{problem.message}: {problem.hint}")
    kept = {name: one for name, one in (kept or {}).items() if one}
    return FilterBar(path, said, kept, offered, bounds["since"], bounds["until"], wrong), tip


def _roles_of(tip: TipView, fact: Fact, log: str) -> frozenset[str]:
    entry = tip.logs.get(log)
    return role_names(f"{footer(fact, ROLE_KEY)},{entry.role if entry else ''}")


def names_of(tip: TipView, field: str) -> tuple[str, ...]:
    """Return what there is of a field."""
    facts = [one.fact for one in tip.standings.values()]
    found: Iterable[str] = ()
    match field:
        case "kind":
            there = sorted({one.kind for one in facts})
            return tuple(dict.fromkeys([*[one.name for one in tip.state.policy.kinds], *there]))
        case "tier":
            return TIERS
        case "since" | "until":
            return TIMES
        case "entity":
            return tip.entities[:_OFFERED]
        case "agent":
            found = [entry.agent for entry in tip.entries]
        case "person":
            found = tip.persons.values()
        case "role":
            noted = {footer(one, ROLE_KEY) for one in facts}
            found = role_names(",".join([*noted, *{entry.role for entry in tip.entries}]))
    return tuple(sorted(set(found) - {""}, key=str.casefold)[:_OFFERED])


T = TypeVar("T")
#: The orders that an address may ask for, as people call them; the first is the usual one.
SORTS = {
    "use": "most used",
    "unused": "least used",
    "new": "newest",
    "old": "oldest",
    "tier": "tier",
}
_RANK = {tier: rank for rank, tier in enumerate(TIERS)}
#: What sorts facts, by the name of the order; those that are newest first are turned around.
_KEYS: Mapping[str, Callable[[Standing], tuple[object, ...]]] = {
    "use": lambda one: (-one.fact.uses, one.fact.id),
    "unused": lambda one: (one.fact.uses, one.fact.born, one.fact.id),
    "new": lambda one: (one.fact.born, one.fact.id),
    "old": lambda one: (one.fact.born, one.fact.id),
    "tier": lambda one: (_RANK[one.tier], -one.fact.uses, one.fact.id),
}


def ordered(found: Sequence[Standing], sort: str) -> list[Standing]:
    """Return facts in an order of `SORTS`."""
    return sorted(found, key=_KEYS[sort], reverse=sort == "new")


def page_of(found: Sequence[T], asked: Asked, size: int) -> tuple[Sequence[T], dict[str, Any]]:
    """Return the part of a list that an address asks for by `page`, from 1 on; and the others."""
    most = max(-(-len(found) // size), 1)
    page = max(min(number_in(asked, "page", 1), most), 1)
    shown = found[(page - 1) * size : page * size]
    return shown, {
        "first": (page - 1) * size + 1, "last": (page - 1) * size + len(shown), "total": len(found),
        "before": "" if page <= 2 else str(page - 1), "behind": str(page + 1) if page < most else "",
        "at_first": page == 1,
    }  # fmt: skip


def rows_of(tip: TipView, shown: Sequence[Standing]) -> dict[str, Any]:
    """Gather what rows show of facts: how each is known, its marks, and how many sessions lie behind."""
    marks = tip.marks([one.fact for one in shown])
    return {"known": tip.known(shown), "marks": marks, "since": tip.sessions_since}
