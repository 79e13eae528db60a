"""Compute likeness of meaning from the word vectors of the extra `vectors`.

The one door to the files of the package wordllama: a matrix of 32,000 pieces of words, and what cuts a
text into them. A text is the sum of its pieces. The package's own code is not loaded, which looks on the
network for a file that lies beside it; and numpy, which takes longer to import than to compare what one
question finds, from `_PAYS` sums on alone: they are exact, whoever adds them up. Nothing is ever fetched.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import dist, hypot
from struct import unpack

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO


#: Stands for a blank. No piece holds one behind another character, so a text is cut there first.
_BLANK = "\u2581"
_CHUNK = re.compile(f"{_BLANK}*[^{_BLANK}]*")
#: Pieces that no text is made of: they are found as they stand, and cut a text in two.
_SPECIAL = re.compile("(<unk>|<s>|</s>)")
_CHUNKS_KEPT = 20_000
_BLANKS = 64
_PACKAGE = "wordllama"
_WEIGHTS, _MATRIX = "weights/l2_supercat_256.safetensors", "embedding.weight"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
#: What the tokenizer says of itself where `WordPieces` cuts as it does.
_AS_KNOWN = (b'"pre_tokenizer": null', b'"type": "BPE"', b'"byte_fallback": true')
#: A text counts up to here: what is behind says little about what it is about.
TEXT_CHARS = 2000
#: Likeness is rounded, so that it is the same on every machine.
_DIGITS = 4
#: The length of what a text means, where that is kept as bytes.
_BYTE = 127
#: How many rows, words and texts have their vectors remembered, 8 KB each.
_VECTORS_KEPT = 2000
#: How many vectors a process adds up or compares before numpy pays for its import.
_PAYS = 40_000


class _Vector(Record):
    """A direction, as a sum of rows, and how long that is."""

    sides: tuple[float, ...]
    length: float


class _Vectors(Record):
    """The files of the package, open."""

    pieces: WordPieces  #: cuts a text
    rows: BinaryIO  #: the file of the matrix
    start: int  #: where in it the first row is
    shape: tuple[int, int]  #: how many rows there are, and how long each is


@cache
def installed() -> bool:
    """Tell whether the extra is installed, without importing any of it."""
    return bool(_folder())


def identity() -> str:
    """Return what tells these vectors from those of another release; "" where they can not be read."""
    loaded = _load() if installed() else None
    return "" if loaded is None else f"{len(loaded.pieces)} {loaded.shape}"


def similarities(query: str, texts: Sequence[str]) -> list[float] | None:
    """Return how alike in meaning texts are to a query, -1 to 1 each; None without the extra.

    Of each text the first `TEXT_CHARS` characters count.
    """
    if not installed() or _load() is None:
        return None
    asked = _text(query[:TEXT_CHARS])
    return [round(_alike(asked, _text(text[:TEXT_CHARS])), _DIGITS) for text in texts]


def nearest(words: Sequence[str], texts: Sequence[Sequence[str]]) -> list[list[float]] | None:
    """Return, for each text, how alike its nearest word is to each of some words; None without the extra.

    `words` are in lower case, and so are the words that each text is.
    """
    if not installed() or _load() is None:
        return None
    others = {word: _word(word) for text in texts for word in text}
    alike = []
    for word in words:
        asked = _word(word)
        alike.append({other: _alike(asked, vector) for other, vector in others.items()})
    return [
        [round(max([by_word[word] for word in text], default=0.0), _DIGITS) for by_word in alike]
        for text in texts
    ]


def directions(texts: Sequence[Mapping[str, float]]) -> list[bytes]:
    """Return what texts mean, each as the direction of its words together: a byte for each of its sides.

    A text is its words, in lower case, with their weights.
    """
    loaded = _load()
    if loaded is None:
        return [b"" for _ in texts]
    found = []
    for text in texts:
        total = _added([_unit(word, weight) for word, weight in text.items()])
        longer = _BYTE / (total.length or 1.0)
        found.append(bytes([round(side * longer) & 255 for side in total.sides]))
    return found


def best_likeness(asked: bytes, texts: Sequence[bytes]) -> list[float]:
    """Return how alike the nearest stretch of each text is to a question, -1 to 1.

    `asked` is as `directions` gives it; a text is all its stretches, one behind the other.
    """
    if _load() is None or not asked or not texts:
        return [0.0 for _ in texts]
    size = len(asked)
    counts = [len(text) // size for text in texts]
    alike = _likeness(asked, b"".join(texts), sum(counts))
    best, at = [], 0
    for count in counts:
        best.append(round(max(alike[at : at + count], default=0.0) / _BYTE**2, _DIGITS))
        at += count
    return best


def _likeness(asked: bytes, stretches: bytes, count: int) -> list[float]:
    """Return the products of a question with stretches, whole numbers."""
    numpy = _numpy(count)
    if numpy is not None:
        rows = numpy.frombuffer(stretches, "i1").reshape(count, -1).astype("f4")
        products: list[float] = (rows @ numpy.frombuffer(asked, "i1").astype("f4")).tolist()
        return products
    form = f"{len(asked)}b"
    wanted = unpack(form, asked)
    square = hypot(*wanted) ** 2
    found = []
    for at in range(0, len(stretches), len(asked)):
        sides = unpack(form, stretches[at : at + len(asked)])
        found.append(float(round((square + hypot(*sides) ** 2 - dist(wanted, sides) ** 2) / 2)))
    return found


def _alike(one: _Vector, two: _Vector) -> float:
    """Return the cosine between two vectors, by the distance of their ends: one call into C."""
    if not (one.length and two.length):
        return 0.0
    apart = dist(one.sides, two.sides)
    square = one.length * one.length + two.length * two.length - apart * apart
    return square / (2 * one.length * two.length)


def _folder() -> str:
    """Return where the package lies, "" where it is not installed."""
    for place in sys.path:
        if os.path.isfile(f"{place}/{_PACKAGE}/{_WEIGHTS}"):
            return f"{place}/{_PACKAGE}"
    return ""


@cache
def _load() -> _Vectors | None:
    """Open the files of the package; None where they are others."""
    from json import loads

    try:
        with open(f"{_folder()}/{_TOKENIZER}", "rb") as config:
            said = config.read()
        start, end = said.index(b"{", said.index(b'"vocab"')), said.index(b'"merges"')
        pieces = loads(said[start : said.rindex(b"}", start, end) + 1])
        # the format safetensors: the length of a JSON header, the header, the numbers
        rows = open(f"{_folder()}/{_WEIGHTS}", "rb", buffering=0)  # noqa: SIM115 - for good
        length = int.from_bytes(rows.read(8), "little")
        about = loads(rows.read(length))[_MATRIX]
        count, sides = about["shape"]
        start = 8 + length + int(about["data_offsets"][0])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    known = all(one in said for one in _AS_KNOWN) and about["dtype"] == "F16"
    if not known or len(pieces) > count:
        return None
    return _Vectors(WordPieces(pieces), rows, start, (count, sides))


_added_up = 0  # vectors, so far


def _numpy(more: int) -> Any:
    """Return numpy where it pays to add up or compare so many more vectors with it, else None."""
    global _added_up
    _added_up += more
    if _added_up < _PAYS:
        return None
    import numpy

    return numpy


@lru_cache(_VECTORS_KEPT)
def _text(text: str) -> _Vector:
    return _sum(text)


@lru_cache(_VECTORS_KEPT)
def _word(word: str) -> _Vector:
    return _sum(word)


@lru_cache(_VECTORS_KEPT)
def _unit(word: str, weight: float) -> tuple[float, ...]:
    """Return the direction of a word, of the length that it weighs."""
    sides, length = _word(word)
    return tuple([weight * (side / length) for side in sides]) if length else sides


def _sum(text: str) -> _Vector:
    """Return the sum of a text's pieces, whose direction is that of their mean; nothing has none."""
    loaded = _load()
    assert loaded is not None, "nobody asks for a vector without the extra"
    numbers = loaded.pieces.cut(text)
    numpy = _numpy(len(numbers))
    if numpy is not None and numbers:
        total = _matrix()[numbers].sum(axis=0, dtype="f8").tolist()
        return _Vector(tuple(total), hypot(*total))
    return _added([_row(number) for number in numbers])


