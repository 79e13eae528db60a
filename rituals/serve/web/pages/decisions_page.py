"""Show what was decided, week by week: its words and reason, by whom, and what it replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from ledger.model.event import FactCreated
from ledger.model.order import is_date
from projection.fold.fact_history import History
from projection.graph.fact_links import footer
from projection.views.decision_view import KIND, NOT_SAID, birth, rationale, status
from projection.views.view_source import ROLE_KEY
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.fact_list import FilterBar, filter_bar, page_of
from rituals.serve.web.tip_view.tip_view import TipView

PATH = "/decisions"
FIELDS = ("kind", "agent", "person", "role", "entity", "since", "until", "as_of")
#: How many stand on a page, and how many names of who decided are offered above.
DECISIONS, NAMES = 50, 12


def decisions(tip: TipView, asked: Asked) -> Page:
    """Return the page of what was decided, false and superseded decisions too, each marked as such."""
    bar, tip = filter_bar(tip, asked, PATH, FIELDS)
    bar = bar._replace(empty={**bar.empty, "kind": "Decisions"})
    found = list(_decided(tip, bar))
    found.sort(key=lambda one: (one["date"], one["key"], one["standing"].fact.id), reverse=True)
    shown, pages = page_of(found, asked, DECISIONS)
    counts = Counter([_monday(one["date"]) for one in found])
    weeks: dict[date, list[dict[str, Any]]] = {}
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
    """Yield the decisions that a filter leaves: agent, person and time are those of the deciding log."""
    kind, agent, person = bar.asks("kind") or KIND, bar.asks("agent"), bar.asks("person")
    rest = {name: value for name, value in bar.said.items() if name in ("role", "entity")}
    alike = bar._replace(said={**rest, "kind": kind}, begin="", end="").keeps(tip)
    born = [
        (one, *made)
        for one in tip.standings.values()
        if (bar.asks("role") or not footer(one.fact, ROLE_KEY))
        and alike(one)
        and (made := _birth(tip.state.histories[one.fact.id], kind))
    ]
    authors = tip.persons([key for _, key, _ in born])
    for one, key, created in born:
        entry = tip.logs.get(key)
        day = created if is_date(created) else key[:10]
        when, by = key if day == key[:10] else day, entry.agent if entry is not None else ""
        of_them = agent in ("", by) and person in ("", authors[key])
        if not of_them or not bar.begin <= when <= bar.end + "~":
            continue
        reason = rationale(one.fact)
        replaced = [found for name in one.fact.supersedes if (found := tip.standings.get(name))]
        yield {
            "standing": one, "key": key, "date": day, "person": authors[key], "agent": by,
            "reason": "" if reason == NOT_SAID else reason, "status": status(one.fact),
            "replaced": replaced,
        }  # fmt: skip


def _birth(history: History, kind: str) -> tuple[str, str] | None:
    """Return (log, date) at which a fact became a decision, or else at which it was created."""
    if kind == KIND:
        return birth(history)
    for act in history.acts:
        if isinstance(act.event, FactCreated):
            return act.stem, dict(act.event.meta).get("created", act.stem[:10])
    return None


def _monday(day: str) -> date:
    found = date.fromisoformat(day)
    return found - timedelta(days=found.weekday())
