"""Say that there is nothing of a name."""

from __future__ import annotations

from ledger.errors import DiurnaError
from rituals.serve.web.page_value import Page


def missing(problem: DiurnaError) -> Page:
    """Return the page of what is not there, with what was meant perhaps."""
    return Page("missing", "Not here", {"said": problem.message, "hint": problem.hint}, 404)
