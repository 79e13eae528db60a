"""What the review asks about purpose and about remarks in footers: obsolete facts, notes."""

from __future__ import annotations

import pytest

from ledger.model.event import (
    FactInvalidated,
    FactRedacted,
)
from rituals.review.questions import threads_for
from rituals.review.review_answers import ACCEPT, REJECT
from rituals.review.review_plan import body
from tests.test_review import Book, new, rules


def test_an_obsolete_date_is_asked_at_each_review() -> None:
    """Where work followed the last one; not while the thread that asks it stands open (R2)."""
    book = Book()
    book.log(new("flag", kind="decision", obsolete_when="the merge is done"))
    book.review()
    plan = book.plan()
    assert (rules(plan)["obsolete"], plan.fresh, plan.settled) == (["flag"], (), ())
    book.idle(1)
    assert (rules(book.plan())["obsolete"], book.plan().fresh) == (["flag"], ())
    book.review(flag=REJECT)
    assert "obsolete" not in rules(book.plan()) and book.plan().nothing_new
    book.idle(1)
    plan = book.plan()
    assert [one.rule for one in plan.fresh] == ["obsolete"]
    assert "the merge" not in body(plan) + str(threads_for(plan.fresh))
    book.review(flag=ACCEPT)
    assert book.plan().state.fact("flag").false  # type: ignore[union-attr]
    book.idle(1)
    assert "obsolete" not in rules(book.plan())


def test_an_obsolete_thread_is_closed() -> None:
    """Not called false: it was right to ask."""
    book = Book()
    book.log(new("job", kind="thread", obsolete_when="the merge is done"))
    book.review(job=ACCEPT)
    fact = book.plan().state.fact("job")
    assert fact is not None and fact.closed and not fact.false


@pytest.mark.parametrize("dead", [FactInvalidated("a"), FactRedacted("a")])
def test_remarks_of_what_is_gone_are_not_asked_about(dead: FactInvalidated | FactRedacted) -> None:
    """What is false or withheld is asked about no more; a note is told of."""
    book = Book()
    book.log(new("a", obsolete_when="v2", note="see the wiki"))
    assert rules(book.plan()).keys() == {"obsolete"}
    assert "With a note (1): a" in body(book.plan()).replace("- ", "")
    book.review(a=REJECT)
    book.log(dead)
    assert rules(book.plan()) == {}
