"""List facts: what lives, faded, is false, or was never used; the numbers of Health lead here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from projection.fold.projection_state import BY_HAND, CLOSED, FADED, Standing
from projection.lifecycle.life import Life
from projection.lifecycle.transitions import Fading, fading
from rituals.report.lifecycle_report import Usage
from rituals.serve.web.pages.fact_list import (
    OF_FACTS,
    SORTS,
    FilterBar,
    filter_bar,
    ordered,
    page_of,
    rows_of,
)
from rituals.serve.web.tip_view import Asked, Page, TipView

PATH = "/facts"
FIELDS = (*OF_FACTS, "role")
#: How many facts stand on a page.
FACTS = 100


#: A list: as people call it; what is in it; what tells whether a fact is, by where it stands, its life,
#: how it was met, and how soon it fades; and its usual order.
FactList = tuple[str, str, Callable[[Standing, Life, Usage | None, Fading | None], bool], str]


def _unused(life: Life) -> bool:
    """Tell whether no log uses a fact but the one that it was born in."""
    return life.last <= life.born


#: By what `list` says in the address; "" for all that lives.
LISTS: dict[str, FactList] = {
    "": ("Live", "What holds now and has not faded.", lambda one, *_: one.live, "use"),
    "never": (
        "Never used",
        "Live facts that no session named since the one that recorded them.",
        lambda one, life, *_: one.live and _unused(life), "old",
    ),
    "shown": (
        "Shown, never used",
        "Live facts that sessions were shown at their start, and that no session named.",
        lambda one, life, usage, soon: bool(one.live and _unused(life) and usage and usage.shown), "old",
    ),
    "resting": (
        "Resting",
        "Shown so often since their last use that the start of a session leaves them out.",
        lambda one, life, usage, soon: usage is not None and usage.rests, "use",
    ),
    "fading": (
        "Fading next",
        "What goes to the archive before the next review is due, unless somebody uses it.",
        lambda one, life, usage, soon: soon is not None, "fading",
    ),
    "faded": (
        "Faded", "In the archive, because nobody used it for long or somebody put it away.",
        lambda one, *_: one.reason in (FADED, BY_HAND), "new",
    ),
    "forgotten": (
        "Never used again", "In the archive, and no session named it since the one that recorded it.",
        lambda one, life, *_: life.tier == "archived" and _unused(life), "new",
    ),
    "closed": (
        "Closed", "Threads, tasks and findings that are done, in the archive.",
        lambda one, *_: one.reason == CLOSED, "new",
    ),
    "false": (
        "False now", "Superseded or invalidated: it was held to be true, and is not.",
        lambda one, *_: one.fact.false, "new",
    ),
    "all": ("All", "Every fact, whatever became of it.", lambda *_: True, "new"),
}  # fmt: skip


def facts(tip: TipView, asked: Asked) -> Page:
    """Return the page of a list, as far as the filter leaves it."""
    name = asked.get("list", "") if asked.get("list", "") in LISTS else ""
    title, told, _, usual = LISTS[name]
    sort = asked.get("sort", "") if asked.get("sort", "") in SORTS else usual
    kept = {"list": name, "creator": asked.get("creator", ""), "sort": asked.get("sort", "")}
    bar, tip = filter_bar(tip, asked, PATH, FIELDS, kept)
    soon = _fading(tip)
    found = list(_listed(tip, asked, bar, soon))
    if sort in SORTS:
        found = ordered(found, sort)
    else:
        found.sort(key=lambda one: (soon[one.fact.id].left, soon[one.fact.id].days, one.fact.id))
    shown, pages = page_of(found, asked, FACTS)
    values = {
        "bar": bar,
        "lists": LISTS,
        "list": name,
        "told": told,
        "creator": kept["creator"],
        "sort": sort,
        "sorts": SORTS if usual in SORTS else {usual: "fading next", **SORTS},
        "facts": shown,
        "pages": pages,
        "rows": rows_of(tip, shown),
        "soon": soon if name == "fading" else {},
    }
    return Page("facts", f"Facts: {title[0].lower()}{title[1:]}" if name else "Facts", values)


def listed(tip: TipView, asked: Asked) -> int:
    """Return how many facts there are in the list that an address names."""
    return sum(1 for _ in _listed(tip, asked, FilterBar(PATH, {}, {}, {}), _fading(tip)))


def _fading(tip: TipView) -> dict[str, Fading]:
    found = fading(tip.standings.values(), tip.state.decay, tip.state.policy)
    return {one.id: one for one in found}


def _listed(
    tip: TipView, asked: Asked, bar: FilterBar, soon: dict[str, Fading]
) -> Iterator[Standing]:
    """Yield the facts of the list that an address names, as far as its filter leaves them."""
    keeps, creator, name = bar.keeps(tip), asked.get("creator", ""), asked.get("list", "")
    # a tier of the archive is asked for by its name, as `show --list --tier` is
    test = LISTS["all" if not name and bar.asks("tier") else name if name in LISTS else ""][2]
    false_too = bar.asks("false") and not name
    usage = {one.id: one for one in tip.report.usage}
    for life in tip.report.lives:
        standing = tip.standings.get(life.id)
        if standing is None or not keeps(standing) or creator not in ("", life.agent):
            continue
        fits = test(standing, life, usage.get(life.id), soon.get(life.id))
        if fits or (false_too and standing.fact.false):
            yield standing
