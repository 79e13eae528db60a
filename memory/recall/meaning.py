"""Tell how alike facts are to a question in meaning, by a small sentence model that the user has here.

The model is an ONNX file and its tokenizer, in the folder that `$DIURNA_MODEL` names, else in the user's
data folder (`diurna install --model`). Vectors of facts stand in one file beside the index, each under the
hash of what it was made of. The file is always written whole, by `make`, where nobody waits; a redaction
takes it away with all else that is kept beside the ledger. Without a model nothing is loaded here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache

from ledger.environment import data_folder, monotonic, variables
from ledger.errors import StorageFailed
from ledger.home import Home
from ledger.model.record import TYPE_CHECKING, Record
from memory.cache.cache_file import Cache
from memory.recall.fts_tables import FACTS_APART, FACTS_FROM, PLACE_BITS, Index
from memory.recall.recall_values import SMALL_MODEL_BYTES, VECTORS
from memory.replay.tip_snapshot import Snapshot

if TYPE_CHECKING:
    from typing import Any

TOKENIZER = "tokenizer.json"
#: A text is looked at in pieces of so many characters, of which the likest counts.
_PIECE, _TOKENS = 250, 256
#: From where on two facts mean nearly the same.
_NEARLY = 0.75


class ModelUnusable(StorageFailed):
    """A model can not be loaded, or is none for sentences."""


class Files(Record):
    """A model as it lies on the disk."""

    model: str
    tokenizer: str
    stamp: tuple[int, ...]  #: sizes and times of both: where they differ, another one was put there


def model_folder() -> str:
    """Return where a model is looked for."""
    return variables().get("DIURNA_MODEL", "") or data_folder() + "/diurna/model"


def model_files() -> Files | None:
    """Return the user's model, None where there is none."""
    folder = model_folder()
    try:
        names = [name for name in sorted(os.listdir(folder)) if name.endswith(".onnx")]
        paths = f"{folder}/{names[0]}", f"{folder}/{TOKENIZER}"
        found = [os.stat(path) for path in paths]
    except (OSError, IndexError):
        return None
    return Files(*paths, tuple([n for one in found for n in (one.st_size, one.st_mtime_ns)]))


