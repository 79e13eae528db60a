"""Show what is to be decided: contradictions, questions of the review, and what could be learned.

The page shows of each sort as much as one looks at in a sitting; all of one rule have an address of their
own, some at a time. So has what could be learned: to find that takes longer than all else, and nobody who
answers a question should wait for it.
"""

from __future__ import annotations

from ledger.model.record import Record
from projection.lifecycle.review_due import spelled_out
from rituals.review.review_answers import accepting, rejecting
from rituals.review.review_question import INVARIANT_DUE, RULES, STALLED, Question
from rituals.serve.web.actions.form_fields import LIMIT_IDS
from rituals.serve.web.actions.form_plan import LEARN, REVIEW
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.contradictions_page import Torn, knowledge, torn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rituals.review.learning_plan import Plan as LearnPlan
    from rituals.serve.web.tip_view.tip_view import TipView

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


class Card(Record):
    """One question."""

    question: Question  #: as the review asks it
    anchor: str  #: the name of its place on the page
    #: the facts that it is about, with what they say; only those that have a text to show
    texts: tuple[tuple[str, str], ...]
    accept: str  #: what accepting is called, "" where no event says it
    reject: str  #: what rejecting is called
    does: str  #: what accepting records
    thread: str = ""  #: that asks it already, "" for none
    drafts: bool = True  #: whether it can be answered in one's own words where it stands


class Group(Record):
    """The questions of one rule."""

    rule: str  #: its name
    title: str  #: of it
    cards: tuple[Card, ...]  #: that are shown
    total: int  #: how many there are
    behind: str = ""  #: the place of the card that comes when one of these is answered, "" for none


class Tick(Record):
    """A line of a list in which several are answered with one log."""

    value: str  #: what the form sends: the key of a question, or the id of a fact
    fact: str  #: the id that stands there
    text: str  #: what is to be judged
    said: str  #: what was found


class TickList(Record):
    """All questions of a rule as lines to tick; `action` and `field` are of the form."""

    rule: str  #: its name
    title: str  #: of it
    ticks: tuple[Tick, ...]  #: as many as one log takes
    total: int  #: how many there are
    action: str
    field: str
    accept: str  #: what accepting is called
    reject: str  #: what rejecting is called, "" where that is no answer to several
    checked: bool = False  #: whether all are ticked to begin with


