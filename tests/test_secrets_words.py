"""Passwords made of words are found behind their names, whole, and what is only said of passwords is not."""

from __future__ import annotations

import pytest

from ledger.secrets.scanner import find_secrets, redacted
from ledger.secrets.word_passwords import is_phrase, is_plain, is_worded
from tests.planted_words import NOTHING, SETTINGS, TOLD, planted

SEEDS = range(10)


def test_passwords_made_of_words_are_put_out_whole() -> None:
    """In settings, code, commands and sentences of seven languages at least 98 of 100 are, with every character."""
    assert len(SETTINGS) > 40 and len(TOLD) > 50
    drawn = [one for seed in SEEDS for one in planted(seed)]
    left = []
    for text, value in drawn:
        start = text.index(value)
        covered = {at for one in find_secrets(text) for at in range(one.start, one.end)}
        if not covered.issuperset(range(start, start + len(value))):
            left.append(text)
    assert len(left) <= 0.02 * len(drawn), left


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_said_of_passwords_is_none(text: str) -> None:
    """Placeholders, types, paths, variables, rules and what a sentence tells of a password stay as they are."""
    assert redacted(text, find_secrets(text)) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("DB_PASSWORD=hunter2-Prod-88", "hunter2-Prod-88"),
        ("PGPASSWORD=sommer-2026-Prod", "sommer-2026-Prod"),
        ("the admin password is Orchid#Yonder", "Orchid#Yonder"),
        ("the admin password is Orchid!", "Orchid!"),
        ("ADMIN_PASSWORD=Plum,Pear9", "Plum,Pear9"),
        ("the auth token 9f86d081884c7d659a2feaa0c55ad015 for it", "9f86d081884c7d659a2feaa0c55ad015"),
        ("login is admin, pw waterfall", "waterfall"),
        ("Passwort: Kartoffelsalat", "Kartoffelsalat"),
        ('mot de passe : « pamplemousse »', "pamplemousse"),
        ("El token es «girasol-azul-77»", "girasol-azul-77"),
        ("passphrase: velvet kettle marble tiger", "velvet kettle marble tiger"),
        ("WITH PASSWORD 'marmalade'", "marmalade"),
        ("vault kv put secret/x password=moonlight", "moonlight"),
        ("${DB_PASSWORD:-ginger-bread}", "ginger-bread"),
        ("ssh ada@db (pw: tangerine)", "tangerine"),
        ("7z x a.7z -psilentbob", "silentbob"),
    ],
)  # fmt: skip
def test_the_whole_value_goes_and_nothing_else(text: str, value: str) -> None:
    """Signs inside and at the end belong to it, quotes and the sentence's marks do not."""
    assert redacted(text, find_secrets(text)) == text.replace(value, "[redacted: credential]")


@pytest.mark.parametrize(
    "text",
    [
        "password = result", "self.password = user_input", "def f(password: str, token: bytes)", "password: Secret",
        "the password is correct", "the password is printed on the label", "the secret is stripe", "secret: shop-tls",
        "use passwd to handle the members", "--password option for it", "src/passwd.c: report errors", "Das Passwort ist falsch.",
        "La contraseña es incorrecta.", "A senha é validada.", "Пароль хранится в сейфе.", "next_token: abcdefg123", "token: hello",
    ],
)  # fmt: skip
def test_words_that_only_stand_there(text: str) -> None:
    """Variables, types, verbs and adjectives are no passwords."""
    assert find_secrets(text) == ()


def test_what_is_left_without_the_words_said_of_passwords() -> None:
    """A number or a sign makes words a password; alone they are one where nothing else can stand."""
    assert is_worded("hunter2") and is_worded("blue-kettle", alone=True) and is_worded("Kettle&Pan")
    for value in (
        "blue-kettle",
        "sha256-crypt",
        "12-characters",
        "prod-db-2.internal",
        "kettle2-style",
        "a/kettle2",
    ):
        assert not is_worded(value), value
    for value in ("optional", "db_password", "kettle-token", "pan"):
        assert not is_worded(value, alone=True), value
    assert is_plain("kettle") and not is_plain("stored") and not is_plain("written")
    assert is_phrase("gravy train 1987") and is_phrase("the quick brown badger")
    assert not is_phrase("enter your password") and not is_phrase("gravy train")
