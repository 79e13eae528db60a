"""Show what auditors, tests and linters found: what came back, what is open, and what is fixed."""

from __future__ import annotations

from ledger.model.record import Record
from projection.graph.fact_links import footer
from projection.work.finding_facts import FIXED, OPEN, REGRESSED
from projection.work.tracked_tasks import MEDIUM, PRIORITIES
from rituals.review.learning.finding_reports import Listed, listed
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

#: How many findings of one state are shown.
FINDINGS = 100


class Group(Record):
    """The findings of one state."""

    state: str  #: which one
    found: tuple[Listed, ...]  #: those of a high priority first, then by age, the newest first
    more: int  #: how many are not shown


def findings(tip: TipView, asked: Asked) -> Page:
    """Return the page of the findings."""
    by_state: dict[str, list[Listed]] = {REGRESSED: [], OPEN: [], FIXED: []}
    for one in listed(tip.memory):
        by_state[one.finding.state].append(one)
    groups = [_group(state, found) for state, found in by_state.items() if found]
    shown = [one.standing.fact for group in groups for one in group.found]
    values = {
        "groups": groups,
        "open": len(by_state[REGRESSED]) + len(by_state[OPEN]),
        "writers": tip.writers([fact.origin for fact in shown]),
    }
    return Page("findings", "Findings", values)


def _group(state: str, found: list[Listed]) -> Group:
    found.sort(key=lambda one: one.standing.fact.born, reverse=True)
    found.sort(key=_rank)
    return Group(state, tuple(found[:FINDINGS]), max(len(found) - FINDINGS, 0))


def _rank(one: Listed) -> int:
    said = footer(one.standing.fact, "priority").strip().lower()
    return PRIORITIES.index(said if said in PRIORITIES else MEDIUM)
