"""Show what is to be decided: contradictions first, then the questions of the review by what hurts.

The page shows of each sort as much as one looks at in a sitting; all of one rule have an address of their
own, some at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from ledger.model.ids import is_version_id
from rituals.decide.open_contradictions import (
    BIRTH,
    CIRCLE,
    CLOSED,
    DECLARED,
    MOVED,
    REWORDED,
    SUCCESSOR,
    TEXT,
    Choice,
    Dispute,
)
from rituals.review.questions import (
    INVARIANT_DUE,
    OVERLAP,
    PROMOTION,
    RULES,
    STALLED,
    STALLED_RULES,
    Question,
    accepting,
)
from rituals.serve.web.actions.form_fields import LIMIT_IDS, REVIEW
from rituals.serve.web.pages.filter_bar import FilterBar, page_of
from rituals.serve.web.tip_view import Asked, Page, TipView

#: How many questions the page shows beside the invariants, and of each rule; how many invariants to tick;
#: and how many of one rule stand on a page of their own.
_CARDS, _FEW, _TICKS, _SOME = 12, 3, 24, 12
#: How many characters of text the contradictions of one page have.
_TORN_CHARS = 24_000
#: Rules whose questions are answered by a command about facts: (action, field, what it is called).
_BY_FACT = {
    INVARIANT_DUE: ("confirm", "id", "Confirm what is ticked"),
    STALLED: ("shut", "id", "Close what is ticked"),
}
#: What hurts less than what is false, tasks and threads: it stands folded below them.
_FOLDED = frozenset((PROMOTION, OVERLAP, "thread-wordy", "id-dangling"))


def review(tip: TipView, asked: Asked) -> Page:
    """Return the page of what is to be decided, or of all questions of one rule."""
    rule = asked.get("rule", "")
    groups: dict[str, list[Question]] = {}
    for one in sorted(tip.plan.unanswered, key=_weight):
        groups.setdefault(one.rule, []).append(one)
    if rule in groups and asked.get("tick", ""):
        return _ticks(tip, rule, groups[rule], asked["tick"] == "all")
    found: list[dict[str, Any]] = []
    due: list[Question] = []
    pages: dict[str, Any] = {}
    few, shown, chars = _SOME, 0, 0
    if rule in groups:
        some, pages = page_of(groups[rule], asked, _SOME)
        groups = {rule: list(some)}
    else:
        rule, due = "", groups.pop(INVARIANT_DUE, [])
        few = max(1, min(_FEW, _CARDS // max(len(groups), 1)))
        found = [torn(tip, one) for one in tip.disputes]
        found.sort(key=lambda one: (one["newest"], one["uses"]), reverse=True)
    while shown < len(found) and (not shown or chars < _TORN_CHARS):
        chars += 200 + sum([len(choice.text) for choice in found[shown]["dispute"].choices])
        shown += 1
    places = [[one["anchor"] for one in found[:shown]], [f"g-{INVARIANT_DUE}"] * bool(due)]
    # behind those that are shown the next one of its rule takes a place
    places += [[f"q-{one.key}" for one in some[: few + 1]] for some in groups.values()]
    values = {
        "rules": RULES,
        "rule": rule,
        "pages": pages,
        "bar": FilterBar("/review", {}, {"rule": rule}, {}),
        "command": REVIEW,
        "accepting": accepting,
        "texts_of": partial(_texts, tip),
        #: the thread that asks a question already, by the question's key
        "threads": {key: one.id for one in tip.plan.raised if not one.closed for key in one.keys},
        "torn": found,
        "shown": shown,
        "due": due,
        "ticks_shown": _TICKS,
        "groups": groups,
        "few": few,
        "folded": () if rule else _FOLDED,
        "waits": sum([len(some) for name, some in groups.items() if name in _FOLDED]),
        "then": _following(places),
        "overdue": tip.plan.due,
        "asked": len(tip.disputes) + len(tip.plan.unanswered),
    }
    return Page("review", RULES[rule].heading if rule else "Review", values)


def _weight(question: Question) -> int:
    """Return how far down a question stands: what became false, what stalled, what can wait."""
    return 2 if question.rule in _FOLDED else question.rule in STALLED_RULES.values()


def _following(groups: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return by the place of each card where a reader goes on who answered it: never to the top."""
    places = [one for group in groups for one in group]
    return dict(zip(places, [*places[1:], *places[-2:-1]], strict=False))


