"""Bring the words of subjects into the form in which they are compared, and know what each weighs."""

from __future__ import annotations

from functools import lru_cache

from ledger.model.record import Record
from projection.text.normalize import stem
from projection.text.vocabulary import SMALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SUFFIXES = tuple("ation ator ition ung at er or ence ance abl ibl iv al en ar".split())
_LEAST_ROOT = 4
_GENERIC_WEIGHT = 0.4
_FOLD = str.maketrans("áéíóúñç", "aeiounc")


class Lexicon(Record):
    """The tables as they are asked.

    Args:
        small: words that carry nothing.
        generic: roots that tell little.
        synonyms: a root -> the one that stands for it.
        scopes: a word -> (class, value).
        names: the name of an alternative -> (role, number, whether it is an everyday word).
        roles: a root -> the roles that it names.
    """

    small: frozenset[str]
    generic: frozenset[str]
    synonyms: dict[str, str]
    scopes: dict[str, tuple[tuple[int, int], ...]]
    names: dict[str, tuple[tuple[int, int, bool], ...]]
    roles: dict[str, frozenset[int]]


@lru_cache(1)
def lexicon() -> Lexicon:
    """Build the tables with the first question."""
    from projection.text import topics
    from projection.text.technologies import ROLES

    synonyms = {
        bare_root(word): bare_root(row.split()[0])
        for row in topics.TOPIC_SYNONYMS
        for word in row.split()
    }
    scopes: dict[str, list[tuple[int, int]]] = {}
    for number, row in enumerate(topics.SCOPE_CLASSES):
        for value, names in enumerate(row.split()):
            for name in names.split("="):
                scopes.setdefault(name, []).append((number, value))
    members: dict[str, list[tuple[int, int, bool]]] = {}
    roles: dict[str, set[int]] = {}
    for number, row in enumerate(ROLES):
        words, _, alternatives = row.partition("|")
        for word in words.split():
            found = bare_root(word)
            roles.setdefault(synonyms.get(found, found), set()).add(number)
        for value, names in enumerate(alternatives.split()):
            for name in names.split("="):
                key = name.rstrip("!").replace("_", "").replace("-", "")
                members.setdefault(key, []).append((number, value, name.endswith("!")))
    return Lexicon(
        SMALL | topics.FILLERS,
        frozenset(synonyms.get(bare_root(word), bare_root(word)) for word in topics.GENERIC),
        synonyms,
        {name: tuple(found) for name, found in scopes.items()},
        {name: tuple(found) for name, found in members.items()},
        {name: frozenset(found) for name, found in roles.items()},
    )


@lru_cache(1 << 13)
def bare_root(word: str) -> str:
    """Take off a word what makes a doer or a deed of it: renderer, rendering, reservation, reserved."""
    found = stem(word).translate(_FOLD)
    shorter = True
    while shorter:
        shorter = False
        for suffix in _SUFFIXES:
            if found.endswith(suffix) and len(found) - len(suffix) >= _LEAST_ROOT:
                found, shorter = found[: -len(suffix)], True
                break
    return found


def root(word: str) -> str:
    """Return what a word in lower case is compared by; "" where it carries nothing."""
    tables = lexicon()
    if word in tables.small or word.endswith("n't") or not word or not word[0].isalpha():
        return ""
    found = bare_root(word)
    return tables.synonyms.get(found, found)


def weight_of(names: Iterable[str]) -> float:
    """Return what roots weigh together."""
    generic = lexicon().generic
    return sum(_GENERIC_WEIGHT if name in generic else 1.0 for name in names)


def is_generic(name: str) -> bool:
    """Tell whether a root is said of so many things that sharing it means little."""
    return name in lexicon().generic


def role_words(role: int) -> frozenset[str]:
    """Return the roots that name a role."""
    return frozenset([name for name, roles in lexicon().roles.items() if role in roles])
