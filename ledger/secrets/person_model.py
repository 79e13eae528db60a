"""Weigh how much a sentence is about a person, by words of several languages and by what was learned.

Each word, each pair of neighbours and each pair of kinds of words in a sentence carries a small weight;
their sum says whether the sentence is about a person. The weights were learned from sentences that were
written for it: `tests/campaigns/person_model.py` makes the file from them. Nothing here takes more than
linear time, and a word that was looked up once is not looked up again.
"""

from __future__ import annotations

import json
from pathlib import Path
from zlib import crc32, decompress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

#: Written beside this module: the words by kind, and the weights.
MODEL = Path(__file__).with_name("person_model.bin")
#: A feature has one of so many places.
PLACES = 1 << 16
#: A weight is written as so many parts of one.
PARTS = 16
#: Letters with their marks, behind how people type them without.
_MARKED = (
    "aàáâãäåą", "cçćč", "eèéêëęě", "iìíîï", "lł", "nñńň", "oòóôõöø", "uùúûü", "yýÿ", "zžźż", "sśš",
    "\u0435\u0451", "\u0438\u0439",
)  # fmt: skip
_FOLD: dict[int, str | None] = {ord(mark): row[0] for row in _MARKED for mark in row[1:]}
_FOLD |= {ord("ß"): "ss", **dict.fromkeys(range(0x300, 0x370))}  # marks of their own are none
_SHORT = {"m": "am", "ve": "have", "ll": "will", "re": "are", "d": "would"}
#: What stands around a word; and what no word is.
_AROUND, _CODE, _NUMBER, _LONG = "\"'()[]{}<>,;:.!?…*~«»„“”–—-¿¡", "#code", "#number", "#long"
_MOST_CHARS, _MOST_WORDS = 48, 50_000
#: Beginnings of a word stand for its other forms, where it is longer.
_BEGINNINGS = (4, 6)
#: A word so long may be joined of others, each at least so long; an ending is cut from none shorter.
_JOINED_CHARS, _PART_CHARS, _STEM_CHARS = 9, 5, 4
_ENDINGS = ("s", "n", "es", "en", "er", "ers")


class PersonModel:
    """What is known of words, and what they weigh.

    Args:
        made: what the file has: `kinds` with their words, `signs`, `quiet` and `bias`.
        weights: of each place, in parts of one.
    """

    def __init__(self, made: Mapping[str, Any], weights: Sequence[int]) -> None:
        self.kinds: tuple[str, ...] = tuple(made["kinds"])
        self.names = (*self.kinds, *[f"SIGNS_{name}" for name in made["signs"]])
        self.bias: float = made["bias"]
        self._weights = weights
        self._whole: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        for number, words in enumerate(made["kinds"].values()):
            for word in fold(words).split():
                known, key = (self._stems, word[:-1]) if word[-1] == "-" else (self._whole, word)
                known[key] = known.get(key, 0) | 1 << number
        self._sizes = sorted({len(stem) for stem in self._stems})
        self._work = 1 << self.kinds.index("WORK")
        self._signs = {name: tuple(signs.split()) for name, signs in made["signs"].items()}
        self.quiet_signs = self._signs["QUIET"]
        self.quiet: dict[str, list[str]] = {}
        for phrase in filter(None, map(str.strip, fold(made["quiet"]).split("|"))):
            self.quiet.setdefault(phrase.split()[0], []).append(f" {phrase} ")
        self._known: dict[str, tuple[int, int]] = {}
        self._mixed: dict[int, int] = {}

    def weigh(self, sentence: str, words: list[str] | None = None) -> tuple[float, int]:
        """Return how much a sentence is about a person, and its kinds of words and signs, as bits."""
        words = split_words(sentence) if words is None else words
        found = total = at_work = 0
        for word in dict.fromkeys(words):
            known = self._known.get(word)
            if known is None:
                known = (self.bits(word), self._sum(_of_word(word)))
                if len(self._known) < _MOST_WORDS:
                    self._known[word] = known
            found |= known[0]
            at_work += known[0] & self._work > 0
            total += known[1]
        mixed = found | self._signs_in(sentence) << len(self.kinds)
        if mixed not in self._mixed:
            self._mixed[mixed] = self._sum(self._of_kinds(mixed))
        total += self._sum(_of_neighbours(words, at_work)) + self._mixed[mixed]
        return self.bias + total / PARTS, mixed

    def features(self, sentence: str) -> Iterator[str]:
        """Yield whatever a sentence is weighed by."""
        words = split_words(sentence)
        found = [self.bits(word) for word in dict.fromkeys(words)]
        kinds = self._signs_in(sentence) << len(self.kinds)
        for word, bits in zip(dict.fromkeys(words), found, strict=True):
            kinds |= bits
            yield from _of_word(word)
        yield from _of_neighbours(words, sum([bits & self._work > 0 for bits in found]))
        yield from self._of_kinds(kinds)

    def bits(self, word: str) -> int:
        """Return of which kinds a word is."""
        found = self._whole.get(word, 0)
        for size in self._sizes:
            found |= self._stems.get(word[:size], 0)
        if not found:
            for end in _ENDINGS:
                if not found and word.endswith(end) and len(word) - len(end) >= _STEM_CHARS:
                    found = self._whole.get(word[: -len(end)], 0)
        if not found and "-" in word:
            for part in word.split("-"):
                found |= self._whole.get(part, 0)
        if len(word) >= _JOINED_CHARS and not found:  # as German joins them
            for size in range(_PART_CHARS, min(len(word) - 2, 24)):
                found |= self._whole.get(word[-size:], 0) | self._whole.get(word[:size], 0)
            found &= self._work
        return found

    def _signs_in(self, sentence: str) -> int:
        """Return which kinds of signs a sentence of a script without blanks has, as bits."""
        if sentence.isascii():
            return 0
        kinds = enumerate(self._signs.values())
        return sum([1 << at for at, signs in kinds if any(one in sentence for one in signs)])

    def _of_kinds(self, found: int) -> Iterator[str]:
        """Yield what kinds of words say, each by itself and with each other."""
        kinds = [number for number in range(found.bit_length()) if found >> number & 1]
        for at, one in enumerate(kinds):
            yield f"k{one}"
            for other in kinds[at + 1 :]:
                yield f"k{one}.{other}"

    def _sum(self, features: Iterable[str]) -> int:
        weights = self._weights
        return sum([weights[crc32(one.encode("utf-8", "replace")) % PLACES] for one in features])


