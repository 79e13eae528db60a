"""Names announce values: where a value begins behind its name, and where it ends."""

from __future__ import annotations

import pytest

from ledger.secrets.line_breaks import chained
from ledger.secrets.scanner import find_secrets, redacted
from tests.planted_secrets import ALNUM, Draw


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("curl -H bearer  q8Xw2Lr7TzBv5Nc9", "q8Xw2Lr7TzBv5Nc9"),
        ('os.getenv("DB_PASSWORD","q8Xw2Lr7TzBv5Nc9")', "q8Xw2Lr7TzBv5Nc9"),
        ("curl -u ada:q8Xw2Lr7Tz --fail x.test | less", "q8Xw2Lr7Tz"),
    ],
)
def test_where_a_value_begins(text: str, value: str) -> None:
    """What is put out is the value, all of it, and nothing of its name."""
    assert redacted(text, find_secrets(text)) == text.replace(value, "[redacted: credential]")


def test_the_lines_of_a_putty_key_are_put_out() -> None:
    """All of them, and nothing of what stands around them."""
    key = "\n".join(Draw(seed).some(ALNUM, 64) for seed in range(3))
    text = f"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 3\n{key}\nPrivate-MAC: 12\n"
    assert redacted(text, find_secrets(text)) == text.replace(key, "[redacted: private-key]")


@pytest.mark.parametrize(("word", "cut"), [("aBcdefg", True), ("Abcdefg", False)])
def test_a_capital_within_a_word_may_be_of_something_drawn(word: str, cut: bool) -> None:
    """Then the first word of the next line may be its rest; two plain words are two words."""
    view = chained(f"say {word}\nhijklmn")
    assert (view is not None) is cut
    if view is not None:
        assert view.text == f"say {word}hijklmn"
        assert view.is_joined(4, 18) and not view.is_joined(4, 11) and not view.is_joined(11, 18)


@pytest.mark.parametrize(("word", "found"), [("Xk29fj8Xk29f", True), ("Xkqqfjzxkqqf", False)])
def test_a_word_right_behind_a_name_is_a_password_only_with_a_number(
    word: str, found: bool
) -> None:
    """Behind the mere name of it stands a password only where the word is one beyond doubt."""
    assert bool(find_secrets(f"log in with password {word} at once")) is found
