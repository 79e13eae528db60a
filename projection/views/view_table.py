"""Know every view by its name: what it is called, what it is made of, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date

from ledger.errors import NotFound
from ledger.model.layout import FORMAT_VERSION
from ledger.model.log_names import is_date
from ledger.model.record import Record
from ledger.model.verbs import BLOCKED, HANDOFF_READY, IN_PROGRESS
from projection.document.page_renderer import machine, one_line
from projection.fold.fact_history import Fact
from projection.fold.fact_links import entity_names, folded, footer
from projection.lifecycle.promotion import pattern_standing
from projection.policy.model import PATTERN_KIND, STATE_KIND, TASK_KIND, THREAD_KIND, Policy
from projection.views.decision_view import decisions
from projection.views.view_page import (
    ROLE_KEY,
    Item,
    Page,
    Section,
    SessionLine,
    ViewSource,
    fact_item,
    minute_of,
    told,
    write,
)
from projection.work.tracked_tasks import tasks

NEXT_ACTION = "Next Action"
#: The headings of the view `state` that tell one fact, and its id.
FACTS = {
    "Current Phase": "state-phase",
    "Current Status": "state-status",
    NEXT_ACTION: "state-next",
}
ACTIVE_WORK, BLOCKED_ITEMS, UPDATED = "Active Work", "Blocked Items", "Last Updated"
COMPLETED, UNDER_WAY, STUCK, NOT_STARTED = "Completed", "In Progress", "Blocked", "Not Started"
NOT_SAID, NONE = "Not recorded.", "None."


def state(source: ViewSource) -> Page:
    """Write the view `state`: programs read its headings, so each is there, with content below it."""
    doing, blocked, waiting, _ = _sorted(source, (TASK_KIND,))
    said = {title: _said(source, fact) for title, fact in FACTS.items()}
    if said[NEXT_ACTION] == NOT_SAID and (doing or waiting):
        first = (doing or waiting)[0]
        said[NEXT_ACTION] = f"{told(first)} (`{first.id}`)"
    newest = source.summary.clock
    order = ("Current Phase", "Current Status", ACTIVE_WORK, BLOCKED_ITEMS, NEXT_ACTION)
    known: dict[str, tuple[Item | str, ...]] = {title: (line,) for title, line in said.items()}
    known[ACTIVE_WORK], known[BLOCKED_ITEMS] = _items(doing), _items(blocked)
    sections = [Section(title, known[title]) for title in order]
    sections.append(Section(UPDATED, (minute_of(newest) if newest else "Never.",)))
    return Page(f"State — {source.policy.project}", "", tuple(sections))


def progress(source: ViewSource) -> Page:
    """Write the view `progress`: tasks, and threads, which nobody moves, by how far they are."""
    doing, blocked, waiting, closed = _sorted(source, (TASK_KIND, THREAD_KIND))
    days: dict[str, list[Fact]] = {}
    for fact in closed:
        days.setdefault(fact.clock(fact.closed_at)[:10], []).append(fact)
    done = [
        Section(f"{COMPLETED} {day}".rstrip(), _items(sorted(days[day], key=by_birth)))
        for day in sorted(days, reverse=True)
    ]
    sections = [
        *(done or [Section(COMPLETED, (NONE,))]),
        Section(UNDER_WAY, _items(doing)),
        Section(STUCK, _items(blocked)),
        Section(NOT_STARTED, _items(waiting)),
    ]
    return Page(f"Progress — {source.policy.project}", "", tuple(sections))


def _said(source: ViewSource, name: str) -> Item | str:
    """Return what a fact of the state says, if there is one that holds."""
    fact = source.fact(name)
    if fact is None or fact.kind != STATE_KIND or fact.false:
        return NOT_SAID
    return fact_item(fact, bare=True)


def _sorted(
    source: ViewSource, kinds: tuple[str, ...]
) -> tuple[list[Fact], list[Fact], list[Fact], list[Fact]]:
    """Return what is under way, blocked, not started and closed, each by priority, then age."""
    shared = [one for one in source.shared() if one.fact.kind in kinds and not one.fact.false]
    doing, blocked, waiting, closed = [], [], [], []
    mine = [one for one in shared if one.fact.kind == TASK_KIND]
    others = sorted([one.fact for one in shared if one.fact.kind != TASK_KIND], key=by_birth)
    for fact in (*[task.standing.fact for task in tasks(mine)], *others):
        states = set(fact.states)
        if fact.closed:
            closed.append(fact)
        elif states & {IN_PROGRESS, HANDOFF_READY}:
            doing.append(fact)
        elif BLOCKED in states:
            blocked.append(fact)
        else:
            waiting.append(fact)
    return doing, blocked, waiting, closed


def _items(facts: Iterable[Fact]) -> tuple[Item | str, ...]:
    return tuple([fact_item(fact, "x" if fact.closed else " ") for fact in facts]) or (NONE,)


def by_birth(fact: Fact) -> tuple[str, str]:
    """Return what facts are sorted by where the oldest comes first."""
    return fact.created, fact.id


#: Stands for the type of what has none.
NO_TYPE = "other"
NO_ENTITY = "No fact names an entity."
_TYPED = re.compile(r"\s*([A-Za-z][A-Za-z -]{0,30}?)\s*/\s*([^/.\s][^/]*[^/\s]|[^/.\s])\s*")
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}$")


class EntityPage(Record):
    """An entity with what stands about it."""

    name: str  #: as most often written, without its type
    type: str  #: in lower case, `NO_TYPE` where it has none
    facts: tuple[Fact, ...]  #: that hold, by kind and then by birth
    false: int  #: how many more were superseded or invalidated

    @property
    def false_said(self) -> str:
        """How many more were, in a sentence."""
        return f"{self.false} more about it {'is' if self.false == 1 else 'are'} false by now."


def typed(name: str) -> tuple[str, str]:
    """Split what a footer calls an entity into its type and its name."""
    found = _TYPED.fullmatch(name)
    if found is None or _FILE.search(name):
        return NO_TYPE, name
    return found[1].lower(), found[2]


def entity_pages(source: ViewSource) -> tuple[EntityPage, ...]:
    """Return all entities, by type and name; what has no type comes last."""
    written: dict[tuple[str, str], dict[str, int]] = {}
    about: dict[tuple[str, str], list[Fact]] = {}
    for one in source.shared():
        for said in entity_names(one.fact):
            type, name = typed(said)
            key = type, folded(name)
            known = written.setdefault(key, {})
            known[name] = known.get(name, 0) + 1
            there = about.setdefault(key, [])
            if one.fact not in there[-1:]:
                there.append(one.fact)
    order = {kind.name: number for number, kind in enumerate(source.policy.kinds)}
    pages = []
    for key in sorted(about, key=lambda key: (key[0] == NO_TYPE, key)):
        counts = written[key]
        spelled = min(counts, key=lambda way: (-counts[way], way))
        holds = [fact for fact in about[key] if not fact.false]
        holds.sort(key=lambda fact: (order.get(fact.kind, len(order)), fact.created, fact.id))
        pages.append(EntityPage(spelled, key[0], tuple(holds), len(about[key]) - len(holds)))
    return tuple(pages)


def entities(source: ViewSource, name: str = "") -> Page | None:
    """Write the view: of one entity, in any spelling, or of all; None where nothing is about that one."""
    pages = entity_pages(source)
    project = source.policy.project
    if name:
        wanted = folded(typed(name)[1])
        types = {typed(name)[0]} - {NO_TYPE}
        pages = tuple([one for one in pages if folded(one.name) == wanted and types <= {one.type}])
        if not pages:
            return None
    sections: list[Section] = []
    for one in pages:
        if not sections or sections[-1].title != one.name:
            before = [section.title for section in sections if section.level == 2]
            if before[-1:] != [one.type]:
                sections.append(Section(one.type))
        sections += entity_sections(one, source.policy)
    if not pages:
        sections.append(Section(NO_TYPE, (NO_ENTITY,)))
    return Page(f"Entities — {project}", "", tuple(sections))


def entity_sections(page: EntityPage, policy: Policy) -> list[Section]:
    """Return the sections of one entity: its heading, then its facts by kind."""
    found = [Section(one_line(page.name), (page.false_said,) if page.false else (), 3)]
    kinds = dict.fromkeys([fact.kind for fact in page.facts])
    for kind in kinds:
        lines = [f"- {told(fact)} `{fact.id}`" for fact in page.facts if fact.kind == kind]
        found.append(Section(one_line(policy.kind(kind).section), tuple(lines), 4))
    return found


def roles(source: ViewSource) -> Page:
    """Write what each role has learned: facts that hold, by kind and then by birth; roles by name."""
    known: dict[str, list[Fact]] = {}
    for one in source.standings:
        names = [one_line(name) for name in footer(one.fact, ROLE_KEY).split(",")]
        for role in () if one.fact.false else dict.fromkeys(filter(None, names)):
            known.setdefault(role, []).append(one.fact)
    sections = []
    for role, facts in sorted(known.items()):
        facts.sort(key=lambda fact: (fact.kind, fact.created, fact.id))
        lines = []
        for fact in facts:
            kind = fact.kind
            if kind == PATTERN_KIND:
                kind += f", {pattern_standing(fact, source.policy.learning)}"
            lines.append(f"- {told(fact)} ({one_line(kind)}) `{fact.id}`")
        sections.append(Section(role, tuple(lines)))
    shown = tuple(sections) or (Section("None", ("No fact is for a role.",)),)
    return Page(f"Roles — {source.policy.project}", "", shown)


def daily(source: ViewSource, day: str) -> Page:
    """Write one day: morning, afternoon and evening, each session with its facts."""
    known = {one.fact.id: one.fact for one in source.shared()}
    there = [one for one in reversed(source.sessions) if one.day == day]
    found: list[Section] = []
    for part, start, end in _PARTS:
        lines = [one for one in there if start <= one.clock < end]
        found.append(Section(part, () if lines else ("Nothing.",)))
        found += [_told(known, one) for one in lines]
    return Page(f"{day or 'No day'} — {source.policy.project}", "", tuple(found))


def weekly(source: ViewSource, day: str) -> Page:
    """Write the week of a day, from Monday on: what `daily` tells of each day with a session."""
    known = {one.fact.id: one.fact for one in source.shared()}
    found: list[Section] = []
    for each in (days := week_of(day)):
        there = [_told(known, one) for one in reversed(source.sessions) if one.day == each]
        name = Section(f"{date.fromisoformat(each):%A}, {each}", ())
        found += [name, *there] if there else []
    nothing = [Section("None", ("No session log.",))]
    return Page(f"{days[0]} to {days[-1]} — {source.policy.project}", "", tuple(found or nothing))


def week_of(day: str) -> tuple[str, ...]:
    """Return the days of the week of a day, Monday first; fewer at the ends of the calendar."""
    given = date.fromisoformat(day)
    monday = given.toordinal() - given.weekday()
    numbers = range(max(monday, 1), min(monday + 6, date.max.toordinal()) + 1)
    return tuple([date.fromordinal(number).isoformat() for number in numbers])


def _told(known: Mapping[str, Fact], one: SessionLine) -> Section:
    """Tell one session: what it recorded, what was decided, what is left to do."""
    facts: list[str] = []
    for verb, ids in one.told:
        if verb in _BRINGS:
            facts += [f"- {told(known[id])} `{id}`" for id in ids if id in known]
        elif verb != _USED:
            facts.append(f"- {verb}: {', '.join(ids)}")
    said = [f"Decided: {text}" for text in one.decided] + [f"Action: {text}" for text in one.open]
    # an empty line between lines of text, which markdown would join
    apart = [part for text in said for part in ("", text)][0 if facts else 1 :]
    headline = one.title or one.summary or "(nothing said)"
    return Section(f"{one.clock or '--:--'} - {headline}", (*facts, *apart), 3)


#: The parts of a day, in UTC, as in the names of logs.
_PARTS = (("Morning", "", "12"), ("Afternoon", "12", "18"), ("Evening", "18", "99"))
#: What a log says it did that brings a text, and is told of a day; and what it only relied on.
_BRINGS, _USED = ("Created", "Updated"), "Used"
#: Every view, in the order of the help: what it shows.
VIEWS = {
    "state": "where the work stands: phase, status, active and blocked work, what is next",
    "progress": "tasks and threads by how far they are",
    "decisions": "what was decided, numbered, the newest first",
    "daily": "one day, by default that of the newest log",
    "weekly": "the week of a day",
    "entities": "a page for each entity that facts are about, by type",
    "roles": "what each role has learned",
}
_PAGES = {"state": state, "progress": progress, "decisions": decisions, "roles": roles}
#: Those that take an argument: a date, and a name.
DAILY, WEEKLY, ENTITIES = "daily", "weekly", "entities"


def page_of(name: str, source: ViewSource, argument: str = "") -> Page:
    """Return a view as a value.

    `argument` is a date for `daily` and `weekly`, "" for that of the newest log; the name of an entity for
    `entities`, "" for all.

    Raises:
        NotFound: there is no such view, no such date, or no fact about that entity.
    """
    check(name, argument)
    day = argument or source.summary.clock[:10]
    if name == DAILY or (name == WEEKLY and not day):
        return daily(source, day)
    if name == WEEKLY:
        return weekly(source, day)
    if name != ENTITIES:
        return _PAGES[name](source)
    found = entities(source, argument)
    if found is None:
        raise NotFound(f"no fact is about {argument}", hint="`diurna view entities` shows all")
    return found


#: Stands at the head of the file of a view.
NOTE = (
    "Diurna computes this page from the session logs, and reads nothing that is written here. "
    "Edit `continuity.md`."
)


def published(name: str, source: ViewSource) -> str:
    """Write a view as the file beside `continuity.md`, with its last line, by which drift shows (P7)."""
    summary = source.summary
    last = machine(FORMAT_VERSION, summary.logs, summary.newest, summary.digest)
    return f"{write(page_of(name, source)._replace(note=NOTE))}\n{last}\n"


def check(name: str, argument: str = "") -> None:
    """Refuse what is no view, or what it does not take.

    Raises:
        NotFound: there is no such view, or no such date.
    """
    if name not in VIEWS:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), VIEWS, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"views: {', '.join(VIEWS)}"
        raise NotFound(f"there is no view {name}", hint=hint)
    if not argument:
        return
    if name in (DAILY, WEEKLY) and not is_date(argument):
        raise NotFound(f"{argument} is no date", hint="write it as 2026-11-21")
    if name not in (DAILY, WEEKLY, ENTITIES):
        hint = f"`diurna view {name}` shows it"
        raise NotFound(f"the view {name} takes no {argument}", hint=hint)
