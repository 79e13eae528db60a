"""List facts: what holds now, every other list of them, and what was decided week by week."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

from ledger.environment import local_day
from ledger.model.event import facts_in
from ledger.model.instants import lies
from ledger.model.log_names import is_date, stem_in
from memory import Here, deeds, here_of, status_of
from projection.document.page_renderer import section_title
from projection.fold.fact_links import footer
from projection.fold.live_view import (
    ARCHIVED_TIERS,
    BY_HAND,
    CLOSED,
    FADED,
    TIERS,
    Standing,
)
from projection.lifecycle.tier_changes import fading
from projection.views.decision_view import KIND, Change, changes, status
from projection.views.view_page import ROLE_KEY
from rituals.report.lifecycle_report import Usage
from rituals.serve.web.pages.filter_bar import (
    SORTS,
    FilterBar,
    filter_bar,
    ordered,
    page_of,
    rows_of,
)
from rituals.serve.web.tip_view import Asked, Page, TipView

#: How many facts stand on the first page and on one of a list; decisions on one, and names above them.
_MOST, _FACTS, _DECISIONS, _NAMES = 50, 100, 50, 12


def now(tip: TipView, asked: Asked) -> Page:
    """Return the page of what holds, and of what needs somebody; of what is asked for, the list."""
    if asked.keys() - {"done"}:
        return facts(tip, asked)
    bar, _ = filter_bar(tip, asked, "/facts")
    here = tip.memory.ask(lambda cache: here_of(tip.memory.home, cache))
    sections = [(title, found) for title, found in _sections(tip, here) if found]
    each = _MOST
    while each > 1 and sum([min(len(found), each) for _, found in sections]) > _MOST:
        each -= 1
    due = tip.memory.ask(status_of)
    there = Counter([one.tier for one in tip.standings.values() if one.live])
    tiers = {tier: there[tier] for tier in TIERS if tier not in ARCHIVED_TIERS}
    values = {
        "bar": bar,
        "sections": sections,
        "each": each,
        "rows": rows_of(tip, [one for _, found in sections for one in found[:each]]),
        "elsewhere": here.line,
        "sorts": SORTS,
        "tiers": tiers,
        "known": bool(tip.standings),
        "holds": sum(tiers.values()),
        "week": week(tip),
        "contradicted": len(due.contradicted),
        "unconfirmed": len(due.unconfirmed),
        "review": next(iter(due.due), ""),
    }
    return Page("now", "Now", values)


def week(tip: TipView) -> list[tuple[str, int]]:
    """Return who changed how many facts in the last seven days, most first."""
    begin, end = tip.memory.bounds("7d", "")
    logs = [one for one in tip.entries if one.acts and lies(one.stem, one.clock, begin, end)]
    writers = tip.writers([stem_in(one.stem) for one in logs]) if logs else {}
    changed: dict[str, set[str]] = {}
    for one in logs:
        if origin := writers.get(stem_in(one.stem)):
            facts = changed.setdefault(origin.author or one.agent or "somebody", set())
            facts.update([fact for event in one.acts for fact in facts_in(event)])
    return sorted(
        [(name, len(facts)) for name, facts in changed.items()], key=lambda one: (-one[1], one[0])
    )


def _sections(tip: TipView, here: Here) -> Iterator[tuple[str, list[Standing]]]:
    """Yield the live facts by section, as `continuity.md` has them, the most used first."""
    now = tip.memory.occasion().now_ms
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


#: A list: as people call it; what is in it; what tells whether a fact is, by where it stands, how it was
#: met, and whether no log uses it but the one that it was born in; and its usual order.
FactList = tuple[str, str, Callable[[Standing, Usage | None, bool], bool], str]
#: By what `list` says in the address; "" for all that lives.
LISTS: dict[str, FactList] = {
    "": ("Live", "What holds and has not faded.", lambda one, *_: one.live, "use"),
    "never": (
        "Never used", "Live facts that no session named since the one that recorded them.",
        lambda one, usage, unused: one.live and unused, "old",
    ),
    "resting": (
        "Resting", "Shown so often since their last use that the start of a session leaves them out.",
        lambda one, usage, unused: usage is not None and usage.rests, "use",
    ),
    "fading": (
        "Fading next",
        "What goes to the archive before the next review is due, unless somebody uses it.",
        lambda *_: True, "fading",
    ),
    "faded": (
        "Faded", "In the archive, because nobody used it for long or somebody put it away.",
        lambda one, *_: one.reason in (FADED, BY_HAND), "new",
    ),
    "forgotten": (
        "Never used again", "In the archive, and no session named it since the one that recorded it.",
        lambda one, usage, unused: one.tier == "archived" and unused, "new",
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
    words, sort, creator = (asked.get(field, "") for field in ("q", "sort", "creator"))
    kept = {"q": words, "list": name, "creator": creator, "sort": sort}
    bar, tip = filter_bar(tip, asked, "/facts", kept=kept)
    # a tier of the archive is asked for by its name, as `show --list --tier` is
    lists = ["all" if not name and bar.asks("tier") in ARCHIVED_TIERS else name]
    lists += ["false"] * (bool(bar.asks("false")) and not name)
    every = {one.fact.id: one for some in lists for one in listed(tip, some, creator)}.values()
    of_any_tier = bar._replace(said={**bar.said, "tier": ""}).keeps(tip)
    tier, wanted = bar.asks("tier"), words.lower().split()
    found = [
        one
        for one in every
        if of_any_tier(one)
        and all(word in f"{one.fact.id} {one.fact.text}".lower() for word in wanted)
    ]
    there = Counter([one.tier for one in found])
    found = [one for one in found if tier in ("", one.tier)]
    sort = sort if sort in SORTS else usual
    shown, pages = page_of(ordered(found, sort) if sort in SORTS else found, asked, _FACTS)
    values = {
        "bar": bar, "lists": LISTS, "list": name, "told": told, "creator": creator, "sort": sort,
        "sorts": {usual: SORTS.get(usual, "fading next"), **SORTS}, "q": words,
        "facts": shown, "pages": pages, "rows": rows_of(tip, shown),
        "tiers": {tier: there[tier] for tier in TIERS},
    }  # fmt: skip
    return Page("facts", f"Facts: {title[0].lower()}{title[1:]}" if name else "Facts", values)


def listed(tip: TipView, name: str, creator: str = "") -> Iterator[Standing]:
    """Yield the facts of a list, all or those that an agent created; what fades next goes first."""
    lives = {one.id: one for one in tip.report.lives}
    usage = {one.id: one for one in tip.report.usage}
    soon = fading(tip.standings.values(), tip.state.decay, tip.state.policy)
    for id in [one.id for one in soon] if name == "fading" else lives:
        life, standing = lives.get(id), tip.standings.get(id)
        if life and standing and creator in ("", life.agent):
            if LISTS[name][2](standing, usage.get(id), life.last <= life.born):
                yield standing


#: What the filter of decisions asks for.
_DECIDED = ("kind", "agent", "person", "role", "entity", "since", "until", "as_of")


def decisions(tip: TipView, asked: Asked) -> Page:
    """Return the page of what was decided and changed, whatever holds by now."""
    bar, tip = filter_bar(tip, asked, "/decisions", _DECIDED)
    found = sorted(_decided(tip, bar), key=lambda one: one["order"], reverse=True)
    shown, pages = page_of(found, asked, _DECISIONS)
    counts = Counter([one["monday"] for one in found])
    weeks: dict[date | None, list[dict[str, Any]]] = {}
    for one in shown:
        weeks.setdefault(one["monday"], []).append(one)
    values = {
        "bar": bar,
        "pages": pages,
        "weeks": weeks,
        "counts": counts,
        "persons": Counter(filter(None, [one["person"] for one in found])).most_common(_NAMES),
        "agents": Counter(filter(None, [one["agent"] for one in found])).most_common(_NAMES),
        "kind": bar.asks("kind") or KIND,
    }
    return Page("decisions", "Decisions", values)


def _decided(tip: TipView, bar: FilterBar) -> Iterator[dict[str, Any]]:
    """Yield the changes that a filter leaves: agent, person and time are those of the log of each."""
    kind, agent, person = bar.asks("kind") or KIND, bar.asks("agent"), bar.asks("person")
    alike = bar._replace(
        said={name: value for name, value in bar.said.items() if name in ("role", "entity")},
        begin="", end="",
    ).keeps(tip)  # fmt: skip
    found: list[Change] = []
    for one in tip.standings.values():
        if (bar.asks("role") or not footer(one.fact, ROLE_KEY)) and alike(one):
            found += changes(one.fact.id, tip.state.histories, kind)
    times = tip.times({one.key for one in found})
    for change in found:
        entry, said = tip.logs.get(change.key), change.by or tip.persons.get(change.key, "")
        by, when = entry.agent if entry is not None else "", change.date or times[change.key]
        if agent not in ("", by) or person not in ("", said):
            continue
        if not bar.begin <= when <= bar.end + "~" and (bar.begin or bar.end):
            continue
        fact = tip.standings[change.fact].fact
        yield {
            "change": change,
            "fact": fact,
            "date": when[:10],
            "monday": _monday(when[:10]) if when else None,
            "person": said,
            "agent": by,
            "status": status(fact),
            "order": (when[:10], change.key, fact.id),
            "replaced": [pair for pair in change.replaced if pair[0] in tip.standings],
        }


def weeks(tip: TipView, asked: Asked) -> Page:
    """Return the page of two weeks beside each other, the older one first; else of the two newest.

    An address names each by any day of it: `week`, and `than` for the one that it is compared with.
    """
    there = asked.get("week", ""), tip.state.summary.clock[:10]
    newest = _monday(next(filter(is_date, there), local_day(tip.memory.occasion().now_ms)))
    than = asked.get("than", "")
    other = _monday(than) if is_date(than) else newest - timedelta(days=7)
    columns = [_week_of(tip, one) for one in sorted((newest, other))]
    return Page("weeks", "Two weeks compared", {"columns": columns, "most": _DECISIONS})


def _week_of(tip: TipView, monday: date) -> dict[str, Any]:
    """Count what the logs of a week did, and list its decisions, the newest first."""
    since, until = str(monday), str(monday + timedelta(days=6))
    begin, end = tip.memory.bounds(since, until)
    logs = [one for one in tip.entries if lies(one.stem, one.clock, begin, end)]
    facts: dict[str, set[str]] = {}
    for verb, ids in [pair for one in logs for pair in deeds(one)]:
        facts.setdefault(f"Facts {verb.lower()}", set()).update(ids)
    bar = FilterBar("/decisions", {}, {}, {}, begin, end)
    decisions = sorted(_decided(tip, bar), key=lambda one: one["order"], reverse=True)
    counts = {
        "Work sessions": sum(one.work for one in logs),
        "People": len({tip.persons.get(one.stem, "") for one in logs} - {""}),
        "Decisions made or changed": len(decisions),
        **{name: len(ids) for name, ids in sorted(facts.items())},
    }
    return {"since": since, "until": until, "counts": counts, "decisions": decisions}


def _monday(day: str) -> date:
    found = date.fromisoformat(day)
    return found - timedelta(days=found.weekday())
