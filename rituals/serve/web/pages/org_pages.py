"""Show what the ledgers of an organisation hold, to one person: pages that only read.

Each page is a function of an asker (`rituals.org`) and an address, as those of one memory are of a tip.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any
from urllib.parse import quote

from ledger.environment import now_ms
from ledger.errors import DiurnaError
from ledger.model import instants
from ledger.model.record import Record
from ledger.remote.remote import without_credentials
from memory.recall.recall_values import Filters
from projection.fold.projection_state import TIERS
from projection.policy.model import BUILT_IN_KINDS
from rituals.org import org_lists
from rituals.org.org_clashes import clashes
from rituals.org.org_lists import PAGE
from rituals.org.org_recall import NEAREST, day_of, who_of, writer_of
from rituals.org.org_search import Asker, OrgAnswer, filters_of, link_of
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.fact_filter import FIELDS, TIMES, FactFilter, FilterBar

#: How many hits are shown, how many more each time, and how many at most.
HITS, MORE, MOST = 10, 40, 250
#: So many pairs that disagree a page has.
PAIRS = 20
#: So many names of teams and ledgers are offered; the others can be typed.
_OFFERED = 100
_SINCE = "1 year ago"
_SCOPE = ("team", "repo")
_OF_SEARCH = (*_SCOPE, "kind", "tier", "entity", "since", "false")
#: What rows are shown by.
_SHOWING = {
    "link_of": link_of,
    "who_of": who_of,
    "day_of": day_of,
    "writer_of": writer_of,
    "shown_url": without_credentials,
}


class OrgPage(Record):
    """One address."""

    path: str  #: with the parts in braces that vary
    page: Callable[[Asker, Asked], Page]  #: makes it
    menu: str = ""  #: its name in the navigation, "" where it stands there not
    key: str = ""  #: goes there behind `g`
    slow: bool = False  #: whether it may take many seconds when it is asked first


def search(asker: Asker, asked: Asked) -> Page:
    """Return what answers a question over all ledgers, as `diurna recall --org` finds it."""
    words, said = asked.get("q", "").strip(), asked.get("hits", "")
    many = int(said) if said.isascii() and said.isdigit() and len(said) < 5 else HITS
    many = min(max(many, HITS), MOST)
    bar = _bar(asker, asked, "/search", _OF_SEARCH, {"q": words})
    found = _found(asker, words, many, bar.filter) if words else None
    nearest = found is not None and not found.sure and bool(found.facts or found.logs)
    notes = (*(found.notes if found else ()), *([NEAREST] if nearest else []))
    full = found is not None and max(len(found.facts), len(found.logs)) > many < MOST
    values = {
        "bar": bar, "q": words, "found": found, "notes": notes, "many": many,
        "marked": tuple([word.lower() for word in re.findall(r"\w{4,}", words)]),
        "more": str(min(many + MORE, MOST)) if full else "",
    }  # fmt: skip
    return Page("org_search", words or "Search", values | _SHOWING)


def _found(asker: Asker, words: str, many: int, wanted: FactFilter) -> OrgAnswer:
    filters = Filters(
        kinds=_some(wanted.kind), tiers=_some(wanted.tier), entities=_some(wanted.entity),
        since=wanted.since, superseded=bool(wanted.false),
    )  # fmt: skip
    return asker.recall(words, filters_of(filters, wanted.repo, wanted.team), many + 1)


def entity(asker: Asker, asked: Asked) -> Page:
    """Return all facts about an entity, by team and ledger; false ones behind."""
    name = asked["name"]
    bar = _bar(asker, asked, f"/entity/{quote(name, '')}", _SCOPE, {})
    rows = org_lists.about(asker, name, **_scope(bar))
    first = _number(asked.get("page", ""))
    shown = rows[first * PAGE : (first + 1) * PAGE]
    values = {
        "bar": bar, "name": name, "groups": _groups(shown), "total": len(rows),
        "ledgers": len({row["ledger"] for row in rows}), "cut": len(rows) >= org_lists.ENTITY_MOST,
        "more": str(first + 1) if len(rows) > (first + 1) * PAGE else "",
    }  # fmt: skip
    return Page("org_entity", name, values | _SHOWING)


def contradictions(asker: Asker, asked: Asked) -> Page:
    """Return what two ledgers say against each other, side by side, as `diurna org clashes` finds it."""
    differ = bool(asked.get("differ"))
    bar = _bar(asker, asked, "/contradictions", (*_SCOPE, "entity"), {"differ": "1" * differ})
    found = clashes(asker, **_scope(bar), entity=bar.filter.entity, chosen=differ)
    first = _number(asked.get("page", ""))
    shown = found[first * PAIRS : (first + 1) * PAIRS]
    more = str(first + 1) if len(found) > (first + 1) * PAIRS else ""
    values = {"bar": bar, "differ": differ, "pairs": shown, "more": more}
    return Page("org_contradictions", "Contradictions", values | _SHOWING)


def unconfirmed(asker: Asker, asked: Asked) -> Page:
    """Return the invariants that nobody confirmed since a day, the oldest first."""
    bar = _bar(asker, asked, "/unconfirmed", (*_SCOPE, "since"), {})
    day = (bar.filter.begin or instants.since(_SINCE, now_ms()))[:10]
    found = org_lists.unconfirmed(asker, day, asked.get("after", ""), **_scope(bar))
    values = {"bar": bar, "rows": found.rows, "after": found.after, "day": day}
    return Page("org_unconfirmed", "Unconfirmed", values | _SHOWING)


def working(asker: Asker, asked: Asked) -> Page:
    """Return open threads and tasks, the newest first; nobody is counted or ranked."""
    bar = _bar(asker, asked, "/working", _SCOPE, {})
    found = org_lists.working(asker, asked.get("after", ""), **_scope(bar))
    values = {"bar": bar, "rows": found.rows, "after": found.after}
    return Page("org_working", "Who works on what", values | _SHOWING)


def ledgers(asker: Asker, asked: Asked) -> Page:
    """Return the ledgers that one may read, and how fresh each is."""
    words = asked.get("q", "").strip().lower().split()
    rows = [
        row for row in asker.rows("ledgers")
        if all(word in f"{row['name']} {row['team']}".lower() for word in words)
    ]  # fmt: skip
    first = _number(asked.get("page", ""))
    shown = rows[first * PAGE : (first + 1) * PAGE]
    more = str(first + 1) if len(rows) > (first + 1) * PAGE else ""
    values = {"rows": shown, "total": len(rows), "q": " ".join(words), "more": more}
    return Page("org_ledgers", "Ledgers", values | _SHOWING)


def fact(asker: Asker, asked: Asked) -> Page:
    """Return one fact: what it says, its events with their logs, its texts."""
    name = f"{asked['ledger']}/{asked['id']}"
    told = org_lists.told(asker, asked["ledger"], asked["id"], asked.get("of", ""))
    return Page("org_fact", name, {"told": told, "name": name, **_SHOWING})


PAGES = (
    OrgPage("/", search),
    OrgPage("/search", search, "Search", "s"),
    OrgPage("/contradictions", contradictions, "Contradictions", "c", slow=True),
    OrgPage("/working", working, "At work", "w"),
    OrgPage("/unconfirmed", unconfirmed, "Unconfirmed", "u"),
    OrgPage("/ledgers", ledgers, "Ledgers", "l"),
    OrgPage("/entity/{name:path}", entity),
    OrgPage("/fact/{ledger}/{id}", fact),
)
#: What stands in the navigation: (address, name, key).
ORG_MENU = tuple((one.path, one.menu, one.key) for one in PAGES if one.menu)


def _bar(
    asker: Asker, asked: Asked, path: str, fields: tuple[str, ...], kept: Mapping[str, str]
) -> FilterBar:
    """Read the filter of an address."""
    tips = asker.rows("tips")
    offered = {
        "team": _names(tips, "team"), "repo": _names(tips, "name"), "tier": TIERS, "since": TIMES,
        "kind": tuple([kind.name for kind in BUILT_IN_KINDS]), "entity": (), "false": (),
    }  # fmt: skip
    said = {name: one for name in FIELDS if name in fields and (one := asked.get(name, "").strip())}
    wrong = []
    if said.get("tier", TIERS[0]) not in TIERS:
        wrong.append(f"There is no tier {said.pop('tier')}: {', '.join(TIERS)}")
    if "false" in said:
        said["false"] = "1"
    begin = ""
    try:
        begin = instants.since(said.get("since", ""), now_ms())
    except DiurnaError as problem:
        del said["since"]
        wrong.append(f"{problem.message}: {problem.hint}")
    read = FactFilter(**said, begin=begin, wrong=tuple(wrong))
    shown = {name: offered[name] for name in FIELDS if name in fields}
    return FilterBar(path, read, {name: one for name, one in kept.items() if one}, shown)


def _names(rows: list[dict[str, Any]], key: str) -> tuple[str, ...]:
    return tuple(sorted({row[key] for row in rows} - {""}, key=str.casefold)[:_OFFERED])


def _some(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def _scope(bar: FilterBar) -> dict[str, str]:
    return {"team": bar.filter.team, "repo": bar.filter.repo}


def _number(said: str) -> int:
    return int(said) if said.isascii() and said.isdigit() and len(said) < 4 else 0


def _groups(rows: Any) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Part rows by ledger, as they follow one another; each part with its first row."""
    parts = [list(some) for _, some in groupby(rows, key=lambda row: (row["untrue"], row["url"]))]
    return [(some[0], some) for some in parts]