def _ticks(tip: TipView, rule: str, questions: Sequence[Question], checked: bool) -> Page:
    """Return the page of all questions of a rule as lines to tick, as many as one log takes.

    A line is (what the form sends, the id that stands there, what was found); `reject` is "" where that
    is no answer to several.
    """
    by_fact = _BY_FACT.get(rule)
    facts = [(one, one.facts[0] if one.facts else "") for one in questions]
    lines = [(id if by_fact else one.key, id, one.said) for one, id in facts]
    reject = "" if by_fact else RULES[rule].reject
    action, field, accept = by_fact or ("answer", "key", accepting(questions[0]))
    values = {
        "rule": rule, "ticks": lines[:LIMIT_IDS], "total": len(lines), "action": action, "field": field,
        "accept": accept, "reject": reject, "checked": checked, "texts_of": partial(_texts, tip),
    }  # fmt: skip
    return Page("ticks", RULES[rule].heading, values)


def _texts(tip: TipView, ids: Iterable[str]) -> list[tuple[str, str]]:
    """Return the texts of facts by their ids, of those that are shown."""
    facts = filter(None, map(tip.state.fact, ids))
    return [(one.id, one.text) for one in facts if one.text and not one.redacted]


#: Contradictions of texts: another text may settle them.
_TEXTUAL = (TEXT, BIRTH, CLOSED, REWORDED)


def torn(tip: TipView, dispute: Dispute) -> dict[str, Any]:
    """Return a contradiction as it is shown.

    `anchor` is its place, `seen` all sides of its fact, `before` the text that sides take the place of,
    `texts` two that can be compared, `draft` one that a person can go on from, "" for none.
    """
    fact, of_fact = tip.state[dispute.fact].fact, tip.of_fact(dispute.fact)
    textual = dispute.kind in _TEXTUAL and not fact.redacted
    texts = [one.text for one in dispute.choices if textual and is_version_id(one.id)]
    apart = dispute.kind in (SUCCESSOR, MOVED) and not fact.redacted
    # the fact's page leads to that of the first kind
    first = dispute == next(one for one in of_fact if one.fact == dispute.fact)
    return {
        "dispute": dispute, "anchor": f"c-{dispute.fact}" + ("" if first else f"-{dispute.kind}"),
        "sides": [(choice, *_keeping(dispute, choice)) for choice in dispute.choices],
        "seen": tuple({one.id: 0 for own in of_fact if own.fact == dispute.fact for one in own.choices}),
        "uses": fact.uses, "before": fact.text if apart else "", "texts": texts if len(texts) == 2 else (),
        "draft": texts[0] if texts else "",
        "both": dispute.kind == DECLARED,
        "newest": max([choice.stem for choice in dispute.choices], default=""),
    }  # fmt: skip


def _keeping(dispute: Dispute, choice: Choice) -> tuple[str, str]:
    """Return what keeping a side is called, and the fact that the side is, "" for a text or a state."""
    kind, is_text = dispute.kind, is_version_id(choice.id)
    if kind == CLOSED:
        return "It is closed" if choice.closed else "It is open, with this text", ""
    if kind == MOVED:
        return f"It is {choice.text}", ""
    if kind == REWORDED and (is_text or choice.id == choice.stem):
        return "It holds, in these words" if is_text else "It is false", ""
    if kind in (SUCCESSOR, REWORDED):
        return "This one replaces it", choice.id
    if kind in (CIRCLE, DECLARED):
        return "This one holds" if kind == CIRCLE else f"Keep {choice.id}", choice.id
    return "Keep this", ""
