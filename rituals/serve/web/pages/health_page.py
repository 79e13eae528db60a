"""Show how a memory lives: its tiers over time, what fades next, what it cost and did."""

from __future__ import annotations

from bisect import bisect_right

from projection.fold.projection_state import ARCHIVED_TIERS
from projection.lifecycle.transitions import fading
from rituals.serve.web.pages.facts_page import listed
from rituals.serve.web.pictures import Tick, evenly
from rituals.serve.web.tip_view import Asked, Page, TipView

#: How many points of time the table has, and how many lines each list, at most.
_POINTS, _LINES = 24, 12
#: The months that are named below the tiers.
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def health(tip: TipView, asked: Asked) -> Page:
    """Return the page of how a memory lives."""
    report, course = tip.report, tip.report.course
    soon = fading(tip.standings.values(), tip.state.decay, tip.state.policy)
    resting = report.resting
    values = {
        "report": report,
        "unused": len([*listed(tip, "never")]),
        "live": [one for one in course.tiers if one[0] not in ARCHIVED_TIERS],
        "points": [
            (course.sessions[at], course.dates[at], [row[at] for _, row in course.tiers])
            for at in reversed(evenly(len(course.sessions), _POINTS))
        ],
        "marks": marks_of(tip),
        "soon": soon[:_LINES],
        "paced": bool(tip.state.policy.windows.archive_days),
        "later": max(len(soon) - _LINES, 0),
        "costs": report.costs[: -_LINES - 1 : -1],
        "resting": resting[:_LINES],
        "more_resting": max(len(resting) - _LINES, 0),
        "authors": report.authors[:_LINES],
        "more_authors": max(len(report.authors) - _LINES, 0),
    }
    return Page("health", "Health", values)


def marks_of(tip: TipView) -> tuple[list[Tick], list[Tick]]:
    """Return what stands below the tiers: the releases, and where each month and year begins."""
    releases = [(bisect_right(tip.state.work, at), name, name) for name, at in tip.releases]
    months: dict[str, Tick] = {}
    for session, stem in enumerate(tip.state.work):
        name = stem[:4] if stem[5:7] == "01" else _MONTHS[int(stem[5:7]) - 1]
        months.setdefault(stem[:7], (session, name, stem[:7]))
    return releases, list(months.values())
