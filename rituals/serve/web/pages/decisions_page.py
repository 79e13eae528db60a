"""Show what was decided, week by week: each change of a decision, by whom, why, what it said before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from projection.graph.fact_links import footer
from projection.views.decision_view import KIND, Change, changes, status
from projection.views.view_source import ROLE_KEY
from rituals.serve.web.pages.fact_list import FilterBar, filter_bar, page_of
from rituals.serve.web.tip_view import Asked, Page, TipView

PATH = "/decisions"
FIELDS = ("kind", "agent", "person", "role", "entity", "since", "until", "as_of")
#: How many stand on a page, and how many names of who decided are offered above.
DECISIONS, NAMES = 50, 12


def decisions(tip: TipView, asked: Asked) -> Page:
    """Return the page of what was decided and changed, whatever holds by now."""
    bar, tip = filter_bar(tip, asked, PATH, FIELDS)
    bar = bar._replace(empty={**bar.empty, "kind": "Decisions"})
    found = sorted(_decided(tip, bar), key=lambda one: one["order"], reverse=True)
    shown, pages = page_of(found, asked, DECISIONS)
    counts = Counter([_monday(one["date"]) for one in found])
    weeks: dict[date | None, list[dict[str, Any]]] = {}
    for one in shown:
        weeks.setdefault(_monday(one["date"]), []).append(one)
    values = {
        "bar": bar,
        "pages": pages,
        "weeks": [
            {"monday": day, "decisions": some, "all": counts[day]} for day, some in weeks.items()
        ],
        "persons": Counter(filter(None, [one["person"] for one in found])).most_common(NAMES),
        "agents": Counter(filter(None, [one["agent"] for one in found])).most_common(NAMES),
        "kind": bar.asks("kind") or KIND,
    }
    return Page("decisions", "Decisions", values)


def _decided(tip: TipView, bar: FilterBar) -> Iterable[dict[str, Any]]:
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
    keys = {one.key for one in found}
    times = tip.times(keys)
    for change in found:
        entry, said = tip.logs.get(change.key), change.by or tip.persons.get(change.key, "")
        by, when = entry.agent if entry is not None else "", change.date or times[change.key]
        if agent not in ("", by) or person not in ("", said):
            continue
        if not bar.begin <= when <= bar.end + "~" and (bar.begin or bar.end):
            continue
        fact = tip.standings[change.fact].fact
        yield {
            "change": change, "fact": fact, "date": when[:10], "person": said, "agent": by,
            "status": status(fact), "order": (when[:10], change.key, fact.id),
            "replaced": [pair for pair in change.replaced if pair[0] in tip.standings],
        }  # fmt: skip


def _monday(day: str) -> date | None:
    found = date.fromisoformat(day) if day else None
    return found and found - timedelta(days=found.weekday())