def review(tip: TipView, asked: Asked) -> Page:
    """Return the page of what is to be decided, or of all questions of one rule."""
    groups = dict(tip.questions)
    rule = asked.get("rule", "")
    if asked.get("tick", "") and (rule in groups or (rule == SETTLED and tip.plan.settled)):
        ticks = tick_list(tip, rule, groups.get(rule, []))
        return Page("ticks", ticks.title, {"list": ticks._replace(checked=asked["tick"] == "all")})
    if rule in groups:
        return _of_rule(tip, groups[rule], _number(asked.get("from", "")))
    found = torn(tip.state, tip.disputes)
    shown = _first(found)
    due = groups.pop(INVARIANT_DUE, [])
    few = max(1, min(_FEW, _CARDS // max(len(groups), 1)))
    learning = tip.learn_plan if tip.has("learn_plan") else None
    listed = [_group(tip, name, some, few) for name, some in groups.items()]
    ticks_group = _group(tip, INVARIANT_DUE, due, _TICKS)
    settled = _settled(tip)
    values = {
        "torn": shown,
        "more_torn": found[len(shown) :],
        "knowledge": {one.anchor: knowledge(tip, one.dispute) for one in shown},
        "writers": tip.writers({side.choice.stem for one in shown for side in one.sides}),
        "ticks_group": ticks_group,
        "groups": listed,
        "settled": settled,
        "settled_title": _SETTLED_TITLE,
        "then": _following(shown, ticks_group, listed, settled),
        "learning": learning,
        "due": [spelled_out(reason) for reason in tip.plan.due],
        "asked": waiting(tip),
        "learned": _learned(learning) if learning else 0,
        "command": REVIEW,
    }
    return Page("review", "Review", values)


def _following(
    shown: Iterable[Torn], ticks: Group, groups: Iterable[Group], settled: Iterable[tuple[str, str]]
) -> dict[str, str]:
    """Return by the place of each card where a reader goes on who answered it: never to the top."""
    places = [one.anchor for one in shown]
    places += [f"g-{INVARIANT_DUE}"] if ticks.total else []
    behind: dict[str, str] = {}
    for group in groups:
        places += [card.anchor for card in group.cards]
        if group.behind:
            behind[group.cards[-1].anchor] = group.behind
    places += [f"t-{id}" for id, _ in settled]
    following = dict(zip(places, [*places[1:], *places[-2:-1]], strict=False))
    return following | behind


def tick_list(tip: TipView, rule: str, questions: list[Question]) -> TickList:
    """Return all questions of a rule as lines, as many as one log takes."""
    if rule == SETTLED:
        lines = [
            Tick(id, id, text, "its questions do not arise any more") for id, text in _settled(tip)
        ]
        return TickList(
            rule, _SETTLED_TITLE, tuple(lines[:LIMIT_IDS]), len(lines), *_BY_FACT[STALLED], ""
        )
    by_fact = _BY_FACT.get(rule)
    lines = [
        Tick(
            one.facts[0] if by_fact else one.key,
            one.facts[0] if one.facts else "",
            _text(tip, one),
            one.said,
        )
        for one in questions[:LIMIT_IDS]
    ]
    first = questions[0]
    action, field, accept = by_fact or ("answer", "key", accepting(first))
    reject = "" if by_fact else rejecting(first)
    return TickList(rule, RULES[rule], tuple(lines), len(questions), action, field, accept, reject)


def _text(tip: TipView, question: Question) -> str:
    """Return what the first fact of a question says, "" where that is not shown."""
    fact = tip.state.fact(question.facts[0]) if question.facts else None
    return fact.text if fact is not None and not fact.redacted else ""


def _first(found: tuple[Torn, ...]) -> tuple[Torn, ...]:
    """Return the contradictions that one looks at in a sitting: one at least."""
    chars = 0
    for number, one in enumerate(found):
        chars += 200 + sum([len(side.choice.text) for side in one.sides])
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


def waiting(tip: TipView) -> int:
    """Count what waits for somebody."""
    return len(tip.disputes) + sum(map(len, tip.questions.values()))


def _of_rule(tip: TipView, questions: list[Question], start: int) -> Page:
    rule = questions[0].rule
    start = min(start, (len(questions) - 1) // _SOME * _SOME)
    some = questions[start : start + _SOME]
    group = Group(rule, RULES[rule], tuple([_card(tip, one) for one in some]), len(questions))
    values = {"group": group, "start": start, "some": _SOME, "command": REVIEW}
    return Page("questions", RULES[rule], values)


def _number(said: str) -> int:
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else 0


def _group(tip: TipView, rule: str, questions: list[Question], most: int) -> Group:
    cards = [_card(tip, one) for one in questions[:most]]
    cards = [
        one._replace(drafts=sum(map(len, dict(one.texts).values())) <= _DRAFT_CHARS)
        for one in cards
    ]
    behind = f"q-{questions[most].key}" if len(questions) > most else ""
    return Group(rule, RULES[rule], tuple(cards), len(questions), behind)


def _card(tip: TipView, question: Question) -> Card:
    facts = [fact for id in question.facts if (fact := tip.state.fact(id)) is not None]
    texts = [(fact.id, fact.text) for fact in facts if fact.text and not fact.redacted]
    return Card(
        question,
        f"q-{question.key}",
        tuple(texts),
        accepting(question),
        rejecting(question),
        "; ".join(question.does),
        tip.asked_in.get(question.key, ""),
    )


def _settled(tip: TipView) -> list[tuple[str, str]]:
    """Return the threads of earlier reviews whose questions do not arise any more, with their texts."""
    found = []
    for one in tip.plan.settled:
        fact = tip.state.fact(one.id)
        found.append((one.id, fact.text if fact is not None and not fact.redacted else ""))
    return found
