"""How a hit is shown: one line, cut at a word, from where its words are, or the section it stands in."""

from __future__ import annotations

import pytest

from memory.recall.hits.passage_hits import (
    SECTION_CHARS,
    heading_of,
    passage_hit,
    section_of,
    title_of,
    titled,
)
from memory.recall.index.rows import LogRow, Piece
from memory.recall.recall_values import TIMELINE
from projection.text.clipping import LINE_CHARS, one_line, sentence_starts, telling
from tests.conftest import each_row


def test_a_line_is_cut_at_its_limit_and_not_before() -> None:
    """What fits stays whole to the last character; one character more, and the cut is marked."""
    assert one_line("a\n b\t c ") == "a b c"
    assert one_line("x" * LINE_CHARS) == "x" * LINE_CHARS
    assert one_line("x" * (LINE_CHARS + 1)) == "x" * (LINE_CHARS - 1) + "…"


@pytest.mark.parametrize(
    ("text", "chars", "shown"),
    [
        ("aaaa bbbb cccc", 10, "aaaa bbbb…"),  # a blank right at the limit
        ("aaaa bbbbb cccc", 10, "aaaa bbbb…"),  # the blank stands right before the midst
        ("aaaaabbbbbcccc", 10, "aaaaabbbb…"),
        ("aa bbbbbbbbbbbbb", 10, "aa bbbbbb…"),  # the only blank stands in the front half
        ("aaaaa bbbbbbbb", 10, "aaaaa…"),  # a blank at the very midst
    ],
)
def test_a_line_is_cut_at_a_word_of_its_back_half(text: str, chars: int, shown: str) -> None:
    """The last blank behind the midst is where a line is cut, else the limit is."""
    said = one_line(text, chars)
    assert said == shown
    assert len(said) <= chars


def test_a_text_is_told_from_its_best_sentence() -> None:
    """A long text is shown from the first sentence that has most of the words, a short one whole."""
    filler = "Nothing of the kind stands here. " * 12
    text = f"{filler}Retries wait longer each time. Retries wait with jitter, too.\n\nThe end."
    assert telling(text, ("retry", "waits")) == "… " + text[text.index("Retries wait longer") :]
    assert telling(text, ("jitter",)) == "… " + text[text.index("Retries wait with") :]
    assert telling(text, ("ends", "jitter")) == "… " + text[text.index("Retries wait with") :]
    assert telling(text, ()) == text
    assert telling(text, ("nothing",)) == text  # it begins with its best sentence
    assert telling("x. Retries", ("retry",)) == "x. Retries"
    short = "x. ".ljust(LINE_CHARS - 7, "x") + " retry."
    assert len(short) == LINE_CHARS
    assert telling(short, ("retry",)) == short
    assert telling(f"{short} Retries", ("retries",)).startswith("… ")


def test_words_are_looked_for_without_their_endings() -> None:
    """Two letters at the end of a word are not looked at, but three always are."""
    text = "Nobody. " * 60 + "A cathedral. A dog."
    assert telling(text, ("cathedrals",)) == "… A cathedral. A dog."
    assert telling(text, ("dog",)) == "… A dog."
    assert telling(text, ("doghouse",)) == text


def test_titles_and_headings() -> None:
    """A title is the first one of the first lines; a heading the nearest above a line."""
    lines = ["---", "---", "#no", "# One ", "# Two", "## Why ", "text", "### How", "more"]
    assert title_of(lines) == "One"
    assert title_of(["text"] * 40 + ["# Late"]) == ""
    assert title_of(["text"] * 39 + ["# In time"]) == "In time"
    assert heading_of(lines, 7) == "Why"
    assert heading_of(lines, 8) == heading_of(lines, 9) == heading_of(lines, 99) == "How"
    assert heading_of(lines, 5) == ""
    assert heading_of(["# T", "text", "## Last"], 2) == "", "what stands below is no heading of it"
    assert titled("T", "Why", "\n## How\n\nIt waits.", ()) == "T / How: It waits."
    assert titled("T", "T", "It waits.", ()) == "T: It waits."
    assert titled("", "", "It waits.", ()) == "It waits."


def test_a_section_is_cut_around_its_line() -> None:
    """A section is what stands between two headings; a long one loses lines at its farther end."""
    lines = ["# T", "", "## A", "one", "two", "## B", "three"]
    assert section_of(lines, 4) == (3, "## A\none\ntwo")
    assert section_of(lines, 6) == (6, "## B\nthree")
    assert section_of(lines, 1) == section_of(lines, 2) == (1, "# T")
    long = ["## A", *["x" * 999 for _ in range(12)]]
    for number in (1, 2, 7, 13):
        start, text = section_of(long, number)
        shown = text.split("\n")
        assert len(text) <= SECTION_CHARS
        assert start <= number < start + len(shown)
        assert shown == long[start - 1 : start - 1 + len(shown)]
        assert len(shown) >= 5
    assert section_of(["x" * (SECTION_CHARS + 5)], 1) == (1, "x" * SECTION_CHARS)


def test_what_stands_around_a_passage_is_told_a_line_each() -> None:
    """Two passages before it and two behind it, each cut at 200 characters, and the passage marked."""
    lines = [f"{number} {'x' * 300}" for number in range(8)]
    pieces = tuple([Piece(number + 1, len(line)) for number, line in enumerate(lines)])
    log = LogRow("2026-05-01", "", "2026-05-01", "ada", "", "", pieces, ())
    for place, numbers in ((0, "012"), (4, "23456"), (7, "567")):
        hit = passage_hit(log, lines, place, TIMELINE, ())
        assert hit is not None
        told, *around = hit.text.split("\n")
        assert told == f"2026-05-01:{place + 1}  2026-05-01  ada"
        assert around == [
            f"{'>' if number == str(place) else ' '} {number} {'x' * 197}…" for number in numbers
        ]


@each_row(
    "text, begins",
    [
        ("It is in `.entire/settings. json`, which is kept. Then it goes on.", ["Then"]),
        (
            "See e.g. Ada, or No. Three. **Why:** it was slow! (Ada said so.) Done",
            ["**Why", "(Ada", "Done"],
        ),
        ("1. First of it. 2. second", []),
        ("Первое готово. Второе нет. третье", ["Второе"]),
        ("\u5df2\u7ecf\u5b8c\u6210\u3002\u8fd8\u6ca1\u6709", ["\u8fd8"]),
        ("a line\n- an item", ["- an"]),
    ],
)
def test_a_sentence_ends_at_a_mark_a_blank_and_a_capital(text: str, begins: list[str]) -> None:
    """What only looks like an end is none; the marks of writings without blanks stand alone."""
    found = [*sentence_starts(text, 0, len(text))]
    assert len(found) == len(begins)
    assert all(text[at:].startswith(one) for at, one in zip(found, begins, strict=True))


def test_a_line_is_cut_behind_a_sentence_of_its_back_half() -> None:
    """A sentence that ends there is the last that is shown; where none does, a word is."""
    told = (
        "The cache is kept outside of the tree. It was dirty before that. And what follows is cut"
    )
    assert (
        one_line(told, 80) == "The cache is kept outside of the tree. It was dirty before that. …"
    )
    assert one_line(told, 60) == "The cache is kept outside of the tree. …"
    assert one_line(told, 100) == told
    assert one_line(
        "It stands in `.entire/settings. json` and everywhere else at all", 53
    ).endswith("everywhere…")
    assert (
        one_line("One thing\n- another of them\n- a third one that is long", 34)
        == "One thing - another of them …"
    )
