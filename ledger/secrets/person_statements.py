"""Tell whether a sentence is about a person, and not about the work, in several languages.

Memory that others share holds nothing of anybody's health, family, pay, plans, place or taste, no
judgement of somebody, and nothing that was said between two people. What a speaker says of themselves,
and what is said of somebody who is named, is personal unless it is plainly about the work: what is
shared is to be right, and need not be all that could be. No text takes more than linear time.
"""

from __future__ import annotations

import json
import re
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


#: What a sentence is about that concerns a person, and the kinds of words that tell of it.
CONFIDENCE = "what is kept between two"
_TOPICS = (
    ("private life", frozenset(("KIN", "HEALTH", "LIFE"))),
    ("taste", frozenset(("TASTE",))),
    ("somebody else", frozenset(("THEY", "HUMANS", "NAMES", "JUDGED"))),
)
_SPEAKER = "the speaker"
_ENDS, _WIDE_ENDS = ".!?…", "。\uff01\uff1f\uff1b"
#: One that weighs more is about a person: so low that what nobody learned from leaks in one of 70, and
#: so high that of what is about the work as little is lost.
_BAR = -0.5
#: What ends a clause; one by itself is to weigh so much more, has so many words at least, and a part of
#: what the whole sentence weighs for the work is taken from it.
_CLAUSES = re.compile(
    r"[,;:—，] ?|\s[-–]\s|\s(?:because|since|so|weil|parce que|porque|así que|então|потому что)\s"
)
_ALONE, _CLAUSE_WORDS, _WHOLE = 1.0, 4, 0.4
#: One without a word that tells of a person, in another language for instance, is to weigh so much more.
_UNKNOWN = 1.5
#: The scripts of languages that nothing was learned of, kana and Hangul: what is not known weighs nothing.
_UNLEARNED = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
#: Plainly about a person is what weighs so much more, and has a word that tells of one.
_PLAINLY = 1.0
_PERSON = frozenset(
    "ME MY THEIR THEY HUMANS NAMES KIN THEIRS HEALTH LIFE TASTE JUDGED"
    " SIGNS_ME SIGNS_PRIVATE SIGNS_THEY".split()
)
#: A shorter one says nothing of anybody by itself, unless it says whose it is.
_LEAST_WORDS, _OWN = 3, frozenset(("ME", "MY"))
#: Between us and somebody else nothing is kept.
_ANDS = ("and ", "und ", "et ", "y ", "e ", "и ")


def about_person(text: str, *, plainly: bool = False) -> str:
    """Return what the first sentence that is about a person is about; "" where none is.

    `plainly`: only what is so beyond a doubt: a writer is to be warned, and nothing is left out.
    """
    for part in paragraphs(text):
        for sentence in _sentences(" ".join(part.split("\n"))):
            found = _topic(sentence, plainly=plainly)
            if found:
                return found
    return ""


def without_personal(text: str) -> str:
    """Return a text without its paragraphs and items that are about a person."""
    parts = list(paragraphs(text))
    kept = [part for part in parts if not about_person(part)]
    return text if len(kept) == len(parts) else "".join(kept)


def is_kept_quiet(text: str) -> bool:
    """Tell whether a paragraph says that it stays between those who speak: "off the record"."""
    sentences = _sentences(" ".join(text.split("\n")))
    return any(_is_quiet(one, split_words(one)) for one in sentences)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs and items of a text, with the blank lines behind them; all of it, in order."""
    part: list[str] = []
    closed = False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        item = bare[:2] in ("- ", "* ", "+ ") or (bare[:1].isdigit() and bare[1:3] in (". ", ") "))
        if part and bare and (closed or item):
            yield "".join(part)
            part = []
        closed = not bare
        part.append(line)
    if part:
        yield "".join(part)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph; an end is a mark with a blank behind it."""
    start = 0
    for at, char in enumerate(text):
        if char in _WIDE_ENDS or (char in _ENDS and text[at + 1 : at + 2] in ("", " ", "\t")):
            yield text[start : at + 1]
            start = at + 1
    yield text[start:]


def _topic(sentence: str, *, plainly: bool) -> str:
    words = split_words(sentence)
    if _is_quiet(sentence, words):
        return CONFIDENCE
    model = person_model()
    weight, found = model.weigh(sentence, words)
    if weight <= _BAR:
        less = _ALONE - _WHOLE * min(0.0, weight)
        for clause in _CLAUSES.split(sentence):
            if len(clause) < len(sentence):
                own = split_words(clause)
                if len(own) >= _CLAUSE_WORDS:
                    weight = max(weight, model.weigh(clause, own)[0] - less)
    if weight <= _BAR:
        return ""
    kinds = {kind for number, kind in enumerate(model.names) if found >> number & 1}
    if _PERSON.isdisjoint(kinds):
        if plainly or weight <= _UNKNOWN or _UNLEARNED.search(sentence):
            return ""
    if plainly and weight <= _BAR + _PLAINLY:
        return ""
    if len(words) < _LEAST_WORDS and (_OWN.isdisjoint(kinds) or kinds <= _OWN):
        return ""
    return next((topic for topic, words in _TOPICS if not words.isdisjoint(kinds)), _SPEAKER)


def _is_quiet(sentence: str, words: list[str]) -> bool:
    """Tell whether a sentence keeps something between two people, by one of the phrases for it."""
    model = person_model()
    if not sentence.isascii() and any(sign in sentence for sign in model.quiet_signs):
        return True
    if model.quiet.keys().isdisjoint(words):
        return False
    whole = f" {' '.join(words)} "
    at = 0
    for word in words:
        for phrase in model.quiet.get(word, ()):
            if whole.startswith(phrase, at) and not whole.startswith(_ANDS, at + len(phrase)):
                return True
        at += len(word) + 1
    return False
