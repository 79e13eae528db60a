"""Show what is to be decided: contradictions, questions of the review, and what could be learned.

The page shows of each sort as much as one looks at in a sitting; all of one rule have an address of their
own, some at a time. So has what could be learned: to find that takes longer than all else, and nobody who
answers a question should wait for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ledger.model.ids import is_version_id
from projection.fold.full_replay import State
from projection.lifecycle.review_threads import Raised
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
from rituals.review.learning_plan import Plan as LearnPlan
from rituals.review.questions import (
    INVARIANT_DUE,
    RULES,
    STALLED,
    Question,
    accepting,
    rejecting,
)
from rituals.serve.web.actions.form_fields import LEARN, LIMIT_IDS, REVIEW
from rituals.serve.web.actions.form_shapes import command
from rituals.serve.web.tip_view import Asked, Page, TipView, number_in

#: How many questions the page shows beside the invariants, and of each rule; how many invariants to tick;
#: and how many of one rule stand on a page of their own.
_CARDS, _FEW, _TICKS, _SOME = 12, 3, 24, 12
#: How many characters of text the contradictions of one page have, and one question whose text can be
#: edited where it stands.
_TORN_CHARS, _DRAFT_CHARS = 24_000, 600
#: Stands for a rule where threads of earlier reviews are listed whose questions do not arise any more.
SETTLED = "settled"
#: Rules whose questions are answered by a command about facts: (action, field, what it is called).
_BY_FACT = {
    INVARIANT_DUE: ("confirm", "id", "Confirm what is ticked"),
    STALLED: ("shut", "id", "Close what is ticked"),
}
_SETTLED_TITLE = "Threads whose questions are settled"


def review(tip: TipView, asked: Asked) -> Page:
    """Return the page of what is to be decided, or of all questions of one rule."""
    groups = dict(tip.questions)
    rule = asked.get("rule", "")
    if asked.get("tick", "") and (rule in groups or (rule == SETTLED and tip.plan.settled)):
        ticks = tick_list(tip, rule, groups.get(rule, []))
        ticks["checked"] = asked["tick"] == "all"
        return Page("ticks", ticks["title"], {"list": ticks})
    if rule in groups:
        return _of_rule(tip, groups[rule], number_in(asked, "from"))
    found = torn(tip.state, tip.disputes)
    shown = _first(found)
    due = groups.pop(INVARIANT_DUE, [])
    few = max(1, min(_FEW, _CARDS // max(len(groups), 1)))
    learning = vars(tip).get("learn_plan")
    listed = [_group(tip, name, some, few) for name, some in groups.items()]
    ticks_group = _group(tip, INVARIANT_DUE, due, _TICKS)
    settled = _settled(tip)
    values = {
        "torn": shown,
        "more_torn": found[len(shown) :],
        "writers": tip.writers({side["choice"].stem for one in shown for side in one["sides"]}),
        "ticks_group": ticks_group,
        "groups": listed,
        "settled": settled,
        "settled_title": _SETTLED_TITLE,
        "then": _following(shown, ticks_group, listed, settled),
        "learning": learning,
        "due": tip.plan.due,
        "asked": tip.waiting,
        "learned": _learned(learning) if learning else 0,
        "command": REVIEW,
    }
    return Page("review", "Review", values)


def _following(
    shown: Iterable[dict[str, Any]], ticks: dict[str, Any], groups: Iterable[dict[str, Any]],
    settled: Iterable[tuple[str, str]],
) -> dict[str, str]:  # fmt: skip
    """Return by the place of each card where a reader goes on who answered it: never to the top."""
    places = [one["anchor"] for one in shown]
    places += [f"g-{INVARIANT_DUE}"] if ticks["total"] else []
    behind: dict[str, str] = {}
    for group in groups:
        places += [card["anchor"] for card in group["cards"]]
        if group["behind"]:
            behind[group["cards"][-1]["anchor"]] = group["behind"]
    places += [f"t-{id}" for id, _ in settled]
    following = dict(zip(places, [*places[1:], *places[-2:-1]], strict=False))
    return following | behind


def tick_list(tip: TipView, rule: str, questions: list[Question]) -> dict[str, Any]:
    """Return all questions of a rule as lines to tick, as many as one log takes.

    A line is (what the form sends, the id that stands there, what is to be judged, what was found);
    `action` and `field` are of the form, `reject` is "" where that is no answer to several.
    """
    if rule == SETTLED:
        lines = [
            (id, id, text, "its questions do not arise any more") for id, text in _settled(tip)
        ]
        title, total, (action, field, accept), reject = (
            _SETTLED_TITLE, len(lines), _BY_FACT[STALLED], "",
        )  # fmt: skip
    else:
        by_fact, title, total = _BY_FACT.get(rule), RULES[rule].heading, len(questions)
        lines = [
            (
                one.facts[0] if by_fact else one.key, one.facts[0] if one.facts else "",
                _text(tip, one.facts[0]) if one.facts else "", one.said,
            )
            for one in questions[:LIMIT_IDS]
        ]  # fmt: skip
        action, field, accept = by_fact or ("answer", "key", accepting(questions[0]))
        reject = "" if by_fact else rejecting(questions[0])
    return {
        "rule": rule, "title": title, "ticks": lines[:LIMIT_IDS], "total": total, "action": action,
        "field": field, "accept": accept, "reject": reject, "checked": False,
    }  # fmt: skip


def _text(tip: TipView, id: str) -> str:
    """Return what a fact says, "" where that is not shown."""
    fact = tip.state.fact(id)
    return fact.text if fact is not None and not fact.redacted else ""


def _first(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the contradictions that one looks at in a sitting: one at least."""
    chars = 0
    for number, one in enumerate(found):
        chars += 200 + sum([len(side["choice"].text) for side in one["sides"]])
        if number and chars > _TORN_CHARS:
            return found[:number]
    return found


