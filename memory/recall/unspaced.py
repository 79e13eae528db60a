"""Find words inside of writing that has no blanks between them: pairs of neighbouring characters.

Chinese, Japanese, Thai, Lao, Khmer, Burmese and, for its endings, Korean. FTS5 takes a whole run of such
characters for one word, and the marks of some for ends of words. So each pair of neighbours in a run is
indexed as a word of its own, spelled by the numbers of its characters, and so is the last one alone; who
asks for a run asks for its pairs.
"""

from __future__ import annotations

import re
from itertools import pairwise

#: A run of such writing; what only asks in it: why, what, which, how, where, how many, whether.
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
_JOINED, _LEAST = "[\u05d0-\u05ea\u0620-\u064a\u066e-\u06d3]{4,}", 3
#: No word that Porter's algorithm would shorten ends so.
_END = "q"


def has_unspaced(text: str) -> bool:
    """Tell whether a text has writing without blanks."""
    return not text.isascii() and re.search(_RUN, text) is not None


def pairs_in(text: str) -> str:
    """Return the words that the index has for writing without blanks in a text, with blanks between."""
    runs = [] if text.isascii() else re.findall(_RUN, text)
    return " ".join([_spelled(run[at : at + 2]) + _END for run in runs for at in range(len(run))])


def bare_words(text: str) -> list[str]:
    """Return words without their first letters, where a writing joins small words to the front of others.

    Hebrew and Arabic join one to three letters so ("the", "and", "in").
    """
    words = [] if text.isascii() else re.findall(_JOINED, text)
    return [word[cut:] for word in words for cut in range(1, min(4, len(word) - _LEAST + 1))]


def asked_pairs(text: str) -> tuple[dict[str, str], str]:
    """Return what to look for where somebody typed writing without blanks.

    Returns:
        What was typed -> how the index spells it, and the text without all that. One character stands
        for all pairs that begin with it.
    """
    found: dict[str, str] = {}
    runs = re.findall(_RUN, text)
    telling = [part for run in runs for part in re.split(_ASKING, run) if len(part) > 1]
    for run in telling or runs:
        if len(run) == 1:
            found[run] = _spelled(run)
        for first, second in pairwise(run):
            found[first + second] = _spelled(first + second) + _END
    return found, re.sub(_RUN, " ", text)


def _spelled(characters: str) -> str:
    return "".join([f"x{ord(one):x}" for one in characters])
