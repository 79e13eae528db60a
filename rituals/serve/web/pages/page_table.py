"""List the pages: address, what makes it, and where it stands in the navigation."""

from __future__ import annotations

from collections.abc import Callable

from ledger.model.record import Record
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages import (
    decisions_page,
    fact_page,
    facts_page,
    health_page,
    now_page,
    review_page,
    search_page,
    session_page,
    tasks_page,
    terms,
    timeline_page,
    write_page,
)
from rituals.serve.web.tip_view.tip_view import TipView


class Row(Record):
    """One address."""

    path: str  #: with the parts in braces that vary
    page: Callable[[TipView, Asked], Page]  #: makes it
    menu: str = ""  #: its name in the navigation, "" where it stands there not
    key: str = ""  #: goes there behind `g`


ROWS = (
    Row("/", now_page.now, "Now", "n"),
    Row("/decisions", decisions_page.decisions, "Decisions", "d"),
    Row("/review", review_page.review, "Review", "r"),
    Row("/fact/{id}", fact_page.fact),
    Row("/file/{path:path}", fact_page.file),
    Row("/session/{stem}", session_page.session),
    Row("/search", search_page.search),
    Row("/timeline", timeline_page.timeline, "Timeline", "t"),
    Row("/health", health_page.health, "Health", "h"),
    Row("/tasks", tasks_page.tasks, "Tasks"),
    Row("/facts", facts_page.facts, "Facts"),
    Row("/review/learn", review_page.learning, "Worth keeping"),
    Row("/write/{form}", write_page.write),
    Row("/help", terms.help),
)
#: What stands in the navigation: (address, name, key).
MENU = tuple((row.path, row.menu, row.key) for row in ROWS if row.menu)