def learning(tip: TipView, asked: Asked) -> Page:
    """Return the page of what could be learned; the review shows that there is some once it is known."""
    plan = tip.learn_plan
    values = {"learning": plan, "learned": _learned(plan), "command": LEARN}
    return Page("learning", "Worth keeping?", values)


def _learned(plan: LearnPlan) -> int:
    return len(plan.proposals) + len(plan.promotions)


def _of_rule(tip: TipView, questions: list[Question], start: int) -> Page:
    rule = questions[0].rule
    start = min(start, (len(questions) - 1) // _SOME * _SOME)
    some = questions[start : start + _SOME]
    cards = [_card(tip, one) for one in some]
    group = {"rule": rule, "title": RULES[rule].heading, "cards": cards, "total": len(questions)}
    values = {"group": group, "start": start, "some": _SOME, "command": REVIEW}
    return Page("questions", RULES[rule].heading, values)


def _group(tip: TipView, rule: str, questions: list[Question], most: int) -> dict[str, Any]:
    """Return the questions of a rule; `behind` is the place of the card that comes next."""
    cards = [_card(tip, one) for one in questions[:most]]
    for one in cards:
        one["drafts"] = sum(map(len, dict(one["texts"]).values())) <= _DRAFT_CHARS
    behind = f"q-{questions[most].key}" if len(questions) > most else ""
    return {
        "rule": rule, "title": RULES[rule].heading, "cards": cards, "total": len(questions),
        "behind": behind,
    }  # fmt: skip


def _card(tip: TipView, question: Question) -> dict[str, Any]:
    """Return one question, with the texts of its facts; `does` is what accepting records."""
    return {
        "question": question, "anchor": f"q-{question.key}", "drafts": True,
        "texts": [(id, text) for id in question.facts if (text := _text(tip, id))],
        "accept": accepting(question), "reject": rejecting(question), "does": "; ".join(question.does),
        "thread": next((one.id for one in tip.plan.raised if _asks(one, question)), ""),
    }  # fmt: skip


def _asks(thread: Raised, question: Question) -> bool:
    """Tell whether a thread asks a question already."""
    return not thread.closed and question.key in thread.keys


def _settled(tip: TipView) -> list[tuple[str, str]]:
    """Return the threads of earlier reviews whose questions do not arise any more, with their texts."""
    return [(one.id, _text(tip, one.id)) for one in tip.plan.settled]


#: Contradictions of texts: another text may settle them.
_TEXTUAL = (TEXT, BIRTH, CLOSED, REWORDED)


def torn(state: State, disputes: Sequence[Dispute]) -> list[dict[str, Any]]:
    """Return contradictions as they are shown: the newest first, of one moment the most used first.

    Each has its `dispute`, the `sides`, and the `anchor` of its place on the page; `seen` are the ids
    of all
    sides of the fact, for a form says what was shown. `before` is the text of the fact that is in
    question, where that is another one's; `texts` the two whose difference says most, if there are
    two; `draft` the text with which one of one's own begins, "" where none settles it;
    `open_or_closed`: it has to be said which.
    """
    seen: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for one in disputes:
        seen.setdefault(one.fact, []).extend([choice.id for choice in one.choices])
        first.setdefault(one.fact, one.kind)
    found = []
    for one in disputes:
        fact = state[one.fact].fact
        texts = [choice.text for choice in one.choices if _is_text(one, choice)]
        textual = one.kind in _TEXTUAL and not fact.redacted
        apart = one.kind in (SUCCESSOR, MOVED) and not fact.redacted
        found.append({
            "dispute": one,  # the fact's page leads to that of the first kind
            "anchor": f"c-{one.fact}" + ("" if one.kind == first[one.fact] else f"-{one.kind}"),
            "sides": [_side(one, choice) for choice in one.choices],
            "seen": tuple(dict.fromkeys(seen[one.fact])), "uses": fact.uses,
            "before": fact.text if apart else "", "texts": texts if len(texts) == 2 and textual else (),
            "draft": texts[0] if textual and texts else "", "open_or_closed": one.kind == CLOSED,
            "both": one.kind == DECLARED,
            "newest": max([choice.stem for choice in one.choices], default=""),
        })  # fmt: skip
    return sorted(found, key=lambda one: (one["newest"], one["uses"]), reverse=True)


def _is_text(dispute: Dispute, choice: Choice) -> bool:
    """Tell whether a side is a version of the fact itself."""
    return dispute.kind in _TEXTUAL and is_version_id(choice.id)


def _side(dispute: Dispute, choice: Choice) -> dict[str, Any]:
    """Return a side: the fact that it is, "" for a text or a state; what keeping it is called."""
    fact = ""
    keep = "Keep this"
    if dispute.kind == CLOSED:
        keep = "It is closed" if choice.closed else "It is open, with this text"
    elif dispute.kind == CIRCLE:
        fact, keep = choice.id, "This one holds"
    elif dispute.kind == MOVED:
        keep = f"It is {choice.text}"
    elif dispute.kind == REWORDED and _is_text(dispute, choice):
        keep = "It holds, in these words"
    elif dispute.kind == REWORDED and choice.id == choice.stem:
        keep = "It is false"
    elif dispute.kind in (SUCCESSOR, REWORDED):
        fact, keep = choice.id, "This one replaces it"
    elif dispute.kind == DECLARED:
        fact, keep = choice.id, f"Keep {choice.id}"
    said = command("resolve", id=dispute.fact, choose=dispute.name_of(choice))
    return {"choice": choice, "keep": keep, "fact": fact, "command": said}
