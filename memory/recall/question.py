"""Read a question: its words, what is quoted, what begins so, and what must not be there.

Which words say little, and in which language, is told by the lists of `words.txt`.
"""

from __future__ import annotations

import os
import re
from functools import cache
from unicodedata import normalize

from ledger.model.record import Record
from memory.recall.unspaced import asked_pairs, has_unspaced, pairs_in

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
    with open(os.path.join(os.path.dirname(__file__), "words.txt"), encoding="utf-8") as file:
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


_PIECE = re.compile(r'(?<!\S)(-?)"([^"]+)"|(?<!\S)-(\w[\w./-]*)(?!\S)|(\S+)')
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_BEGINNING = re.compile(r"\w[\w.-]*\*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: The characters of a question that are read, and the words that are looked for.
QUESTION_CHARS = 2000
WORDS = 64


class Word(Record):
    """One word of a question."""

    raw: str  #: as typed, in lower case
    indexed: str  #: as it is asked of the index
    beginning: bool = False  #: anything that begins so


class Question(Record):
    """A question, read."""

    words: tuple[Word, ...]  #: to look for, each once, in the order typed
    phrases: tuple[str, ...]  #: what was quoted
    unwanted: tuple[str, ...]  #: words or phrases that no hit has
    alone: bool  #: there is nothing but phrases
    language: str  #: that it is asked in


def read_question(text: str, language: str = ENGLISH) -> Question:
    """Read what somebody typed; no text is wrong.

    `language` is that of the ledger, where the question does not tell its own.
    """
    words: dict[str, Word] = {}
    phrases: list[str] = []
    unwanted: list[str] = []
    text = text[:QUESTION_CHARS].encode("utf-8", "replace").decode()  # no half of a character
    text = normalize("NFC", text)
    asked = alone = False
    for minus, quoted, without, plain in _PIECE.findall(text):
        if (quoted and minus) or without:
            unwanted.append(quoted or without)
        elif _BEGINNING.fullmatch(plain):
            raw = plain[:-1].lower()
            words.setdefault(plain.lower(), Word(raw, raw, True))
            asked = True
        else:
            _take(quoted or plain, words)
            phrases += [quoted] * bool(quoted)
            alone, asked = bool(phrases), asked or not quoted
    language = spoken(text, language)
    small = listed(language, "small")
    telling = {key: one for key, one in words.items() if one.beginning or one.raw not in small}
    found = tuple((telling or (words if phrases else {})).values())[:WORDS]
    return Question(found, tuple(phrases), tuple(unwanted), alone and not asked, language)


def as_indexed(phrase: str) -> str:
    """Return a phrase as the index has it: of writing without blanks, the pairs of its characters."""
    return pairs_in(phrase) or phrase


def _take(piece: str, words: dict[str, Word]) -> None:
    """Take the words of a piece: of writing without blanks its pairs, `camelCase` and its parts."""
    if has_unspaced(piece):
        pairs, piece = asked_pairs(piece)
        for typed, indexed in pairs.items():
            words.setdefault(typed, Word(typed, indexed, len(typed) == 1))
    for found in _WORD.findall(piece):
        parts = _CAMEL.sub(" ", found).split() if found[0].isalpha() else [found]  # not `2FA`
        for part in parts if len(parts) == 1 else [found, *parts]:
            # of `don't`, `Ada's` and `l'équipe` the longer part says something
            raw = max(re.split("['’]", part.lower()), key=len)
            words.setdefault(raw, Word(raw, raw))
