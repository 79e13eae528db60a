"""Write the view `decisions`: what was decided, numbered, the newest first and whole.

A decision's number is its place among all facts that ever were decisions, in the order of the logs that
made them so. A log that is appended sorts behind all others, so it changes no number, and neither does
what happens to a decision later: superseded, invalidated, withheld or of another kind, it keeps its own.
Only a log that arrives late, from a clone that worked beside this one, moves up the numbers behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ledger.model.event import FactCreated, FactUpdated, decides
from projection.document.page_renderer import one_line
from projection.fold.fact_history import Fact, History
from projection.graph.fact_links import footer
from projection.views.decision_changes import MADE, changes, reason_in
from projection.views.view_page import Item, Page, Section, fact_item, told
from projection.views.view_source import ViewSource

KIND = "decision"
#: How many stand whole; of the others one line tells.
WHOLE = 10
EARLIER = "Earlier"
LABEL = "Decision: "
NONE = "None."
NOT_SAID = "not recorded"


def decisions(source: ViewSource) -> Page:
    """Write the view."""
    numbers = numbered(source.histories)
    facts = [one.fact for one in source.shared() if one.fact.kind == KIND]
    shown = [(numbers[fact.id], fact) for fact in facts if fact.id in numbers]
    shown.sort(key=lambda row: (-row[0], row[1].id))
    named = [(f"DEC-{number:03d}: {told(fact)}", fact) for number, fact in shown]
    sections = [_whole(source, title, fact) for title, fact in named[:WHOLE]]
    lines = [
        f"- {title} ({fact.created or NOT_SAID}, {status(fact)}) `{fact.id}`"
        for title, fact in named[WHOLE:]
    ]
    sections.append(Section(EARLIER, tuple(lines) or (NONE,)))
    return Page(f"Decisions — {source.policy.project}", "", tuple(sections))


def numbered(histories: Mapping[str, History]) -> dict[str, int]:
    """Return the number of each fact that ever was a decision."""
    births = [(*born, fact) for fact, history in histories.items() if (born := birth(history))]
    return {born[-1]: number for number, born in enumerate(sorted(births), 1)}


def birth(history: History) -> tuple[str, str] | None:
    """Return (log, date) at which a fact became a decision; None for one that never was.

    Of what one import brought, each has the date that it came with.
    """
    for act in history.acts:
        event = act.event
        if isinstance(event, FactCreated | FactUpdated) and decides(event):
            return act.stem, dict(event.meta).get("created", act.stem[:10])
    return None


def _author(history: History) -> str:
    """Return who made a fact a decision, as the header of that log says."""
    for act in history.acts:
        if decides(act.event):
            return one_line(act.by.agent) or NOT_SAID
    return NOT_SAID


def _whole(source: ViewSource, title: str, fact: Fact) -> Section:
    lines: tuple[Item | str, ...] = (
        f"- Date: {fact.created or NOT_SAID}",
        f"- Decided by: {_author(source.histories[fact.id])}",
        fact_item(fact, label=LABEL),
        f"- Rationale: {rationale(fact)}",
        f"- Status: {status(fact)}",
        *_later(source, fact),
    )
    return Section(title, lines)


def _later(source: ViewSource, fact: Fact) -> Iterator[str]:
    """Say what became of a decision since it was made: when, by whom, and what it said before."""
    by = {act.stem: act.by.agent for act in source.histories[fact.id].acts}
    for one in changes(fact.id, source.histories, KIND):
        if one.did != MADE:
            before = f", it said: {one_line(one.before)}" if one.before else ""
            why = f" ({one_line(one.reason)})" if one.reason else ""
            who = f" by {one_line(by[one.key])}" if by[one.key] else ""
            yield f"- {one.did.capitalize()}: {one.key[:10]}{who}{why}{before}"


def status(fact: Fact) -> str:
    """Say whether a decision holds."""
    if fact.superseded_by:
        return f"superseded by {', '.join(fact.superseded_by)}"
    if fact.invalidated_at:
        return "invalidated"
    return "contradicted" if fact.contradicted else "accepted"


def rationale(fact: Fact) -> str:
    """Return why: what the footer `rationale` says, a line called so, or what follows `because`."""
    said = footer(fact, "rationale")
    if said or fact.redacted or not fact.heads:
        return said or NOT_SAID
    return reason_in(fact.heads[0].text) or NOT_SAID