def _added(rows: Sequence[tuple[float, ...]]) -> _Vector:
    loaded = _load()
    width = loaded.shape[1] if loaded is not None else 0
    sides = tuple(map(sum, zip(*rows, strict=True))) if rows else (0.0,) * width
    return _Vector(sides, hypot(*sides))


@lru_cache(_VECTORS_KEPT)
def _row(number: int) -> tuple[float, ...]:
    loaded = _load()
    assert loaded is not None, "nobody asks for a row without the extra"
    size = 2 * loaded.shape[1]
    data = os.pread(loaded.rows.fileno(), size, loaded.start + size * number)
    return unpack(f"<{loaded.shape[1]}e", data)


@cache
def _matrix() -> Any:
    import numpy

    loaded = _load()
    assert loaded is not None, "nobody asks for a row without the extra"
    file, start = loaded.rows.name, loaded.start
    matrix: Any = numpy.memmap(file, dtype="<f2", mode="r", offset=start, shape=loaded.shape)
    return numpy.asarray(matrix)


class WordPieces:
    """A vocabulary of pieces.

    Args:
        numbers: of the pieces; of two that could be joined, those of the lower number are.
    """

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = numbers
        self._none = 2 * len(numbers)
        self._ranks = dict(numbers)
        for count in range(2, _BLANKS):  # blanks are joined after all else
            if _BLANK * count in numbers:
                self._ranks[_BLANK * count] += len(numbers)
        self._cut = lru_cache(_CHUNKS_KEPT)(self._cut_chunk)

    def __len__(self) -> int:
        """Return how many pieces there are."""
        return len(self._numbers)

    def cut(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces, in order."""
        found: list[int] = []
        for part in _SPECIAL.split(text) if "<" in text else (text,):
            if part in self._numbers and _SPECIAL.fullmatch(part):
                found.append(self._numbers[part])
            elif part:
                for chunk in _CHUNK.findall(_BLANK + part.replace(" ", _BLANK)):
                    found += self._cut(chunk)
        return found

    def _cut_chunk(self, chunk: str) -> Sequence[int]:
        """Cut what has blanks at its front alone: join the best two neighbours until none can be."""
        numbers = self._numbers
        if chunk in numbers:
            return (numbers[chunk],)  # every piece is cut into itself
        pieces: list[str] = []
        for char in chunk:
            if char in numbers:
                pieces.append(char)
            else:
                pieces += [f"<0x{byte:02X}>" for byte in char.encode("utf-8", "replace")]
        rank, none = self._ranks.get, self._none
        ranks = [rank(one + two, none) for one, two in pairwise(pieces)]
        while ranks and (best := min(ranks)) < none:
            at = ranks.index(best)
            pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
            del ranks[at]
            if at:
                ranks[at - 1] = rank(pieces[at - 1] + pieces[at], none)
            if at < len(ranks):
                ranks[at] = rank(pieces[at] + pieces[at + 1], none)
        return [numbers[piece] for piece in pieces]
