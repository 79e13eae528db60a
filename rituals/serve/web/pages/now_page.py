"""Show what holds now: the live facts, by the sections of the policy, and what needs somebody."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from ledger.model.record import Record
from projection.document.page_renderer import section_title
from projection.fold.projection_state import ARCHIVED_TIERS, TIERS, Standing
from projection.lifecycle.review_due import pressing, spelled_out
from rituals.decide.confirmation import due
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.fact_list import OF_FACTS, SORTS, filter_bar, ordered, rows_of, sort_of
from rituals.serve.web.tip_view.tip_view import TipView

#: How many facts stand on the page unless all of a section or a tier are asked for.
_MOST = 50
LIVE_TIERS = tuple([tier for tier in TIERS if tier not in ARCHIVED_TIERS])
FIELDS = (*OF_FACTS, "role")
#: What stands above the false facts, where they are asked for too.
FALSE = "False now"


class Section(Record):
    """Facts below one heading."""

    title: str  #: as the policy has it
    facts: tuple[Standing, ...]  #: that are shown
    total: int  #: how many there are


def now(tip: TipView, asked: Asked) -> Page:
    """Return the page of what holds."""
    words, title, sort = asked.get("q", ""), asked.get("section", ""), sort_of(asked)
    kept = {
        "q": words,
        "section": title,
        "sort": asked.get("sort", ""),
        "rows": asked.get("rows", ""),
    }
    bar, tip = filter_bar(tip, asked, "/", FIELDS, kept)
    bar = bar._replace(hidden=("tier",))
    wanted = words.lower().split()
    sections = [*sections_of(tip), *([_false(tip)] if bar.filter.false else [])]
    fits = bar.filter.keeps(tip)
    found = [
        fitting
        for section in sections
        if title in ("", section.title) and (fitting := _only(section, wanted, fits)).total
    ]
    count = sum(section.total for section in found)
    chosen = bool(words or title or bar.filter.said)
    each = count if chosen else _each([section.total for section in found])
    shown = [section._replace(facts=_sorted(section, sort)[:each]) for section in found]
    view = tip.state.view()
    since = len(tip.work) - bisect_right(tip.work, tip.state.summary.last_review)
    values = {
        "bar": bar,
        "sections": shown,
        "rows": rows_of(tip, [one for section in shown for one in section.facts]),
        "elsewhere": tip.here().line,
        "count": count,
        "chosen": chosen,
        "q": words,
        "sort": sort,
        "sorts": SORTS,
        "loose": kept["rows"] == "loose",
        "tiers": dict(zip(LIVE_TIERS, view.tiers, strict=False)),
        "contradicted": len(view.contradicted),
        "unconfirmed": len(due(tip.state)),
        "review": spelled_out(pressing(since, view, tip.state.policy.review)),
    }
    return Page("now", "Now", values)


def sections_of(tip: TipView) -> Iterable[Section]:
    """Yield the live facts by section, as `continuity.md` has them, the most used first."""
    here = tip.here()
    view = tip.memory.ask(lambda cache: here.view(cache, tip.state.view()))
    groups: dict[str, list[Standing]] = {
        section_title(view.policy, one.name): [] for one in view.policy.kinds
    }
    for standing in view.live:
        groups.setdefault(section_title(view.policy, standing.fact.kind), []).append(standing)
    for title, found in groups.items():
        found.sort(key=lambda one: (here.lacks(one.fact), -one.fact.uses, one.fact.id))
        yield Section(title, tuple(found), len(found))


def _sorted(section: Section, sort: str) -> tuple[Standing, ...]:
    """Put the facts of a section in order; the usual one has what HEAD lacks behind the rest."""
    return section.facts if sort == "use" else tuple(ordered(section.facts, sort))


def _false(tip: TipView) -> Section:
    found = tuple([one for one in tip.standings.values() if one.fact.false])
    return Section(FALSE, found, len(found))


def _only(section: Section, words: list[str], fits: Callable[[Standing], bool]) -> Section:
    """Leave the facts that fit and in which all words stand."""
    found = tuple(
        one
        for one in section.facts
        if fits(one) and all(word in f"{one.fact.id} {one.fact.text}".lower() for word in words)
    )
    return Section(section.title, found, len(found))


def _each(counts: list[int]) -> int:
    """Return how many of each section fit on the page."""
    each = max(counts, default=0)
    while each > 1 and sum([min(count, each) for count in counts]) > _MOST:
        each -= 1
    return each
