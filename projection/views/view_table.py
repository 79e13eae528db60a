"""Know every view by its name: what it is called, what it is made of, and how it is written."""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.model.order import is_date
from projection.views.decision_view import decisions
from projection.views.entity_view import entities
from projection.views.role_view import roles
from projection.views.session_views import actions, daily, sessions, weekly
from projection.views.state_view import progress, state
from projection.views.view_page import Page, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.views.view_source import ViewSource

#: Every view, in the order of the help: what it shows.
VIEWS = {
    "state": "where the work stands: phase, status, active and blocked work, what is next",
    "progress": "tasks and threads by how far they are",
    "decisions": "what was decided, numbered, the newest first",
    "sessions": "the last 20 sessions",
    "daily": "one day, by default that of the newest log",
    "weekly": "the week of a day",
    "actions": "what is left to do, of all days",
    "entities": "a page for each entity that facts are about, by type",
    "roles": "what each role has learned",
}
_PAGES = {
    "state": state, "progress": progress, "decisions": decisions, "sessions": sessions,
    "actions": actions, "roles": roles,
}  # fmt: skip
#: Those that take an argument, and what it is.
DATED, NAMED = frozenset(("daily", "weekly")), frozenset(("entities",))


def view(name: str, source: ViewSource, argument: str = "") -> str:
    """Write a view as markdown.

    `argument` is a date for `daily` and `weekly`, "" for that of the newest log; the name of an entity
    for `entities`, "" for all.

    Raises:
        NotFound: there is no such view, no such date, or no fact about that entity.
    """
    return write(page_of(name, source, argument))


def page_of(name: str, source: ViewSource, argument: str = "") -> Page:
    """Return a view as a value; the arguments are those of `view`.

    Raises:
        NotFound: as of `view`.
    """
    check(name, argument)
    match name:
        case "daily" | "weekly":
            day = argument or source.summary.newest[:10]
            return (daily if name == "daily" else weekly)(source, day)
        case "entities":
            found = entities(source, argument)
            if found is None:
                hint = "`diurna view entities` shows all"
                raise NotFound(f"no fact is about {argument}", hint=hint)
            return found
        case _:
            return _PAGES[name](source)


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
    if name in DATED and not is_date(argument):
        raise NotFound(f"{argument} is no date", hint="write it as 2026-11-21")
    if name not in DATED | NAMED:
        hint = f"`diurna view {name}` shows it"
        raise NotFound(f"the view {name} takes no {argument}", hint=hint)
