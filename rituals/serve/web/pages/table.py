"""List the pages: address, what makes it, and where it stands in the navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ledger.model.record import Record
from rituals.serve.web.page import Asked, Page
from rituals.serve.web.pages import (
    entities,
    fact,
    file,
    health,
    now,
    review,
    roles,
    search,
    session,
    tasks,
    then,
    timeline,
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
    Row("/", now.now, "Now", "n", addresses=now.addresses),
    Row("/review", review.review, "Review", "r", ("plan",), review.addresses),
    Row("/review/learn", review.learning, needs=("learn_plan",), addresses=review.of_this_machine),
    Row("/fact/{id}", fact.fact, addresses=fact.addresses),
    Row("/file/{path:path}", file.file, addresses=file.of_this_clone),
    Row("/session/{stem}", session.session, addresses=session.addresses),
    Row("/search", search.search, needs=("recall",)),
    Row("/timeline", timeline.timeline, "Timeline", "t", addresses=timeline.addresses),
    Row("/then", then.then, "Then", "p", needs=("lives", "past")),
    Row("/health", health.health, "Health", "h", needs=("report",)),
    Row("/tasks", tasks.tasks, "Tasks"),
    Row("/roles", roles.roles, "Roles"),
    Row("/entities", entities.entities, "Entities"),
    Row("/entities/{name:path}", entities.entity, addresses=entities.addresses),
)  # fmt: skip
#: What stands in the navigation: (address, name, key).
MENU = tuple((row.path, row.menu, row.key) for row in ROWS if row.menu)
