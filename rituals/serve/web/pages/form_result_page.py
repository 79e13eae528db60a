"""Say what became of a form that had nothing to record, what is not there, and what is not there yet."""

from __future__ import annotations

from ledger.errors import DiurnaError
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.page_value import Page


def already(recorded: Recorded, back: str) -> Page:
    """Return the page of a form that had nothing to record, as one that is sent twice.

    `back` is the address of the page that had the form.
    """
    return Page("already", "Nothing left to record", {"said": recorded.already, "back": back})


def missing(problem: DiurnaError) -> Page:
    """Return the page of what is not there, with what was meant perhaps."""
    return Page("missing", "Not here", {"said": problem.message, "hint": problem.hint}, 404)


def working() -> Page:
    """Return the page that stands for one whose parts take long: it is asked for again by itself."""
    return Page("working", "Working…", {}, 202)
