"""Show what is to be decided: contradictions, questions of the review, and what could be learned.

The page shows of each sort as much as one looks at in a sitting; all of one rule have an address of their
own, some at a time. So has what could be learned: to find that takes longer than all else, and nobody who
answers a question should wait for it.
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
    RULES,
    STALLED,
    Question,
    accepting,
)
from rituals.serve.web.actions.form_fields import LEARN, LIMIT_IDS, REVIEW
from rituals.serve.web.tip_view import Asked, Page, TipView, number_in

#: How many questions the page shows beside the invariants, and of each rule; how many invariants to tick;
#: and how many of one rule stand on a page of their own.
_CARDS, _FEW, _TICKS, _SOME = 12, 3, 24, 12
#: How many characters of text the contradictions of one page have.
_TORN_CHARS = 24_000
#: Stands for a rule where threads of earlier reviews are listed whose questions do not arise any more.
SETTLED = "settled"
#: Rules whose questions are answered by a command about facts: (action, field, what it is called).
_BY_FACT = {
    INVARIANT_DUE: ("confirm", "id", "Confirm what is ticked"),
    STALLED: ("shut", "id", "Close what is ticked"),
    SETTLED: ("shut", "id", "Close what is ticked"),
}
_SETTLED_TITLE = "Threads whose questions are settled"


def review(tip: TipView, asked: Asked) -> Page:
    """Return the page of what is to be decided, or of all questions of one rule."""
    groups, rule = dict(tip.questions), asked.get("rule", "")
    settled = [one.id for one in tip.plan.settled]
    if asked.get("tick", "") and (rule in groups or (rule == SETTLED and settled)):
        return _ticks(tip, rule, groups.get(rule, []), asked["tick"] == "all")
    values: dict[str, Any] = {
        "rules": RULES, "command": REVIEW, "accepting": accepting,
        "texts_of": partial(_texts, tip),
        #: the thread that asks a question already, by the question's key
        "threads": {key: one.id for one in tip.plan.raised if not one.closed for key in one.keys},
    }  # fmt: skip
    if rule in groups:
        start = min(number_in(asked, "from"), (len(groups[rule]) - 1) // _SOME * _SOME)
        values |= {"rule": rule, "questions": groups[rule], "start": start, "some": _SOME}
        return Page("questions", RULES[rule].heading, values)
    found = [torn(tip, one) for one in tip.disputes]
    found.sort(key=lambda one: (one["newest"], one["uses"]), reverse=True)
    shown, chars = 0, 0
    while shown < len(found) and (not shown or chars < _TORN_CHARS):
        chars += 200 + sum([len(choice.text) for choice in found[shown]["dispute"].choices])
        shown += 1
    due = groups.pop(INVARIANT_DUE, [])
    few = max(1, min(_FEW, _CARDS // max(len(groups), 1)))
    places = [[one["anchor"] for one in found[:shown]], [f"g-{INVARIANT_DUE}"] * bool(due)]
    # behind those that are shown the next one of its rule takes a place
    places += [[f"q-{one.key}" for one in some[: few + 1]] for some in groups.values()]
    places += [[f"t-{id}" for id in settled]]
    values |= {
        "torn": found, "shown": shown, "due": due, "ticks_shown": _TICKS, "groups": groups, "few": few,
        "settled": settled, "settled_title": _SETTLED_TITLE, "then": _following(places),
        "overdue": tip.plan.due, "asked": tip.waiting,
    }  # fmt: skip
    return Page("review", "Review", values)


def _following(groups: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return by the place of each card where a reader goes on who answered it: never to the top."""
    places = [one for group in groups for one in group]
    return dict(zip(places, [*places[1:], *places[-2:-1]], strict=False))


def _ticks(tip: TipView, rule: str, questions: Sequence[Question], checked: bool) -> Page:
    """Return the page of all questions of a rule as lines to tick, as many as one log takes.

    A line is (what the form sends, the id that stands there, what was found); `reject` is "" where that
    is no answer to several.
    """
    by_fact, reject = _BY_FACT.get(rule), ""
    title = _SETTLED_TITLE if rule == SETTLED else RULES[rule].heading
    if rule == SETTLED:
        said = "its questions do not arise any more"
        lines = [(one.id, one.id, said) for one in tip.plan.settled]
    else:
        facts = [(one, one.facts[0] if one.facts else "") for one in questions]
        lines = [(id if by_fact else one.key, id, one.said) for one, id in facts]
        reject = "" if by_fact else RULES[questions[0].rule].reject
    action, field, accept = by_fact or ("answer", "key", accepting(questions[0]))
    values = {
        "rule": rule, "ticks": lines[:LIMIT_IDS], "total": len(lines), "action": action, "field": field,
        "accept": accept, "reject": reject, "checked": checked, "texts_of": partial(_texts, tip),
    }  # fmt: skip
    return Page("ticks", title, values)


def _texts(tip: TipView, ids: Iterable[str]) -> list[tuple[str, str]]:
    """Return the texts of facts by their ids, of those that are shown."""
    facts = filter(None, map(tip.state.fact, ids))
    return [(one.id, one.text) for one in facts if one.text and not one.redacted]


def learning(tip: TipView, asked: Asked) -> Page:
    """Return the page of what could be learned."""
    return Page("learning", "Worth keeping?", {"plan": tip.learn_plan, "command": LEARN})


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
