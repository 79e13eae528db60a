"""Tell characters drawn at random from words, code and the placeholders of documents."""

from __future__ import annotations

_FILLINGS = (
    "example", "placeholder", "changeme", "change-me", "change_me", "change-this", "change_this",
    "redacted", "dummy", "sample", "replaceme", "replace-me", "replace_me", "insert-", "insert_",
    "yourtoken", "your-", "your_", "yourpass", "yourkey", "yourapi", "yoursecret", "xxxx", "****",
    "....", "0000000", "1111111", "123456789", "abcdefgh", "deadbeef", "notreal", "not-a-real",
    "fake", "todo", "goes-here", "goes_here", "aws4-hmac", "…",
)  # fmt: skip
_NAMES = (
    "password", "passwd", "passphrase", "secret", "token", "apikey", "api", "key", "test", "pass",
    "user", "admin", "my", "the", "access", "client", "default", "private", "public", "string",
    "value", "name", "auth", "some", "foo", "bar", "baz", "none", "null", "true", "false",
)  # fmt: skip
#: What vendors print in their own documents.
_PRINTED = (
    "IOSFODNN7EXAMPLE", "wJalrXUtnFEMI", "4eC39HqLyjWDarjtT1zdp7dc", "BQokikJOvBiI2HlWgH4olfQ2",
    "TYooMQauvdEDq54NiTphI7jx", "SflKxwRJSMeKKF2QT4fwpM", "16C7e42F292c6912E7710c838347Ae178B4a",
    "TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ", "je7MtGbClwBF",
)  # fmt: skip
_JOINTS = "-_.:/ "
_VOWELS = frozenset("aeiouyAEIOUY")


def is_placeholder(value: str) -> bool:
    """Tell whether a value stands for another: `<token>`, `$TOKEN`, `changeme`, `xxxx`."""
    if value[0] in "<$%{[(&*@" or value[-1] in ">})":
        return True
    low = value.lower()
    if "${" in low or "{{" in low or "<" in low or is_printed(value):
        return True
    if len(set(low)) < (4 if len(low) < 9 else 5):
        return True
    there = [filling for filling in _FILLINGS if filling in low]
    return any(not _is_rest_real(value, low, filling) for filling in there)


def is_printed(value: str) -> bool:
    """Tell whether a value is one that vendors print in their own documents."""
    return bool([printed for printed in _PRINTED if printed in value])


def _is_rest_real(value: str, low: str, filling: str) -> bool:
    """Tell whether something real stands beside a placeholder word: `changeme-…`, `…_example`."""
    at = low.find(filling)
    end = at + len(filling)
    said = value[at:end]
    if (
        len(said) < 5
        and said[:1].isalpha()
        and not (said.islower() or said.isupper() or said.istitle())
    ):
        return True  # by chance among drawn letters: `XxxX`, `toDO`
    if not filling.strip("-_")[:1].isalpha() or filling in ("xxxx", "abcdefgh", "deadbeef"):
        rest = low.replace(filling, "")  # by chance among drawn hex
        return len(rest) > 19 and not rest.strip("0123456789abcdef") and distinct(rest) > 11
    parts = []
    if end < len(value) and (value[end] in _JOINTS or filling[-1] in _JOINTS):
        parts.append(value[end:].lstrip(_JOINTS))
    if at and value[at - 1] in _JOINTS:
        parts.append(value[:at].rstrip(_JOINTS))
    return any(_is_real(part) for part in parts)


def _is_real(part: str) -> bool:
    kinds = (
        any(char.isdigit() for char in part)
        + any(char.islower() for char in part)
        + any(char.isupper() for char in part)
    )
    return (
        ((kinds > 2 and len(part) > 7) or (kinds > 1 and len(part) > 15))
        and is_random(part)
        and not is_wordy(part)
        and not any(filling in part.lower() for filling in _FILLINGS)
    )


def is_random(value: str) -> bool:
    """Tell whether a token's characters mix as drawn ones do.

    They mix letters with digits, or both cases, and repeat no more than chance does.
    """
    return kinds_of(value) > 1 and len(set(value)) >= min(8, 3 + len(value) // 4)


def kinds_of(value: str) -> int:
    """Return how many of these a value has: digits, small letters, capitals."""
    return (
        any("0" <= char <= "9" for char in value)
        + any("a" <= char <= "z" for char in value)
        + any("A" <= char <= "Z" for char in value)
    )


def is_wordy(value: str) -> bool:
    """Tell whether a value is made of words and small numbers: `retry-queue-v2`, `settings.API_KEY`."""
    parts = value
    for char in "-_./:\\@+,":
        parts = parts.replace(char, " ")
    return all(_is_word(part) for part in parts.split(" "))


def _is_word(part: str) -> bool:
    if part.isdigit():
        return len(part) <= 8
    letters = part.rstrip("0123456789")
    digits = len(part) - len(letters)
    if digits > 4 or not letters.isalpha():
        return not letters
    if len(letters) <= 3:
        return not digits or letters.islower()
    # one case, or a capital at the front of words that have vowels: camelCase, PascalCase
    humps = sum(char.isupper() for char in letters[1:])
    if letters.isupper():
        humps = 0
    vowels = sum(char in _VOWELS for char in letters)
    return humps * 4 <= len(letters) and vowels * 6 >= len(letters)


def is_stock(value: str) -> bool:
    """Tell whether a value is little more than words that documents use as placeholders."""
    rest = value.lower()
    for name in _NAMES:
        if name in rest:
            rest = rest.replace(name, "")
    rest = rest.strip("0123456789-_. !")
    return len(rest) < 4


def distinct(value: str) -> int:
    """Return how many different characters a value has."""
    return len(set(value))
