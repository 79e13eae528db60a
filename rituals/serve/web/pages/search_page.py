"""Show what answers a question: what holds, and what was said."""

from __future__ import annotations

from memory.recall.recall_values import FACTS, INDEX, LEVELS, SESSIONS, Filters
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

_HITS = 20
#: What people call the levels and the places; "" stands for both places.
LEVEL_WORDS = dict(zip(LEVELS, ("lines", "what is around", "all of it"), strict=True))
PLACES = {"": "everything", FACTS: "facts", SESSIONS: "sessions"}


def search(tip: TipView, asked: Asked) -> Page:
    """Return the page of a question; the home of a person is never asked."""
    words, level, within = asked.get("q", "").strip(), asked.get("level", ""), asked.get("in", "")
    level = level if level in LEVELS else INDEX
    within = within if within in PLACES else ""
    found = None
    if words:
        filters = Filters(within=within)
        found = tip.memory.recall(words, level=level, limit=_HITS, filters=filters, explain=True)
    hits = found.hits if found else ()
    values = {
        "q": words,
        "level": level,
        "within": within,
        "levels": LEVEL_WORDS,
        "places": PLACES,
        "found": found,
        "top": max([hit.score for hit in hits], default=1) or 1,
        "standings": tip.standings,
    }
    return Page("search", words or "Search", values)
