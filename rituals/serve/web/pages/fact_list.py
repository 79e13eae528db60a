"""Read the filter that stands in an address, order what it leaves, and cut it into pages.

Its words mean what the options of `diurna recall` and `show` mean. What an address says wrongly is told on
the page and left out, so that no address is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from ledger.errors import DiurnaError
from ledger.model.record import Record
from projection.document.fact_remarks import Mark
from projection.fold.projection_state import TIERS, Standing
from projection.fold.testimony import Testimony
from projection.graph.fact_links import footer
from projection.graph.graph_neighbours import matches_entity
from projection.text.role_names import role_names
from projection.views.view_source import ROLE_KEY
from rituals.serve.web.page_value import Asked
from rituals.serve.web.tip_view.tip_view import TipView

#: The fields, in the order in which they are offered, and what stands in an empty one.
FIELDS = {
    "kind": "Kind",
    "tier": "Tier",
    "agent": "Agent",
    "person": "Person",
    "role": "Role",
    "entity": "Entity",
    "since": "Since",
    "until": "Until",
    "as_of": "As of",
    "false": "False too",
}
#: What can be asked of facts, and of the logs of sessions.
OF_FACTS = ("kind", "tier", "agent", "person", "entity", "since", "until", "as_of", "false")
OF_LOGS = ("kind", "agent", "person", "since", "until", "as_of")
#: What is offered for a bound of time; each other form of `diurna log --since` is taken, too.
TIMES = ("today", "yesterday", "7d", "30d", "last week", "last month")
#: The most names that are offered of one field; the others can be typed.
_OFFERED = 100


class FactFilter(Record):
    """What facts, or logs, have to be; whatever is "" lets everything through."""

    kind: str = ""  #: of the fact
    tier: str = ""  #: of it
    agent: str = ""  #: who wrote the log of the text that stands
    person: str = ""  #: who committed that log
    role: str = ""  #: of the fact's own footer, or of that log
    entity: str = ""  #: that the fact is about, in any spelling
    since: str = ""  #: from then on, as it was said
    until: str = ""  #: up to then, as it was said
    as_of: str = ""  #: as the list stood then: a time, a tag, a commit or a log
    false: str = ""  #: superseded and invalidated facts too, where it is "1"
    begin: str = ""  #: where logs since then begin
    end: str = ""  #: where logs until then end
    wrong: tuple[str, ...] = ()  #: what the address says wrongly, each a sentence

    @property
    def said(self) -> dict[str, str]:
        """What stands in the address, by field."""
        return {name: value for name in FIELDS if (value := getattr(self, name))}

    def keeps_log(self, tip: TipView) -> Callable[[str], bool]:
        """Return what tells of a log, by its key, whether it is of that agent, person, role and time."""
        end = self.end + "~" if self.end else ""
        authors = tip.log_writers.persons(tip.log_writers.entries) if self.person else {}

        def keeps(key: str) -> bool:
            entry = tip.log_writers.entries.get(key)
            return (
                (not self.begin or key >= self.begin)
                and (not end or key <= end)
                and (not self.agent or (entry is not None and entry.agent == self.agent))
                and (not self.person or authors.get(key) == self.person)
            )

        return keeps

    def keeps(self, tip: TipView) -> Callable[[Standing], bool]:
        """Return what tells of a fact whether it fits; whether false ones do is for the list to say."""
        keeps_log = self.keeps_log(tip)
        of_log = bool(self.begin or self.end or self.agent or self.person)

        def keeps(one: Standing) -> bool:
            fact = one.fact
            return (
                self.kind in ("", fact.kind)
                and self.tier in ("", one.tier)
                and (not self.entity or matches_entity(fact, self.entity))
                and (not self.role or bool(role_names(self.role) & _roles_of(tip, one)))
                and (not of_log or keeps_log(log_of(one)))
            )

        return keeps


class FilterBar(Record):
    """A filter as a page shows it: what can be asked, what is, and the addresses that ask otherwise."""

    path: str  #: of the page
    filter: FactFilter
    kept: Mapping[str, str]  #: what else stands in the address
    offered: Mapping[str, Sequence[str]]  #: the fields, each with what there is
    empty: Mapping[str, str] = FIELDS  #: what stands in an empty field
    hidden: tuple[str, ...] = ()  #: the fields that are asked elsewhere on the page

    def query(self, **other: str) -> dict[str, str]:
        """Return what stands in the address, with something else in it; "" takes it out."""
        return {**self.kept, **self.filter.said, **other}


def log_of(one: Standing) -> str:
    """Return the key of the log of the text that stands, the newest of several."""
    return one.fact.heads[-1].stem if one.fact.heads else one.fact.origin


def filter_bar(
    tip: TipView,
    asked: Asked,
    path: str,
    fields: Sequence[str] = OF_FACTS,
    kept: Mapping[str, str] | None = None,
) -> tuple[FilterBar, TipView]:
    """Read the filter of an address, as far as a page has these fields; and what it is of.

    That is the tip, or how it was at a point of the past. `kept` is what else stands in the address.
    """
    said = {name: value for name in fields if (value := asked.get(name, "").strip())}
    wrong, releases = [], [name for name, _ in reversed(tip.releases)]
    if "as_of" in said:
        try:
            tip = tip.then(said["as_of"])
        except DiurnaError as problem:
            wrong.append(f"{problem.message}: {problem.hint}")
            del said["as_of"]
    offered = {name: _offered(tip, name) for name in FIELDS if name in fields}
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
    read = FactFilter(**said, begin=bounds["since"], end=bounds["until"], wrong=tuple(wrong))
    kept = {name: one for name, one in (kept or {}).items() if one}
    return FilterBar(path, read, kept, offered), tip


def _roles_of(tip: TipView, one: Standing) -> frozenset[str]:
    entry = tip.log_writers.entries.get(log_of(one))
    return role_names(f"{footer(one.fact, ROLE_KEY)},{entry.role if entry else ''}")


def _offered(tip: TipView, field: str) -> tuple[str, ...]:
    """Return what there is of a field; worked out once for a tip."""
    known = tip.log_writers.offered.get(field)
    if known is None:
        known = tip.log_writers.offered[field] = _NAMES[field](tip) if field in _NAMES else ()
    return known


def _kinds(tip: TipView) -> tuple[str, ...]:
    there = sorted({one.fact.kind for one in tip.standings.values()})
    return tuple(dict.fromkeys([*[one.name for one in tip.state.policy.kinds], *there]))


def _agents(tip: TipView) -> tuple[str, ...]:
    return _sorted([entry.agent for entry in tip.entries])


def _persons(tip: TipView) -> tuple[str, ...]:
    return _sorted(tip.log_writers.persons(tip.log_writers.entries).values())


def _roles(tip: TipView) -> tuple[str, ...]:
    noted = {footer(one.fact, ROLE_KEY) for one in tip.standings.values()}
    return _sorted(role_names(",".join([*noted, *{entry.role for entry in tip.entries}])))


def _entities(tip: TipView) -> tuple[str, ...]:
    return tuple([one.name for one in tip.memory.entities()[:_OFFERED]])


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names) - {""}, key=str.casefold)[:_OFFERED])


_NAMES: dict[str, Callable[[TipView], tuple[str, ...]]] = {
    "kind": _kinds, "tier": lambda tip: TIERS, "agent": _agents, "person": _persons, "role": _roles,
    "entity": _entities, "since": lambda tip: TIMES, "until": lambda tip: TIMES,
}  # fmt: skip


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


class Pages(Record):
    """A part of a long list, and where the others are."""

    first: int  #: the number of its first item, from 1 on
    last: int  #: that of its last one
    total: int  #: how many items there are
    before: str  #: the page before it as an address says it, "" for the first page
    behind: str  #: the page behind it, "" for none
    at_first: bool  #: whether there is none before it


class Rows(Record):
    """What the rows of some facts show beside them."""

    known: Mapping[str, Testimony]  #: how each is known
    marks: Mapping[str, Mark]  #: what has to be known before its text
    since: Callable[[str], int]  #: how many of them lie behind a log


def sort_of(asked: Asked, usual: str = "use") -> str:
    """Return the order that an address asks for; what is none is the usual one."""
    said = asked.get("sort", "")
    return said if said in SORTS else usual


def ordered(found: Sequence[Standing], sort: str) -> list[Standing]:
    """Return facts in an order of `SORTS`."""
    return sorted(found, key=_KEYS[sort], reverse=sort == "new")


def page_of(found: Sequence[T], asked: Asked, size: int) -> tuple[Sequence[T], Pages]:
    """Return the part of a list that an address asks for by `page`, from 1 on."""
    said = asked.get("page", "")
    most = max(-(-len(found) // size), 1)
    page = min(int(said), most) if said.isascii() and said.isdigit() and len(said) < 8 else 1
    begin = (max(page, 1) - 1) * size
    shown = found[begin : begin + size]
    page = begin // size + 1
    before = "" if page <= 2 else str(page - 1)
    behind = str(page + 1) if page < most else ""
    return shown, Pages(begin + 1, begin + len(shown), len(found), before, behind, page == 1)


def rows_of(tip: TipView, shown: Sequence[Standing]) -> Rows:
    """Gather what the rows of facts show."""
    return Rows(tip.known(shown), tip.marks([one.fact for one in shown]), tip.sessions_since)
