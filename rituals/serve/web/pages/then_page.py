"""Show what held at a point of the past, and what became of it since."""

from __future__ import annotations

from ledger.errors import NotFound
from ledger.model.order import is_stem, stem_in
from ledger.model.record import Record
from projection.document.page_renderer import section_title
from projection.fold.projection_state import SUPERSEDED, TIERS, Standing
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

#: How many facts stand below one heading, and ids in one list of what became of them.
_MOST_FACTS, _MOST_IDS = 60, 6


class Held(Record):
    """A fact as it was."""

    then: Standing  #: where it stood, and its text at that time
    became: str  #: what happened to it since, "" where it holds as it was


class Section(Record):
    """Facts below one heading: those that are shown, and how many there were."""

    title: str
    facts: tuple[Held, ...]
    total: int


class Became(Record):
    """What happened to some facts since: in one word, to which, and to how many."""

    word: str
    facts: tuple[str, ...]
    total: int


def then(tip: TipView, asked: Asked) -> Page:
    """Return the page of what held after a session."""
    session = session_asked(tip, asked.get("at", ""))
    past = tip.past.at(session)
    since = tip.past.since(session)
    values = {
        "session": session,
        "sessions": len(tip.work),
        "date": tip.work[session - 1][:10] if session else "",
        "last": past.stem,
        "tiers": list(zip(TIERS, past.tiers, tip.state.view().tiers, strict=True)),
        "sections": sections_of(tip, past.live),
        "count": len(past.live),
        "since": [
            Became(word, ids[:_MOST_IDS], len(ids))
            for word, ids in zip(since._fields, since, strict=True)
        ],
    }
    return Page("then", "Then", values)


def session_asked(tip: TipView, at: str) -> int:
    """Return the session that an address names: by its number, a stem or a date; one review ago for "".

    Raises:
        NotFound: it names none.
    """
    last = len(tip.work)
    if not at:
        return max(last - tip.state.policy.review.every, 0)
    if at.isascii() and at.isdigit() and len(at) < len("2026-01-01"):
        return min(int(at), last)
    if is_stem(stem_in(at)):
        return tip.past.session_of(at)
    raise NotFound(f"{at} is no session", hint="a number, the stem of a log, or a day: 2026-05-31")


def sections_of(tip: TipView, live: tuple[Standing, ...]) -> list[Section]:
    """Return the facts of a time by section, the most used first."""
    policy = tip.state.policy
    groups: dict[str, list[Standing]] = {
        section_title(policy, one.name): [] for one in policy.kinds
    }
    for standing in live:
        groups.setdefault(section_title(policy, standing.fact.kind), []).append(standing)
    found = []
    for title, facts in groups.items():
        facts.sort(key=lambda one: (-one.fact.uses, one.fact.id))
        held = [Held(one, became(one, tip.standings[one.fact.id])) for one in facts[:_MOST_FACTS]]
        if held:
            found.append(Section(title, tuple(held), len(facts)))
    return found


def became(then: Standing, now: Standing) -> str:
    """Say what happened to a fact that held; "" where it holds as it did."""
    if now.reason == SUPERSEDED:
        return f"superseded by {', '.join(now.fact.superseded_by)}"
    if not now.live:
        return now.reason
    if now.fact.closed and not then.fact.closed:
        return "closed"
    if [one.id for one in now.fact.heads] != [one.id for one in then.fact.heads]:
        return "reworded"
    return ""
