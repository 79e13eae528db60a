"""Weigh facts by what they mean, whether or not they share a word with the question, and keep that.

A long fact says many things, so it is compared stretch by stretch; each stretch has the words of the id,
which say what the whole is about. A stretch means what its distinct words mean together: words that tell
nothing are left out, everyday ones count half. So the vectors are a pure function of the texts, and it is
the same who made them: they are kept beside the words of each log, made when first asked. What can not be
written is made again by the next process. Without the extra `vectors` nothing here is used.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterable, Iterator, Mapping

from ledger.model.event import FactCreated, FactUpdated
from memory.cache.cache_file import Cache
from memory.cache.sqlite import sqlite3
from memory.cache.stamp import StampBroken
from memory.recall.index.fts_file import Index, Totals, unpacked
from memory.recall.index.rows import FACTS_APART, FACTS_FROM, PLACE_BITS
from memory.recall.query.query_parser import words_in
from memory.recall.query.widening import EVERYDAY, everyday
from memory.recall.rank.vectors import best_likeness, directions

#: How many characters one stretch of a fact has, about.
STRETCH_CHARS = 400
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+")
#: So many of the newest logs have the meaning of their facts known.
LOGS = 20_000


class Meanings:
    """The meaning of the facts of one index; what was read is remembered.

    Args:
        made_by: what tells these vectors from others (`memory.recall.rank.vectors.identity`).
    """

    def __init__(self, made_by: str) -> None:
        self._made_by = made_by
        self._index: Index | None = None
        self._totals: Totals | None = None
        self._rows: list[int] = []
        self._packed: list[bytes] = []
        self._fresh: dict[int, bytes] = {}

    def of(self, cache: Cache, index: Index) -> Meanings:
        """Return itself, with what is to know of an index at the commit of a cache."""
        if index is not self._index or index.totals is not self._totals:
            self._index, self._totals = index, index.totals
            self._fresh = {}
            self._read(cache, index)
        return self

    def likeness(self, words: Mapping[str, float]) -> dict[int, float]:
        """Return how alike facts are to the words of a question, with their weights: row -> -1 to 1."""
        (asked,) = directions([words])
        return dict(zip(self._rows, best_likeness(asked, self._packed), strict=True))

    def save(self) -> None:
        """Write what was made anew, where the index still stands where it did; outside of a reading."""
        fresh, self._fresh, index = self._fresh, {}, self._index
        if not fresh or index is None:
            return
        base = index.base
        try:
            with index.stamp.writing():
                base.execute("BEGIN IMMEDIATE")
                if index.get("mark") == tuple(index.mark):
                    base.executemany("INSERT OR REPLACE INTO meanings VALUES (?, ?)", fresh.items())
                    meant = marshal.dumps((index.mark.digest, self._made_by))
                    base.execute("INSERT OR REPLACE INTO meta VALUES ('meant', ?)", (meant,))
                base.execute("COMMIT")
        except (sqlite3.Error, StampBroken):
            pass  # a read-only or full disk, or somebody else is writing
        finally:
            _take_back(base)

    def _read(self, cache: Cache, index: Index) -> None:
        digest, made_by = index.get("meant") or ("", "")
        known: dict[int, bytes] = {}
        if made_by == self._made_by:
            known.update(index.rows("SELECT log, vectors FROM meanings"))
        if (digest, made_by) != (index.mark.digest, self._made_by):
            numbers = index.rows("SELECT number FROM logs ORDER BY number DESC LIMIT ?", (LOGS,))
            missing = [number for (number,) in numbers if number not in known]
            self._fresh = {number: _packed(cache, index, number) for number in missing}
            known.update(self._fresh)
        self._rows, self._packed = [], []
        for number, packed in sorted(known.items()):
            for place, vectors in enumerate(unpacked(packed) if packed else ()):
                if vectors:
                    at = FACTS_FROM + FACTS_APART * place
                    self._rows.append(number << PLACE_BITS | at)
                    self._packed.append(vectors)


def _take_back(base: sqlite3.Connection) -> None:
    """End a transaction that was not committed, on a connection that may be closed."""
    try:
        if base.in_transaction:
            base.execute("ROLLBACK")
    except sqlite3.Error:
        pass


def _packed(cache: Cache, index: Index, number: int) -> bytes:
    """Return the vectors of a log's facts, b"" where it has none."""
    log = index.log(number)
    entry = cache.entry(log.stem) if log is not None and log.facts else None
    if log is None or entry is None:
        return b""
    texts = {
        (event.id, len(event.text)): event.text
        for event in entry.acts
        if isinstance(event, FactCreated | FactUpdated) and event.text
    }
    vectors = []
    for piece in log.facts:
        stretches = stretches_of(piece.fact, texts.get((piece.fact, piece.chars), ""))
        vectors.append(b"".join(directions(stretches)))
    return marshal.dumps(vectors)


def weighed(words: Iterable[str]) -> dict[str, float]:
    """Return how much each of some words, in lower case, says of what a text means."""
    return {word: EVERYDAY if everyday(word) else 1.0 for word in words if len(word) > 1}


def stretches_of(id: str, text: str) -> list[dict[str, float]]:
    """Return the words of each stretch of a fact, with their weights."""
    from memory.recall.index.passage_cutter import (
        camel_words,  # a question of a kept index needs none
    )

    name = re.sub("[-.]", " ", id)
    return [weighed(words_in(f"{name} {one} {camel_words(one)}")) for one in _stretches(text)]


def _stretches(text: str) -> Iterator[str]:
    """Cut a text behind sentences, and where one is longer than a stretch behind words."""
    pending = ""
    for sentence in _SENTENCE.split(text):
        while len(sentence) > STRETCH_CHARS:
            cut = sentence.rfind(" ", STRETCH_CHARS // 2, STRETCH_CHARS) + 1 or STRETCH_CHARS
            if pending:
                yield pending
            pending, sentence = sentence[:cut], sentence[cut:]
        if pending and len(pending) + len(sentence) > STRETCH_CHARS:
            yield pending
            pending = ""
        pending = f"{pending} {sentence}" if pending else sentence
    if pending:
        yield pending
