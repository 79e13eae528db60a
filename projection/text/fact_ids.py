"""Name a fact by subject words of its project, so that its id tells nothing of what it says.

An id stands in footers, titles, addresses and other facts, and no redaction takes it out of a log
(FORMAT.md, F9). So a word of a text is in it only where the project has it for a name already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from ledger.model.ids import sha256
from projection.text.normalize import NEGATORS, SMALL

#: So many words an id has at most, and at least where no other word stands behind them.
_MOST, _ENOUGH = 3, 2
_LEAST_CHARS, _MOST_CHARS = 3, 16
_CONSONANTS, _VOWELS, _SYLLABLES = "bdfgklmnprstvz", "aeiou", 3


def subject_words(names: Iterable[str]) -> dict[str, str]:
    """Return the words that names are made of, such as paths, tags and entities: normal form -> word."""
    found: dict[str, str] = {}
    for name in names:
        for word in _words(name):
            found.setdefault(_form(word), word)
    return found


def id_of_subject(text: str, words: Mapping[str, str]) -> str:
    """Return an id for a text; the same text and words have the same.

    `words` is what `subject_words` found in its project.
    """
    told = dict.fromkeys(words[form] for word in _words(text) if (form := _form(word)) in words)
    named = list(told)[:_MOST]
    if len(named) < _ENOUGH:
        from ledger.secrets.scanner import nameable  # most texts name themselves

        named.append(_odd_word(nameable(text)))
    return "-".join(named)


@lru_cache(4096)  # a server reads the paths of its project before each id
def _words(text: str) -> tuple[str, ...]:
    """Cut a text, a path or a name in camel case into words that may stand in an id."""
    found, word = [], ""
    for char, after in zip(text, text[1:] + " ", strict=False):
        letter = char.isascii() and char.isalpha()
        word += char.lower() if letter else ""
        if word and (not letter or (char.islower() and after.isupper())):
            found.append(word)
            word = ""
    found += [word] if word else []
    return tuple(
        [
            one
            for one in found
            if _LEAST_CHARS <= len(one) <= _MOST_CHARS and one not in SMALL and one not in NEGATORS
        ]
    )


def _form(word: str) -> str:
    """Return what singular and plural have in common."""
    return word[:-1] if word[-1] == "s" and word[-2:] != "ss" and len(word) > _LEAST_CHARS else word


def _odd_word(text: str) -> str:
    """Return a word that can be spoken and means nothing; it tells as much as a version id does."""
    number = int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[8:16], "big")
    word = ""
    for _ in range(_SYLLABLES):
        number, consonant = divmod(number, len(_CONSONANTS))
        number, vowel = divmod(number, len(_VOWELS))
        word += _CONSONANTS[consonant] + _VOWELS[vowel]
    return word