def place(feature: str) -> int:
    """Return where the weight of a feature stands."""
    return crc32(feature.encode("utf-8", "replace")) % PLACES


def fold(text: str) -> str:
    """Return a text in small letters without marks."""
    return text.lower().translate(_FOLD)


def split_words(sentence: str) -> list[str]:
    """Return the words of a sentence, folded; what is of code or a number stands for all of its sort."""
    words: list[str] = []
    if "`" in sentence:
        parts = sentence.split("`")
        last = len(parts) - 1
        sentence = " ".join(
            [part if at % 2 == 0 or at == last else "`" for at, part in enumerate(parts)]
        )
    for term in sentence.replace("’", "'").replace("\u02bc", "'").split():
        known = _terms.get(term)
        if known is None:
            known = tuple(_words_of(term.strip(_AROUND)))
            if len(term) <= _MOST_CHARS and len(_terms) < _MOST_WORDS:
                _terms[term] = known
        words += known
    return words


_terms: dict[str, tuple[str, ...]] = {}


def _words_of(bare: str) -> Iterator[str]:
    """Yield the words of what stands between two blanks."""
    if not bare.isascii() and any(map(_wide, bare)):
        yield from _grams(bare)
    elif bare and _is_code(bare):
        yield _CODE
    elif any(map(str.isdigit, bare)):
        yield _NUMBER
    elif len(bare) > _MOST_CHARS:
        yield _LONG
    else:
        for number, part in enumerate(bare.split("'")):
            folded = fold(part)
            if folded:
                yield _SHORT.get(folded, folded) if number else folded


def _of_word(word: str) -> Iterator[str]:
    yield "w" + word
    for size in _BEGINNINGS:
        if len(word) > size and word[0] != "#":
            yield f"{size}{word[:size]}"


def _of_neighbours(words: list[str], at_work: int) -> list[str]:
    """Return what words say beside each other, and how many there are, of the work too."""
    pairs = [f"{one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True)]
    return [*pairs, f"long {min(4, len(words) // 6)}", f"work {min(4, at_work)}"]


def _is_code(bare: str) -> bool:
    """Tell whether a term stands in a sentence as it does in code: a name, a path, an option."""
    inner = bare[1:]
    return (
        bare[0] in "@#$`"
        or bare[:2] == "--"
        or (bare[2:3] == "-" and len(bare) == 5 and bare[:2].islower() and bare[3:].isupper())
        or any(mark in inner for mark in "_.=")
        or "/" in bare
        or "::" in bare
        or (bare.isascii() and bare.isalnum() and inner != inner.lower() and not bare.isupper())
    )


def _wide(char: str) -> bool:
    return "\u3040" <= char <= "\u9fff"


def _grams(run: str) -> Iterator[str]:
    """Yield the signs of a script without blanks, by one, two and three."""
    for at, char in enumerate(run):
        if _wide(char):
            for size in (1, 2, 3):
                if at + size <= len(run):
                    yield run[at : at + size]


_made: list[PersonModel] = []


def person_model() -> PersonModel:
    """Return the model, which is read when it is first asked for."""
    if not _made:
        head, _, weights = decompress(MODEL.read_bytes()).partition(b"\n")
        _made.append(PersonModel(json.loads(head), memoryview(weights).cast("b")))
    return _made[0]
