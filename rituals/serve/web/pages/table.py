"""List the pages: address, what makes it, and where it stands in the navigation."""

from __future__ import annotations

from collections.abc import Callable

from ledger.model.record import Record
from rituals.serve.web.page import Asked, Page
from rituals.serve.web.pages.now import now
from rituals.serve.web.tip_view.tip_view import TipView


class Row(Record):
    """One address.

    Args:
        path: with the parts in braces that vary.
        page: makes it.
        menu: its name in the navigation, "" where it stands there not.
        key: goes there behind `g`.
    """

    path: str
    page: Callable[[TipView, Asked], Page]
    menu: str = ""
    key: str = ""


ROWS = (
    Row("/", now, "Now", "n"),
)  # fmt: skip
