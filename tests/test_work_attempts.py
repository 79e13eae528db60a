"""What failed before at a task, told to whoever takes it next."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from projection.fold.fact_history import Fact, Version
from projection.work.failed_attempts import FAILED, WORKED, failed_before
from tests.conftest import examples

DAYS = "2026-06-{:02}-101500123-0c1d2e3f4a5b"


def attempt(
    id: str, day: int = 1, *, kind: str = "attempt", said: str = "", **footers: str
) -> Fact:
    """An attempt of a day, with these footers."""
    stem, text = DAYS.format(day), said or f"Tried {id}."
    heads = (Version("0" * 8, text, stem),)
    return Fact(id, kind, heads, tuple(footers.items()), stem[:10], stem, stem[:10], 1, stem, stem)


def test_what_failed_is_found_newest_first() -> None:
    """About the task or serving it, whatever the spelling of its outcome; of a log by the iteration."""
    facts = [
        attempt("first", 1, about="ship", outcome="failed", iteration="1"),
        attempt("third", 3, about="other, ship", outcome=" Failed ", iteration="3"),
        attempt("second", 3, about="ship other", outcome="failed", iteration="2"),
        attempt("serving", 2, serves="ship", outcome="failed", iteration="many"),
        attempt("worked", 4, about="ship", outcome="worked"),
        attempt("open", 4, about="ship"),
        attempt("elsewhere", 4, about="shipping", outcome="failed"),
        attempt("fact", 4, kind="fact", about="ship", outcome="failed"),
        attempt("false", 4, about="ship", outcome="failed")._replace(invalidated_at="x"),
        attempt("withheld", 4, about="ship", outcome="failed")._replace(redacted=True),
    ]
    found = failed_before(facts, "ship")
    assert [one.fact.id for one in found] == ["third", "second", "serving", "first"]
    assert [one.said for one in found] == [
        "failed, iteration 3", "failed, iteration 2", "failed", "failed, iteration 1",
    ]  # fmt: skip
    assert failed_before(facts, "") == ()


@settings(max_examples=examples(40))
@given(st.permutations([
    attempt(f"a-{n}", 1 + n % 3, about="ship", outcome=(FAILED, WORKED)[n % 2], iteration=str(n // 3))
    for n in range(9)
]))  # fmt: skip
def test_the_order_is_the_same_however_they_come(facts: list[Fact]) -> None:
    """Every attempt that failed is there, and each once."""
    found = [one.fact.id for one in failed_before(facts, "ship")]
    assert found == [one.fact.id for one in failed_before(sorted(facts), "ship")]
    assert sorted(found) == sorted(one.id for one in facts if dict(one.meta)["outcome"] == FAILED)
