"""List the pages: address, what makes it, and where it stands in the navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ledger.model.record import Record
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages import (
    decisions_page,
    entities_page,
    fact_page,
    facts_page,
    file_page,
    findings_page,
    health_page,
    help_page,
    now_page,
    review_page,
    roles_page,
    search_page,
    session_page,
    tasks_page,
    then_page,
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
    #: parts of the tip that take long (`tip_view.tip_view`): they are prepared beside other
    #: requests before the page is asked
    needs: tuple[str, ...] = ()
    #: lists the addresses that a site of files has of it; None for the path alone
    addresses: Callable[[TipView], Iterable[str]] | None = None


ROWS = (
    Row("/", now_page.now, "Now", "n", addresses=now_page.addresses),
    Row(
        "/decisions",
        decisions_page.decisions,
        "Decisions",
        "d",
        ("origins",),
        decisions_page.addresses,
    ),
    Row("/review", review_page.review, "Review", "r", ("plan",), review_page.addresses),
    Row("/fact/{id}", fact_page.fact, addresses=fact_page.addresses),
    Row("/file/{path:path}", file_page.file, addresses=file_page.of_this_clone),
    Row("/session/{stem}", session_page.session, addresses=session_page.addresses),
    Row("/search", search_page.search, needs=("recall",)),
    Row("/timeline", timeline_page.timeline, "Timeline", "t", addresses=timeline_page.addresses),
    Row("/then", then_page.then, "Then", "p", needs=("lives", "past")),
    Row("/health", health_page.health, "Health", "h", needs=("report",)),
    Row("/tasks", tasks_page.tasks, "Tasks"),
    Row("/findings", findings_page.findings, "Findings"),
    Row("/facts", facts_page.facts, "Facts", "", ("report",), facts_page.addresses),
    Row("/roles", roles_page.roles, "Roles"),
    Row("/entities", entities_page.entities, "Entities"),
    Row(
        "/review/learn",
        review_page.learning,
        "Worth keeping",
        needs=("learn_plan",),
        addresses=review_page.of_this_machine,
    ),
    Row("/entities/{name:path}", entities_page.entity, addresses=entities_page.addresses),
    Row("/write/{form}", write_page.write, addresses=review_page.of_this_machine),
    Row("/help", help_page.help),
)  # fmt: skip
#: What stands in the navigation: (address, name, key).
MENU = tuple((row.path, row.menu, row.key) for row in ROWS if row.menu)
