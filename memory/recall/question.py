"""Read a question: its words, what is quoted, what begins so, and what must not be there.

Which words say little, and in which language, is told by the lists of `words.txt`.
"""

from __future__ import annotations

import os
from itertools import pairwise

from ledger.model.record import Record, cached

ENGLISH = "en"
#: What is left of an everyday word without its ending has so many letters.
_LEAST = 2


def listed_words(language: str, kind: str) -> set[str]:
    """Return the words of one list, none where there is no such list."""
    return _lists().get((language, kind), set())


@cached(None)
def _lists() -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    with open(os.path.join(os.path.dirname(__file__), "words.txt"), encoding="utf-8") as file:
        for line in file:
            if line[:1] not in "#\n":
                language, kind, *words = line.split()
                found.setdefault((language, kind), set()).update(words)
    return found


def spoken(text: str, otherwise: str) -> str:
    """Return the language that most of the small words of a question are of."""
    letters = [one if one.isalnum() and not one.isdecimal() else " " for one in text.lower()]
    words = "".join(letters).split()
    counts: dict[str, float] = {
        language: sum([word in listed_words(language, kind) for word in words])
        for language, kind in _lists()
        if kind == "small"
    }
    counts[otherwise] = counts.get(otherwise, 0) + 0.5
    return max(counts, key=lambda one: counts[one])


@cached(None)
def _roots(language: str) -> frozenset[str]:
    """Return the everyday words, and what an ending leaves of them."""
    words = listed_words(language, "everyday")
    left = [(word, word + word[-1], word.removesuffix("e")) for word in words]
    dry = [word[:-1] + "i" for word in words if word[-1] == "y"]
    return frozenset([*dry, *[root for each in left for root in each]])


@cached(None)
def is_everyday(word: str, language: str) -> bool:
    """Tell whether a word, in lower case, is one that everybody uses of everything."""
    roots, endings = _roots(language), {"", *listed_words(language, "endings")}
    return any(
        one[:cut] in roots and one[cut:] in endings
        for one in (word, word.removeprefix("ge"))  # as German participles begin
        for cut in range(_LEAST, len(one) + 1)
    )


# `re` is loaded where one of these may be: most questions are plain words
_PIECE = r'(?<!\S)(-?)"([^"]+)"|(?<!\S)-(\w[\w./-]*)(?!\S)|(\S+)'
_BEGINNING = r"\w[\w.-]*\*"
CAMEL = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
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
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFC", text)
    asked = alone = False
    pieces = [("", "", "", one) for one in text.split()]
    plainly = '"' not in text and not any(one[0] == "-" or one[-1] == "*" for *_, one in pieces)
    if not plainly:
        import re

        pieces = re.findall(_PIECE, text)
    for minus, quoted, without, plain in pieces:
        if (quoted and minus) or without:
            unwanted.append(quoted or without)
        elif not plainly and re.fullmatch(_BEGINNING, plain):
            raw = plain[:-1].lower()
            words.setdefault(plain.lower(), Word(raw, raw, True))
            asked = True
        else:
            _take(quoted or plain, words)
            phrases += [quoted] * bool(quoted)
            alone, asked = bool(phrases), asked or not quoted
    language = spoken(text, language)
    small = listed_words(language, "small")
    telling = {key: one for key, one in words.items() if one.beginning or one.raw not in small}
    found = tuple((telling or (words if phrases else {})).values())[:WORDS]
    return Question(found, tuple(phrases), tuple(unwanted), alone and not asked, language)


def as_indexed(phrase: str) -> str:
    """Return a phrase as the index has it: of writing without blanks, the pairs of its characters."""
    return pairs_in(phrase) or phrase


def _take(piece: str, words: dict[str, Word]) -> None:
    """Take the words of a piece: of writing without blanks its pairs, `camelCase` and its parts."""
    if not piece.isascii():
        pairs, piece = asked_pairs(piece)
        for typed, indexed in pairs.items():
            words.setdefault(typed, Word(typed, indexed, len(typed) == 1))
    marked = "".join([one if one.isalnum() or one in "'’" else " " for one in piece])
    for run in marked.replace("’", "'").replace("''", " ").split():
        each = run.strip("'").split("'")
        apart = any(one[:1].isdecimal() for one in each[1:])
        for found in filter(None, each if apart else ["'".join(each)]):
            parts = [found]
            end, is_name = found[1:], found.isalpha() and found.isupper()
            if found[0].isalpha() and end != end.lower() and not is_name:  # not `2FA`
                import re

                parts = re.sub(CAMEL, " ", found).split()
            for part in parts if len(parts) == 1 else [found, *parts]:
                # of `don't`, `Ada's` and `l'équipe` the longer part says something
                raw = max(part.lower().split("'"), key=len)
                words.setdefault(raw, Word(raw, raw))


#: Begins such writing, but signs between two bounds do not. A run of it, and what only asks in it:
#: why, what, which, how, where, how many, whether.
_FIRST, _SIGNS = "\u0e01", ("\u1fff", "\u3041")
_RUN = (
    "[\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17dd\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f]+"
)
_ASKING = (
    "\u4e3a\u4ec0\u4e48|\u4ec0\u4e48|\u600e\u4e48|\u600e\u6837|\u5982\u4f55|\u54ea\u4e2a|\u54ea\u4e9b|\u54ea\u91cc|"
    "\u54ea|\u662f\u5426|\u591a\u5c11|\u51e0\u4e2a|\u5417|\u5462|\u8bf7\u95ee|\u6211\u4eec|\u306a\u305c|"
    "\u3069\u3046\u3057\u3066|\u3067\u3059\u304b|\u307e\u3059\u304b"
)
#: A word of writing that joins small ones to the front of others, and the letters that are left of it.
_JOINED, _LEFT = "[\u05d0-\u05ea\u0620-\u064a\u066e-\u06d3]{4,}", 3
#: No word that Porter's algorithm would shorten ends so.
_END = "q"


def pairs_in(text: str) -> str:
    """Return the words that the index has for writing without blanks in a text, with blanks between."""
    runs = _runs(_RUN, _FIRST, text)
    return " ".join([_spelled(run[at : at + 2]) + _END for run in runs for at in range(len(run))])


def _runs(pattern: str, first: str, text: str) -> list[str]:
    """Return what `re.findall` does, where a character is not before the first that may be found."""
    if text.isascii() or not any(one >= first and not _SIGNS[0] < one < _SIGNS[1] for one in text):
        return []
    import re

    return re.findall(pattern, text)


def bare_words(text: str) -> list[str]:
    """Return words without their first letters, where a writing joins small words to the front of others.

    Hebrew and Arabic join one to three letters so ("the", "and", "in").
    """
    words = _runs(_JOINED, "\u05d0", text)
    return [word[cut:] for word in words for cut in range(1, min(4, len(word) - _LEFT + 1))]


def asked_pairs(text: str) -> tuple[dict[str, str], str]:
    """Return what to look for where somebody typed writing without blanks.

    Returns:
        What was typed -> how the index spells it, and the text without all that. One character stands
        for all pairs that begin with it.
    """
    found: dict[str, str] = {}
    runs = _runs(_RUN, _FIRST, text)
    if not runs:
        return found, text
    import re

    telling = [part for run in runs for part in re.split(_ASKING, run) if len(part) > 1]
    for run in telling or runs:
        if len(run) == 1:
            found[run] = _spelled(run)
        for first, second in pairwise(run):
            found[first + second] = _spelled(first + second) + _END
    return found, re.sub(_RUN, " ", text)


def _spelled(characters: str) -> str:
    return "".join([f"x{ord(one):x}" for one in characters])
