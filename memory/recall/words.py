"""Tell which words of a question say little, in which language, by the lists of `words.txt`."""

from __future__ import annotations

import os
import re
from functools import cache

ENGLISH = "en"
#: What is left of an everyday word without its ending has so many letters.
_LEAST = 2


@cache
def listed(language: str, kind: str) -> frozenset[str]:
    """Return the words of one list, none where there is no such list."""
    return frozenset(_lists().get((language, kind), ()))


@cache
def _lists() -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    with open(os.path.splitext(__file__)[0] + ".txt", encoding="utf-8") as file:
        for line in file:
            if line[:1] not in "#\n":
                language, kind, *words = line.split()
                found.setdefault((language, kind), []).extend(words)
    return found


def spoken(text: str, otherwise: str) -> str:
    """Return the language that most of the small words of a question are of."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts: dict[str, float] = {
        language: sum([word in listed(language, kind) for word in words])
        for language, kind in _lists()
        if kind == "small"
    }
    counts[otherwise] = counts.get(otherwise, 0) + 0.5
    return max(counts, key=lambda one: counts[one])


@cache
def _roots(language: str) -> frozenset[str]:
    """Return the everyday words, and what an ending leaves of them."""
    words = listed(language, "everyday")
    left = [
        (word, word + word[-1], word.removesuffix("e"), re.sub("y$", "i", word)) for word in words
    ]
    return frozenset([root for each in left for root in each])


@cache
def is_everyday(word: str, language: str) -> bool:
    """Tell whether a word, in lower case, is one that everybody uses of everything."""
    roots, endings = _roots(language), {"", *listed(language, "endings")}
    return any(
        one[:cut] in roots and one[cut:] in endings
        for one in (word, word.removeprefix("ge"))  # as German participles begin
        for cut in range(_LEAST, len(one) + 1)
    )
