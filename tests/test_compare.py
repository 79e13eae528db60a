"""Words in their normal form, by which facts are compared."""

from __future__ import annotations

from projection.text.normalize import sentences, statements, stem
from tests.conftest import each_row

# ---- words ----------------------------------------------------------------------------------------


@each_row(
    "one, two",
    (
        ("stored storing stores store", "stor"),
        ("deploy deploys deployed deploying", "deploy"),
        ("connection connections connected connecting connect", "connect"),
        ("retry retries retried", "retri"),
        ("call calls called calling", "cal"),
        ("keep keeps keeping", "keep"),
        ("write writes writing", "writ"),
        ("tie ties", "tie"),
    ),
)
def test_inflections_are_one_word(one: str, two: str) -> None:
    """A word has one normal form, however it is bent."""
    assert {stem(word) for word in one.split()} == {two}


def test_a_number_is_a_value_and_a_name_with_digits_is_none() -> None:
    """A value keeps the letters behind it apart, and small numbers are read as words, too."""
    assert statements("waits 10s")[0].forms == statements("waits ten s")[0].forms
    assert statements("Ship for arm64, port 8080")[0].forms == ("ship", "arm64", "port", "#8080")


def test_sentences_are_cut_at_marks_and_items_and_without_code() -> None:
    """Sentences, semicolons and list items are statements; fenced code is none, and `e.g.` ends nothing."""
    text = "Use X, e.g. here. Or Y; never Z:\n- one\n- two\n```\ncode. code\n```\nEnd"
    assert sentences(text) == ["Use X, e.g. here.", "Or Y;", "never Z:", "one", "two", "End"]


def test_negators_turn_a_statement_round() -> None:
    """Each negator counts; two of them are none."""
    counts = [
        len(statements(text)[0].negated)
        for text in ("Use X", "Do not use X", "Don't use X", "no longer X", "never X without Y", "X instead of Y")
    ]  # fmt: skip
    assert counts == [0, 1, 1, 1, 2, 1]
