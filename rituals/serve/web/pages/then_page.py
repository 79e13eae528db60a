"""Show what held at a point of the past, and what became of it since."""

from __future__ import annotations

from ledger.model.record import Record
from projection.document.page_renderer import section_title
from projection.fold.projection_state import SUPERSEDED, TIERS, Standing
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pictures.ticks_picture import Tick
from rituals.serve.web.tip_view.past_points import (
    Point,
    at_point,
    point_asked,
    releases,
    standing_at,
)
from rituals.serve.web.tip_view.tip_view import TipView

#: How many facts stand below one heading, ids in one list of what became of them, and on a page of all.
_MOST_FACTS, _MOST_IDS, _MOST_CHANGES = 60, 6, 40
#: The months that are named below the slider.
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
#: What became of facts: the name of its list in an address, and in words.
LISTS = {
    "learned": "Learned since", "corrected": "Reworded or false since",
    "faded": "Faded since", "closed": "Closed since",
}  # fmt: skip


class Held(Record):
    """A fact as it was."""

    then: Standing  #: where it stood, and its text at that time
    became: str  #: what happened to it since, "" where it holds as it was


class Section(Record):
    """Facts below one heading: those that are shown, and how many there were."""

    title: str
    facts: tuple[Held, ...]
    total: int


class Became(Record):
    """What happened to some facts since: in one word, to which, and to how many."""

    word: str
    facts: tuple[str, ...]
    total: int


class Changed(Record):
    """A fact of which something became since."""

    now: Standing
    word: str  #: what, "" where it was learned and holds
    before: str  #: the text that it had, "" where that is its text today


def then(tip: TipView, asked: Asked) -> Page:
    """Return the page of what held at a point: a session, a day, a release or a commit.

    Raises:
        NotFound: `at` is none of them.
    """
    at, listed = asked.get("at", ""), asked.get("list", "")
    point = point_asked(tip, at)
    past, since = at_point(tip, point)
    known = releases(tip)
    number = asked.get("page", "")
    page = int(number[:6]) if number.isascii() and number.isdigit() else 1
    ids = getattr(since, listed) if listed in LISTS else ()
    begin = max(min(page - 1, (len(ids) - 1) // _MOST_CHANGES), 0) * _MOST_CHANGES
    values = {
        "at": at or str(point.session),
        "point": point,
        "session": point.session,
        "sessions": len(tip.work),
        "date": tip.work[point.session - 1][:10] if point.session else "",
        "first_day": tip.work[0][:10] if tip.work else "",
        "last": past.stem,
        "tiers": list(zip(TIERS, past.tiers, tip.state.view().tiers, strict=True)),
        "sections": () if listed in LISTS else sections_of(tip, past.live),
        "since": [
            Became(word, ids[:_MOST_IDS], len(ids))
            for word, ids in zip(since._fields, since, strict=True)
        ],
        "releases": known[::-1],
        "marks": ticks_of(tip, [Tick(one.session, one.name, one.name) for one in known]),
        "listed": listed if listed in LISTS else "",
        "title": LISTS.get(listed, ""),
        "changed": [changed(tip, point, id) for id in ids[begin : begin + _MOST_CHANGES]],
        "first": begin + 1,
        "total": len(ids),
        "page": begin // _MOST_CHANGES + 1,
        "pages": -(-len(ids) // _MOST_CHANGES),
    }
    return Page("then", "Then", values)


def ticks_of(tip: TipView, marks: list[Tick]) -> tuple[list[Tick], list[Tick]]:
    """Return what stands below the slider: the releases, and where each month and year begins."""
    months: dict[str, Tick] = {}
    for session, stem in enumerate(tip.work):
        year, month = stem[:4], stem[5:7]
        name = year if month == "01" else _MONTHS[int(month) - 1]
        months.setdefault(stem[:7], Tick(session, name, str(session)))
    return marks, list(months.values())


def changed(tip: TipView, point: Point, fact: str) -> Changed:
    """Return what became of a fact since a point."""
    now, before = tip.standings[fact], standing_at(tip, point, fact)
    if before is None or now.fact.redacted or before.fact.redacted:
        held = now.live and not now.fact.closed
        return Changed(now, "" if held else became(now, now) or "closed", "")
    texts = [one.fact.text for one in (before, now)]
    return Changed(now, became(before, now), "" if texts[0] == texts[1] else texts[0])


def sections_of(tip: TipView, live: tuple[Standing, ...]) -> list[Section]:
    """Return the facts of a time by section, the most used first."""
    policy = tip.state.policy
    groups: dict[str, list[Standing]] = {
        section_title(policy, one.name): [] for one in policy.kinds
    }
    for standing in live:
        groups.setdefault(section_title(policy, standing.fact.kind), []).append(standing)
    found = []
    for title, facts in groups.items():
        facts.sort(key=lambda one: (-one.fact.uses, one.fact.id))
        held = [
            Held(one, became(one, tip.standings.get(one.fact.id))) for one in facts[:_MOST_FACTS]
        ]
        if held:
            found.append(Section(title, tuple(held), len(facts)))
    return found


def became(then: Standing, now: Standing | None) -> str:
    """Say what happened to a fact that held; "" where it holds as it did.

    `now` is None for a fact of another branch, which is not known here.
    """
    if now is None:
        return "not known here"
    if now.reason == SUPERSEDED:
        return f"superseded by {', '.join(now.fact.superseded_by)}"
    if not now.live:
        return now.reason
    if now.fact.closed and not then.fact.closed:
        return "closed"
    if [one.id for one in now.fact.heads] != [one.id for one in then.fact.heads]:
        return "reworded"
    return ""