class Model:
    """A sentence model that is loaded.

    Args:
        files: where it is.
        hastily: it is loaded in half the time, and reads a text in thrice the time.

    Raises:
        ModelUnusable: it can not be.
    """

    def __init__(self, files: Files, hastily: bool = False) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer

            how = onnxruntime.SessionOptions()
            how.intra_op_num_threads, how.log_severity_level = 1, 4
            if hastily:
                how.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            only = ["CPUExecutionProvider"]
            self._session = onnxruntime.InferenceSession(files.model, how, providers=only)
            self._tokenizer = Tokenizer.from_file(files.tokenizer)
        except ImportError as problem:
            hint = "pip install '.[meaning]' in a clone of Diurna's repository"
            raise ModelUnusable("the extra `meaning` is not installed", hint=hint) from problem
        except Exception as problem:  # both raise whatever they like
            raise ModelUnusable(f"{files.model}: {problem}") from problem
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_TOKENS)
        self._inputs = [one.name for one in self._session.get_inputs()]

    def vector(self, text: str) -> Any:
        """Return the vector of a text, of length 1."""
        import numpy

        ids = numpy.array([self._tokenizer.encode(text).ids or [0]], dtype=numpy.int64)
        known = {"attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        given = {name: known.get(name, ids) for name in self._inputs}
        try:
            said = self._session.run(None, given)[0]
            mean = said.reshape(-1, said.shape[-1]).mean(0)  # where it tells of each word, of all
        except Exception as problem:  # as above
            raise ModelUnusable(f"it is no model for sentences: {problem}") from problem
        return (mean / numpy.linalg.norm(mean)).astype(numpy.float32)


#: A model is loaded once.
loaded = cache(Model)


class Vectors:
    """What a file keeps of a model's vectors; nothing, where it can not be read."""

    def __init__(self, path: str) -> None:
        import json

        from ledger.wal.atomic_files import plain_bytes

        head, _, self.data = (plain_bytes(path) or b"").partition(b"\n")
        self.stamp: tuple[int, ...] = ()  #: of the model's files
        self.digest = ""  #: of the logs of which no vector is missing
        #: of each piece of a text: the log that brought it, the text's place there, the hash of what was
        #: read
        self.pieces: list[tuple[str, int, str]] = []
        try:
            stamp, digest, pieces = json.loads(head)
            if pieces and self.data and not len(self.data) % (2 * len(pieces)):
                self.pieces = [(stem, place, key) for stem, place, key in pieces]
                self.stamp, self.digest = tuple(stamp), digest
        except (ValueError, TypeError):
            pass
        self._rows: tuple[object, list[int]] = None, []

    @cached_property
    def matrix(self) -> Any:
        """A vector a piece."""
        import numpy

        flat = numpy.frombuffer(self.data, dtype=numpy.float16)
        return flat.reshape(len(self.pieces), -1).astype(numpy.float32)

    def rows(self, index: Index) -> list[int]:
        """Return the rows of the pieces' texts, 0 for one that an index does not have."""
        if self._rows[0] is not index.totals:
            known = dict(index.rows("SELECT stem, number FROM logs"))
            pieces = [(known.get(stem, 0), place) for stem, place, _ in self.pieces]
            rows = [number and number << PLACE_BITS | place for number, place in pieces]
            self._rows = index.totals, rows
        return self._rows[1]


def _path(home: Home) -> str:
    return home.cache_file + VECTORS


@lru_cache(maxsize=8)
def _kept(path: str, *_about: int) -> Vectors:
    return Vectors(path)


def cosines(
    home: Home, index: Index, question: str, model_bytes: float
) -> Mapping[int, float] | None:
    """Return how alike the facts of a home are to a question, by row of its index.

    None where there is no model, or a larger one, which takes long to load, or nothing was made by it.
    """
    files = model_files()
    try:
        about = os.stat(_path(home))
    except OSError:
        return None
    kept = _kept(_path(home), about.st_ino, about.st_size, about.st_mtime_ns)
    if files is None or kept.stamp != files.stamp or files.stamp[0] > model_bytes:
        return None
    try:
        alike = kept.matrix @ loaded(files, model_bytes == SMALL_MODEL_BYTES).vector(question)
    except (ModelUnusable, ValueError):  # it was taken away, or the file is damaged
        return None
    best: dict[int, float] = {}
    for row, cosine in zip(kept.rows(index), alike.tolist(), strict=True):
        if row and cosine > best.get(row, -1.0):
            best[row] = cosine
    return best


def nearly_as(snapshot: Snapshot, texts: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Return, by the names of texts, the facts that mean nearly the same, each with how much, up to 100.

    None where no model is loaded in this process: nobody who records waits for one.
    """
    if not loaded.cache_info().currsize:
        return {}
    from memory.recall.index_catch_up import ask_once

    def of(index: Index, text: str) -> dict[str, float]:
        alike = cosines(snapshot.home, index, text, float("inf")) or {}
        nearly = [(index.at(row), 100 * alike[row]) for row in alike if alike[row] >= _NEARLY]
        return {found[1].fact: near for found, near in nearly if found is not None}

    return ask_once(snapshot, lambda _, index: {key: of(index, texts[key]) for key in texts})


def make_vectors(snapshot: Snapshot, seconds: float = float("inf")) -> int:
    """Make the vectors that are missing, as far as the time allows; return how many.

    Raises:
        ModelUnusable: there is a model that can not be used.
        StorageFailed: the disk refused.
    """
    import json

    from ledger.wal.atomic_files import replace_file
    from memory.recall.index_catch_up import ask_once

    files, path, until = model_files(), _path(snapshot.home), monotonic() + seconds
    if files is None:
        return 0
    kept, known = Vectors(path), dict[str, bytes]()
    if kept.stamp == files.stamp:
        if kept.digest == snapshot.ask(lambda cache: cache.summary.digest):
            return 0
        size = len(kept.data) // len(kept.pieces)
        known = {key: kept.data[at * size :][:size] for at, (_, _, key) in enumerate(kept.pieces)}
    model, made = loaded(files), 0
    done: object = None
    # what was redacted meanwhile is not in the next file
    while (now := ask_once(snapshot, _texts)) != done:
        done, (digest, texts) = now, now
        for (_, _, key), said in texts:
            if key not in known and monotonic() < until:
                known[key] = model.vector(said).astype("float16").tobytes()
                made += 1
        pieces = [piece for piece, _ in texts if piece[-1] in known]
        whole = digest if len(pieces) == len(texts) else ""
        head = json.dumps([files.stamp, whole, pieces]).encode()
        replace_file(path, b"\n".join([head, b"".join([known[key] for *_, key in pieces])]), 0o600)
    return made


def _texts(cache: Cache, index: Index) -> tuple[str, list[tuple[tuple[str, int, str], str]]]:
    """Return the digest of the logs, and the pieces of all texts that stand, each with what it says."""
    from hashlib import sha256
    from textwrap import wrap

    found = []
    for id in cache.fact_ids():
        fact = cache.fact(id)
        if fact is None or fact.false or fact.redacted:
            continue
        head = fact.heads[-1]
        log = index.log(index.number_of(head.stem))
        at = [place for place, fact in enumerate(log.facts[0] if log else ()) if fact == id]
        for text in wrap(head.text, _PIECE) if at else ():
            said = f"{id.replace('-', ' ')}: {text}"
            key = sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]
            found.append(((head.stem, FACTS_FROM + FACTS_APART * at[-1], key), said))
    return cache.summary.digest, found
