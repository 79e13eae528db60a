"""Compute likeness of meaning from the word vectors of the extra `vectors`.

The one door to numpy, tokenizers and the files of the package wordllama: a matrix of 32,000 pieces of
words, and what cuts a text into them. A text is the mean of its pieces. The package's own code is not
loaded: it would load much more, set up logging, and look on the network for a file that lies beside it.
Nothing is ever fetched, nothing is stored, and without the extra nothing is imported.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_PACKAGE = "wordllama"
_WEIGHTS, _MATRIX = "weights/l2_supercat_256.safetensors", "embedding.weight"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
#: A text counts up to here: what is behind says little about what it is about.
TEXT_CHARS = 2000
#: Likeness is rounded, so that it is the same on every machine.
_DIGITS = 4
#: The length of what a text means, where that is kept as bytes.
_BYTE = 127
#: How many texts, and twice as many words, have their vectors remembered, 2 KB each.
_VECTORS_KEPT = 4000


@cache
def installed() -> bool:
    """Tell whether the extra is installed, without importing any of it."""
    return all(find_spec(name) is not None for name in (_PACKAGE, "tokenizers", "numpy"))


def identity() -> str:
    """Return what tells these vectors from those of another release; "" where they can not be read."""
    loaded = _load() if installed() else None
    return "" if loaded is None else f"{loaded[1].get_vocab_size()} {loaded[2].shape}"


def similarities(query: str, texts: Sequence[str]) -> list[float] | None:
    """Return how alike in meaning texts are to a query, -1 to 1 each; None without the extra.

    Args:
        query: a question.
        texts: to compare it with; of each the first `TEXT_CHARS` characters count.
    """
    if not installed() or _load() is None:
        return None
    asked = _vector(query[:TEXT_CHARS])
    others = [_vector(text[:TEXT_CHARS]) for text in texts]
    return [round(float((asked * other).sum()), _DIGITS) for other in others]


def nearest(words: Sequence[str], texts: Sequence[Sequence[str]]) -> list[list[float]] | None:
    """Return, for each text, how alike its nearest word is to each of some words; None without the extra.

    Args:
        words: in lower case.
        texts: each as its words, in lower case.
    """
    loaded = _load() if installed() else None
    if loaded is None:
        return None
    numpy = loaded[0]
    if not words:
        return [[] for _ in texts]
    asked = numpy.stack([_word(word) for word in words])
    found = []
    for text in texts:
        if text:
            here = numpy.stack([_word(word) for word in text])
            alike = (asked @ here.T).max(axis=1).round(_DIGITS).tolist()
        found.append(alike if text else [0.0] * len(words))
    return found


def directions(texts: Sequence[Mapping[str, float]]) -> list[bytes]:
    """Return what texts mean, each as the direction of its words together: a byte for each of its sides.

    Args:
        texts: of each its words, in lower case, with their weights.
    """
    loaded = _load()
    if loaded is None:
        return [b"" for _ in texts]
    numpy = loaded[0]
    found = []
    for text in texts:
        mean = numpy.zeros(loaded[2].shape[1])
        for word, weight in text.items():
            mean += weight * _word(word)
        length = numpy.sqrt((mean * mean).sum())
        found.append((mean * (_BYTE / (length or 1.0))).round().astype("i1").tobytes())
    return found


def best_likeness(asked: bytes, texts: Sequence[bytes]) -> list[float]:
    """Return how alike the nearest stretch of each text is to a question, -1 to 1.

    Args:
        asked: the question, as `directions` gives it.
        texts: of each all its stretches, one behind the other.
    """
    loaded = _load()
    if loaded is None or not asked or not texts:
        return [0.0 for _ in texts]
    numpy = loaded[0]
    stretches = numpy.frombuffer(b"".join(texts), "i1").reshape(-1, len(asked)).astype("f4")
    alike = stretches @ numpy.frombuffer(asked, "i1").astype("f4")  # whole numbers: exact
    ends = numpy.cumsum([0, *[len(text) // len(asked) for text in texts[:-1]]])
    nearest_of_each = numpy.maximum.reduceat(alike, ends).astype("f8") / _BYTE**2
    best: list[float] = nearest_of_each.round(_DIGITS).tolist()
    return best


@cache
def _load() -> tuple[Any, Any, Any] | None:
    """Return numpy, the tokenizer and the matrix; None where the package's files are others."""
    import json

    spec = find_spec(_PACKAGE)
    folder = next(iter((spec and spec.submodule_search_locations) or ("",)))
    try:
        import numpy
        from tokenizers import Tokenizer

        # the format safetensors: the length of a JSON header, the header, the numbers
        with open(f"{folder}/{_WEIGHTS}", "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            about = json.loads(file.read(length))[_MATRIX]
        if about["dtype"] != "F16":
            return None
        matrix: Any = numpy.memmap(
            f"{folder}/{_WEIGHTS}",
            dtype="<f2",
            mode="r",
            offset=8 + length + about["data_offsets"][0],
            shape=tuple(about["shape"]),
        )
        tokenizer = Tokenizer.from_file(f"{folder}/{_TOKENIZER}")
    except Exception:  # noqa: BLE001 - tokenizers raises nothing narrower; ranking goes without
        return None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if tokenizer.get_vocab_size() > len(matrix):
        return None
    return numpy, tokenizer, numpy.asarray(matrix)


@lru_cache(_VECTORS_KEPT)
def _vector(text: str) -> Any:
    return _direction(text)


@lru_cache(2 * _VECTORS_KEPT)
def _word(word: str) -> Any:
    return _direction(word)


def _direction(text: str) -> Any:
    """Return the direction of a text's mean piece; nothing has none."""
    loaded = _load()
    assert loaded is not None, "nobody asks for a vector without the extra"
    numpy, tokenizer, matrix = loaded
    pieces = tokenizer.encode(text, add_special_tokens=False).ids
    mean = matrix[pieces].sum(axis=0, dtype="f8")
    length = numpy.sqrt((mean * mean).sum())
    return mean / length if length else mean
