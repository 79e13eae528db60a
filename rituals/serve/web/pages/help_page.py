"""Explain the words and pictures of the pages, and what a site of files leaves out."""

from __future__ import annotations

from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.terms import PICTURES, TIERS_SAID, WORDS, meaning
from rituals.serve.web.tip_view.tip_view import TipView


def help(tip: TipView, asked: Asked) -> Page:
    """Return the page that explains the others."""
    windows = tip.state.policy.windows
    groups = {
        title: [(term, meaning(term.word, windows)) for term in terms]
        for title, terms in (("Tiers", TIERS_SAID), ("Pictures", PICTURES), ("Words", WORDS))
    }
    withheld = sum([one.fact.redacted for one in tip.standings.values()])
    return Page("help", "Help", {"groups": groups, "withheld": withheld})
