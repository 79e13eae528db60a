"""Show what holds now: the live facts, by the sections of the policy, and what needs somebody."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from projection.document.page_renderer import section_title
from projection.fold.projection_state import ARCHIVED_TIERS, TIERS, Standing
from projection.lifecycle.review_due import pressing
from rituals.decide.fact_status import due
from rituals.serve.web.pages.fact_list import OF_FACTS, SORTS, filter_bar, ordered, rows_of
from rituals.serve.web.tip_view import Asked, Page, TipView

#: How many facts stand on the page unless all of a section or a tier are asked for.
_MOST = 50
LIVE_TIERS = tuple([tier for tier in TIERS if tier not in ARCHIVED_TIERS])
FIELDS = (*OF_FACTS, "role")
#: What stands above the false facts, where they are asked for too.
FALSE = "False now"


#: Facts below one heading: its title, as the policy has it, and the facts.
Section = tuple[str, list[Standing]]


def now(tip: TipView, asked: Asked) -> Page:
    """Return the page of what holds."""
    words, title, sort = (asked.get(name, "") for name in ("q", "section", "sort"))
    kept = {"q": words, "section": title, "sort": sort, "rows": asked.get("rows", "")}
    sort = sort if sort in SORTS else "use"
    bar, tip = filter_bar(tip, asked, "/", FIELDS, kept)
    bar = bar._replace(hidden=("tier",))
    wanted, fits = words.lower().split(), bar.keeps(tip)
    false = [one for one in tip.standings.values() if one.fact.false] if bar.asks("false") else []
    found = [
        (section, fitting)
        for section, facts in (*sections_of(tip), (FALSE, false))
        if title in ("", section)
        and (fitting := [one for one in facts if fits(one) and _has(one, wanted)])
    ]
    count = sum(len(facts) for _, facts in found)
    chosen = bool(words or title or bar.said)
    each = count if chosen else _each([len(facts) for _, facts in found])
    # the usual order has what HEAD lacks behind the rest
    shown = [
        (name, (facts if sort == "use" else ordered(facts, sort))[:each], len(facts))
        for name, facts in found
    ]
    view = tip.state.view()
    since = len(tip.state.work) - bisect_right(tip.state.work, tip.state.summary.last_review)
    values = {
        "bar": bar,
        "sections": shown,
        "rows": rows_of(tip, [one for _, facts, _ in shown for one in facts]),
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
        "review": pressing(since, view, tip.state.policy.review),
    }
    return Page("now", "Now", values)


def sections_of(tip: TipView) -> Iterable[Section]:
    """Yield the live facts by section, as `continuity.md` has them, the most used first."""
    here, now = tip.here(), tip.memory.occasion().now_ms
    view = tip.memory.ask(lambda cache: here.view(cache, tip.state.view()))
    groups: dict[str, list[Standing]] = {
        section_title(view.policy, one.name): [] for one in view.policy.kinds
    }
    for one in view.live:
        standing = one._replace(fact=one.fact.seen(now))
        groups.setdefault(section_title(view.policy, standing.fact.kind), []).append(standing)
    for title, found in groups.items():
        found.sort(key=lambda one: (here.lacks(one.fact), -one.fact.uses, one.fact.id))
        yield title, found


def _has(one: Standing, words: list[str]) -> bool:
    """Tell whether all words stand in a fact."""
    said = f"{one.fact.id} {one.fact.text}".lower()
    return all(word in said for word in words)


def _each(counts: list[int]) -> int:
    """Return how many of each section fit on the page."""
    each = max(counts, default=0)
    while each > 1 and sum([min(count, each) for count in counts]) > _MOST:
        each -= 1
    return each
