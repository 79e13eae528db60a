"""Write the views of what happened: `sessions`, `daily`, `weekly`, and `actions`, what is left to do.

All days are those of UTC, as in the names of logs. No clock is read: the day of today is that of the
newest log.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from ledger.model.session import WORK, WORKING
from projection.fold.fact_history import Fact
from projection.text.session_digest import quoted as said_in_line
from projection.views.view_page import (
    Page,
    Section,
    SessionLine,
    ViewSource,
    fact_item,
    minute_of,
    told,
)

#: How many sessions the view `sessions` tells of, and in how many of them `actions` looks for prose.
SESSIONS = 20
#: What a session only relied on, among what it did.
USED = "Used"
NONE = "No session log."
_PARTS = (("Morning", "", "12"), ("Afternoon", "12", "18"), ("Evening", "18", "99"))
#: What a log says it did that brings a text, and is told of a day.
_BRINGS = ("Created", "Updated")


def sessions(source: ViewSource) -> Page:
    """Write the last sessions, newest first."""
    found = []
    for one in source.sessions[:SESSIONS]:
        kind = ", ".join([one.type] * (one.type != WORK) + [f"as {one.role}"] * bool(one.role))
        about = [f"- By: {one.agent or 'nobody named'}{f' ({kind})' if kind else ''}"]
        if one.summary and one.summary != one.headline:
            about.append(f"- Summary: {one.summary}")
        about += [f"- Decided: {said}" for said in one.decided]
        about += [f"- Action: {said}" for said in one.open]
        found.append(Section(f"{minute_of(one.at)} - {one.headline}", tuple(about)))
    return _page("Sessions", source, found)


def daily(source: ViewSource, day: str) -> Page:
    """Write one day: morning, afternoon and evening, each session with its facts."""
    known = {one.fact.id: one.fact for one in source.shared()}
    found: list[Section] = []
    for part, start, end in _PARTS:
        there = [one for one in _of_day(source, day) if start <= one.clock < end]
        found.append(Section(part, () if there else ("Nothing.",)))
        found += [_told(known, one) for one in there]
    return _page(day or "No day", source, found)


def weekly(source: ViewSource, day: str) -> Page:
    """Write the week of a day, from Monday on: its sessions, what was decided, what is left to do."""
    found: list[Section] = []
    if not day:
        return _page("No week", source, found)
    days = week_of(day)
    for one in days:
        there = _of_day(source, one)
        name = date.fromisoformat(one).strftime("%A")
        lines = [f"- {said.clock or '--:--'} - {said.headline}" for said in there]
        lines += [f"- Decided: {text}" for said in there for text in said.decided]
        lines += [f"- Action: {text}" for said in there for text in said.open]
        if lines:
            found.append(Section(f"{name}, {one}", tuple(lines)))
    return _page(f"{days[0]} to {days[-1]}", source, found)


def actions(source: ViewSource) -> Page:
    """Write what is open: each fact that is, by the day of its birth, then what the last logs say."""
    known: dict[str, list[Fact]] = {}
    for one in source.shared():
        if is_open(one.fact):
            known.setdefault(one.fact.created, []).append(one.fact)
    found = []
    for day in sorted(known, reverse=True):
        facts = sorted(known[day], key=lambda fact: fact.id)
        found.append(Section(day or "No day", tuple([fact_item(fact, " ") for fact in facts])))
    texts = {said_in_line(head.text) for one in source.shared() for head in one.fact.heads}
    said: dict[str, str] = {}
    for line in source.sessions[:SESSIONS]:
        for text in line.open if line.type in WORKING else ():
            if text not in texts:
                said.setdefault(text, f"- {text} ({minute_of(line.at)})")
    if said:
        found.append(Section(f"Said in the last {SESSIONS} logs", tuple(said.values())))
    if not found:
        found.append(Section("Open", ("Nothing is open.",)))
    return Page(f"Actions — {source.policy.project}", "", tuple(found))


def is_open(fact: Fact) -> bool:
    """Tell whether a fact is something to be done, and not done."""
    return fact.open and not fact.false


def week_of(day: str) -> tuple[str, ...]:
    """Return the days of the week of a day, Monday first; fewer at the ends of the calendar."""
    given = date.fromisoformat(day)
    found = []
    for number in range(7):
        try:
            found.append((given + timedelta(days=number - given.weekday())).isoformat())
        except OverflowError:
            continue
    return tuple(found)


def _of_day(source: ViewSource, day: str) -> list[SessionLine]:
    return [one for one in reversed(source.sessions) if one.day == day]


def _told(known: Mapping[str, Fact], one: SessionLine) -> Section:
    """Tell one session: what it recorded, what was decided, what is left to do."""
    facts: list[str] = []
    for verb, ids in one.told:
        if verb in _BRINGS:
            facts += [f"- {told(known[id])} `{id}`" for id in ids if id in known]
        elif verb != USED:
            facts.append(f"- {verb}: {', '.join(ids)}")
    said = [f"Decided: {text}" for text in one.decided] + [f"Action: {text}" for text in one.open]
    # an empty line between lines of text, which markdown would join
    apart = [part for text in said for part in ("", text)][0 if facts else 1 :]
    return Section(f"{one.clock or '--:--'} - {one.headline}", (*facts, *apart), 3)


def _page(title: str, source: ViewSource, sections: list[Section]) -> Page:
    found = tuple(sections) or (Section("None", (NONE,)),)
    return Page(f"{title} — {source.policy.project}", "", found)
