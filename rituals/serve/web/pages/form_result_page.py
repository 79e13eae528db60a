"""Say what became of a form where no page of its own follows: refused, or nothing to record."""

from __future__ import annotations

from ledger.errors import DiurnaError, WaitsInSpool
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.page_value import Page


def refused(problem: DiurnaError, back: str, status: int) -> Page:
    """Return the page of a form that was refused; `back` is the address of the page that had the form."""
    waits = isinstance(problem, WaitsInSpool)
    said = problem.message if problem.where in problem.message else str(problem)
    values = {"said": said, "hint": problem.hint, "back": back, "waits": waits}
    return Page("refused", "Not committed yet" if waits else "Nothing was recorded", values, status)


def already(recorded: Recorded, back: str) -> Page:
    """Return the page of a form that had nothing to record, as one that is sent twice.

    `back` is the address of the page that had the form.
    """
    return Page("already", "Nothing left to record", {"said": recorded.already, "back": back})


def missing(problem: DiurnaError) -> Page:
    """Return the page of what is not there, with what was meant perhaps."""
    return Page("missing", "Not here", {"said": problem.message, "hint": problem.hint}, 404)
