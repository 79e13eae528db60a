"""Define a page as a value, and what a page is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.model.record import Record

#: What stands in an address: its query, and the parts of its path that a pattern names.
Asked = Mapping[str, str]


class Page(Record):
    """What one address shows, before it is written as HTML."""

    template: str  #: its name, without the ending
    title: str  #: of the window, in front of the project's name
    values: Mapping[str, Any]  #: what the template is filled with: values of memory, never markup
    status: int = 200  #: of the answer: 200, or 404 where there is nothing of that name


def number_in(asked: Asked, name: str, usual: int = 0) -> int:
    """Return the number that stands in an address under a name; what is none is the usual one."""
    said = asked.get(name, "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 8 else usual
