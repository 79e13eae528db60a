"""Tell characters drawn at random from words, code and the placeholders of documents."""

from __future__ import annotations

#: What stands in the place of a value, as a whole part of one; and within a word of letters.
_FILLINGS = frozenset(
    "examples change sample replace insert fake todo goes real aws4 none null".split()
)
_GLUED = tuple(
    "example placeholder changeme changethis redacted replaceme notreal dummy your".split()
)
#: What nobody draws.
_ROWS = ("****", "....", "123456789", "abcdefgh", "…")
_NAMES = (
    "password passwd passphrase secret token apikey api key test pass user admin my the access client "
    "default private public string value name auth some foo bar baz none null true false"
).split()
#: What vendors print in their own documents.
_PRINTED = (
    "IOSFODNN7EXAMPLE", "wJalrXUtnFEMI", "4eC39HqLyjWDarjtT1zdp7dc", "BQokikJOvBiI2HlWgH4olfQ2",
    "TYooMQauvdEDq54NiTphI7jx", "SflKxwRJSMeKKF2QT4fwpM", "16C7e42F292c6912E7710c838347Ae178B4a",
    "TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ", "je7MtGbClwBF",
)  # fmt: skip
#: What stands around a name that another value takes the place of.
_BRACKETS = "<>${}[]()&*@%"
_VOWELS = frozenset("aeiouyAEIOUY")


def is_placeholder(value: str) -> bool:
    """Tell whether a value stands for another: `<token>`, `$TOKEN`, `changeme`, `xxxx`.

    A whole value does, or a whole part of one beside which nothing is drawn; never what drawn ones spell.
    """
    around = value[0] in _BRACKETS or value[-1] in ">})"
    if is_printed(value) or (around and is_wordy(value)):
        return True
    for mark in ("${", "{{", "<"):
        name = value.partition(mark)[2].partition("}")[0].partition(">")[0].partition(":")[0]
        if len(name) > 2 and is_wordy(name):
            return True
    low = value.lower()
    if len(set(low)) < (4 if len(low) < 9 else 5) or any(row in low for row in _ROWS):
        return True
    if any(char * 6 in low for char in set(low)):
        return True
    parts = _parts(value)
    filling = [
        low in _FILLINGS or (low.startswith(_GLUED) and _is_word(low))
        for low in map(str.lower, parts)
    ]
    return any(filling) and not any(map(_is_real, parts))


def is_printed(value: str) -> bool:
    """Tell whether a value is one that vendors print in their own documents."""
    return bool([printed for printed in _PRINTED if printed in value])


def _is_real(part: str) -> bool:
    long = 7 if kinds_of(part) > 2 else 15
    return len(part) > long and is_random(part) and not _is_word(part)


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
    return all(map(_is_word, _parts(value)))


def _parts(value: str) -> list[str]:
    for char in "-_./:\\+," + _BRACKETS:
        value = value.replace(char, " ")
    return value.split(" ")


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
    vowels = sum(char in _VOWELS for char in letters)
    return (letters.isupper() or humps * 4 <= len(letters)) and vowels * 6 >= len(letters)


def is_stock(value: str) -> bool:
    """Tell whether a value is little, or nothing but what documents use as placeholders and numbers."""
    rest = value.lower()
    for name in _NAMES:
        rest = rest.replace(name, " ")
    left = [part for part in _parts(rest.replace("!", " ")) if part and not part.isdigit()]
    few = rest != value.lower() and "".join(left).isalpha() and len("".join(left)) < 3
    return len(value) < 4 or not left or few


def distinct(value: str) -> int:
    """Return how many different characters a value has."""
    return len(set(value))
