"""Show what is to be decided: contradictions, questions of the review, and what could be learned.

The page shows of each sort as much as one looks at in a sitting; all of one rule have an address of their
own, some at a time. So has what could be learned: to find that takes longer than all else, and nobody who
answers a question should wait for it.
"""

from __future__ import annotations

from ledger.model.record import Record
from rituals.review.review_answers import accepting, rejecting
from rituals.review.review_question import INVARIANT_DUE, RULES, Question
from rituals.serve.web.actions import twin_commands
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.pages.contradictions_page import Torn, torn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rituals.review.learning.learning_plan import Plan as LearnPlan
    from rituals.serve.web.tip_view.tip_view import TipView

#: How many questions the page shows beside the invariants, and of each rule; how many invariants to tick;
#: and how many of one rule stand on a page of their own.
_CARDS, _FEW, _TICKS, _SOME = 12, 3, 24, 12
#: How many characters of text the contradictions of one page have, and one question whose text can be
#: edited where it stands.
_TORN_CHARS, _DRAFT_CHARS = 6_000, 600


class Card(Record):
    """One question."""

    question: Question  #: as the review asks it
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


def review(tip: TipView, asked: Asked) -> Page:
    """Return the page of what is to be decided, or of all questions of one rule."""
    groups = dict(tip.questions)
    rule = asked.get("rule", "")
    if rule in groups:
        return _of_rule(tip, groups[rule], _number(asked.get("from", "")))
    found = torn(tip.state, tip.disputes)
    ticks = groups.pop(INVARIANT_DUE, [])
    few = max(1, min(_FEW, _CARDS // max(len(groups), 1)))
    learning = tip.learn_plan if tip.has("learn_plan") else None
    values = {
        "torn": _first(found),
        "torn_total": len(found),
        "ticks_group": _group(tip, INVARIANT_DUE, ticks, _TICKS),
        "groups": [_group(tip, name, some, few) for name, some in groups.items()],
        "settled": _settled(tip),
        "learning": learning,
        "due": tip.plan.due,
        "asked": waiting(tip),
        "learned": _learned(learning) if learning else 0,
        "command": twin_commands.REVIEW,
    }
    return Page("review", "Review", values)


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
    values = {"learning": plan, "learned": _learned(plan), "command": twin_commands.LEARN}
    return Page("learning", "Worth keeping?", values)


def of_this_machine(tip: TipView) -> tuple[str, ...]:
    """List no address: what could be learned stands in sessions of this machine, and in no commit yet."""
    return ()


def _learned(plan: LearnPlan) -> int:
    return len(plan.proposals) + len(plan.promotions)


def waiting(tip: TipView) -> int:
    """Count what waits for somebody; the plan has to be there."""
    return len(tip.disputes) + sum(map(len, tip.questions.values()))


def addresses(tip: TipView) -> Iterable[str]:
    """Return the addresses of the page: the whole, and all questions of a rule, some at a time."""
    yield "/review"
    for rule, some in tip.questions.items():
        for start in range(0, len(some), _SOME):
            yield f"/review?rule={rule}&from={start}" if start else f"/review?rule={rule}"


def _of_rule(tip: TipView, questions: list[Question], start: int) -> Page:
    rule = questions[0].rule
    start = min(start, (len(questions) - 1) // _SOME * _SOME)
    some = questions[start : start + _SOME]
    group = Group(rule, RULES[rule], tuple([_card(tip, one) for one in some]), len(questions))
    values = {"group": group, "start": start, "some": _SOME, "command": twin_commands.REVIEW}
    return Page("questions", RULES[rule], values)


def _number(said: str) -> int:
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else 0


def _group(tip: TipView, rule: str, questions: list[Question], most: int) -> Group:
    cards = [_card(tip, one) for one in questions[:most]]
    cards = [
        one._replace(drafts=sum(map(len, dict(one.texts).values())) <= _DRAFT_CHARS)
        for one in cards
    ]
    return Group(rule, RULES[rule], tuple(cards), len(questions))


def _card(tip: TipView, question: Question) -> Card:
    facts = [fact for id in question.facts if (fact := tip.state.fact(id)) is not None]
    texts = [(fact.id, fact.text) for fact in facts if fact.text and not fact.redacted]
    return Card(
        question,
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
