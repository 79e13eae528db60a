"""Words in their normal form, by which facts are compared."""

from __future__ import annotations

from projection.text.normalize import sentences, statements, stem
from tests.conftest import each_row

# ---- words ----------------------------------------------------------------------------------------


@each_row(
    "one, two",
    (
        ("stored storing stores store", "stor"),
        ("deploy deploys deployed deploying deployment", "deploy"),
        ("connection connections connected connecting connect", "connect"),
        ("retry retries retried", "retri"),
        ("config configuration configs", "configurat"),
        ("call calls called calling", "cal"),
        ("keep kept keeps keeping", "keep"),
        ("written write writes writing wrote", "writ"),
        ("tie ties", "tie"),
    ),
)
def test_inflections_are_one_word(one: str, two: str) -> None:
    """A word has one normal form, however it is bent."""
    assert {stem(word) for word in one.split()} == {two}


@each_row("steps",
    [
        "1 ns / 1 nanosecond", "1us / 1 µs / 1 microsecond / 1000 ns", "1 ms / 1 msec / 1 millisecond / 1000us",
        "1 s / 1 sec / 1 second / 1000 ms", "1 min / 1 minute / 60 s", "1 h / 1 hr / 1 hour / 60 min",
        "1 day / 24 h", "1 week / 7 days", "1 kb / 1 kib / 1024 bytes", "1 mb / 1 mib / 1024 kb",
        "1 gb / 1 gib / 1024 mb", "1 tb / 1 tib / 1024 gb", "5% / 5 percent", "1 khz / 1000 hz", "10s / 10 s. / ten seconds / 10000 ms",
    ],
)  # fmt: skip
def test_units_of_one_measure_are_converted(steps: str) -> None:
    """A value is the same in every unit of what it measures; a name with digits is none."""
    (value,) = {statements(f"waits {one}")[0].forms[1] for one in steps.split(" / ")}
    assert value[0] == "#" and not value[1:].isdigit()
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
