"""Show what holds now: the live facts, by the sections of the policy, and what needs somebody."""

from __future__ import annotations

from projection.document.render import section_title
from projection.fold.state import TIERS, Standing
from rituals.serve.web.page import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView


def now(tip: TipView, asked: Asked) -> Page:
    """Return the page of what holds."""
    view = tip.state.view()
    groups: dict[str, list[Standing]] = {
        section_title(view.policy, one.name): [] for one in view.policy.kinds
    }
    for standing in view.live:
        groups.setdefault(section_title(view.policy, standing.fact.kind), []).append(standing)
    sections = [
        (title, sorted(found, key=lambda one: (-one.fact.uses, one.fact.id)))
        for title, found in groups.items()
        if found
    ]
    return Page(
        "now", "Now", {"sections": sections, "tiers": dict(zip(TIERS, view.tiers, strict=True))}
    )
