"""Order facts as a reader asks, cut a list into pages, and gather what their rows show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ledger.model.record import Record
from projection.document.fact_remarks import Mark
from projection.fold.projection_state import TIERS, Standing
from projection.fold.testimony import Testimony
from rituals.serve.web.page_value import Asked
from rituals.serve.web.tip_view.tip_view import TipView

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
