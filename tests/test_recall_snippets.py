"""How a hit is shown: one line, cut at a word, from where its words are."""

from __future__ import annotations

from projection.text.clipping import one_line, sentence_starts, telling
from tests.conftest import each_row


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
