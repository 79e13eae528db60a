"""Index the words of facts in the cache's file: which facts share words.

It follows the cache lazily: a log marks the facts whose text it may have changed, and the next question
reads those. So a reader pays nothing for it, and what a pull, a reset or a lost cache changed is read
like anything else. Facts that are false or redacted are not in it.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterable, Iterator, Sequence

from memory.cache.cache_file import Cache
from memory.cache.schema import FALSE, unpack_history
from memory.cache.sqlite import CacheDamaged
from projection.compare.candidates import best, looked_up
from projection.fold.fold import resolve
from projection.text.normalize import index_words

#: How many facts are read in one transaction, so that no other process waits long.
_CHUNK_FACTS = 2000
#: Facts are numbered; a row of `posts` holds the numbers of one word of one such part, two bytes each.
_PART_BITS = 12
_LOW = (1 << _PART_BITS) - 1
#: Sorts behind every id: the first reading came to its end.
_END = "~"


class WordIndex:
    """The index of one cache.

    Args:
        cache: the cache, outside of a reading.
    """

    def __init__(self, cache: Cache) -> None:
        self._base = cache.base
        self._cache = cache

    def follow(self) -> None:
        """Read what changed since the last question.

        Raises:
            CacheDamaged: the file is damaged or can not be written.
        """
        while self._behind():
            self._cache.change(self._follow_some)

    def _follow_some(self) -> None:
        """Read some of what changed."""
        run = self._base.execute
        start = self._mark()
        rows = []
        if start != _END:
            rows = run(
                "SELECT id, history, state FROM facts WHERE id > ? ORDER BY id LIMIT ?",
                (start, _CHUNK_FACTS),
            ).fetchall()
            mark = rows[-1][0] if len(rows) == _CHUNK_FACTS else _END
            run("UPDATE meta SET value = ? WHERE key = 'indexed'", (marshal.dumps(mark),))
        rows += run(
            "SELECT id, history, state FROM facts JOIN changed USING (id) WHERE id <= ?",
            (start,),
        ).fetchall()
        run("DELETE FROM changed")
        self._put({row[0]: row for row in rows}.values())

    def candidates(self, asked: Iterable[frozenset[str]], fact: str = "") -> list[str]:
        """Return the ids worth comparing with a text, sorted.

        `asked` are the queries of the text (`projection.compare.candidates.queries`); `fact`, its id, is
        left out.
        """
        found: set[str] = set()
        for words in asked:
            counts = [(self._count(word), word) for word in words]
            found.update(best(words, self._known(looked_up(counts, self._facts_with))))
        found.discard(fact)
        return sorted(found)

    def _count(self, word: str) -> int:
        (length,) = self._cache.row("SELECT sum(length(facts)) FROM posts WHERE word = ?", (word,))
        return (length or 0) // 2

    def _behind(self) -> bool:
        (more,) = self._cache.row("SELECT EXISTS (SELECT 1 FROM changed)")
        return bool(more) or self._mark() != _END

    def _mark(self) -> str:
        """Return the id up to which the first reading came."""
        return self._cache.value("indexed", str)

    def _facts_with(self, word: str) -> Iterator[tuple[int, Iterable[int]]]:
        """Yield the facts with a word: what to add to the numbers of a part, and these numbers."""
        rows = self._cache.rows("SELECT part, facts FROM posts WHERE word = ?", (word,))
        for part, packed in rows:
            yield part << _PART_BITS, _unpack(packed)

    def _known(self, numbers: list[int]) -> Iterator[tuple[str, list[str]]]:
        for number in numbers:
            row = self._cache.row("SELECT id, words FROM texts WHERE number = ?", (number,))
            if row is None:
                raise CacheDamaged("a word of a fact that is not there")
            yield row[0], row[1].split()

    def _put(self, rows: Iterable[tuple[str, bytes, int]]) -> None:
        """Bring facts into the index, or out of it."""
        run = self._base.execute
        (last,) = run("SELECT coalesce(max(number), 0) FROM texts").fetchone()
        added: dict[tuple[str, int], list[int]] = {}
        gone: dict[tuple[str, int], set[int]] = {}
        written: list[tuple[int, str, str]] = []
        for fact, packed, state in rows:
            found = (
                None if state == FALSE else resolve(fact, unpack_history(packed), self._cache.cut)
            )
            now = () if found is None or found.redacted else index_words(found.text)
            row = run("SELECT number, words FROM texts WHERE id = ?", (fact,)).fetchone()
            if row is None and not now:
                continue
            number, before = (0, "") if row is None else row
            if row is None:
                last = number = last + 1
            old, new = set(before.split()), set(now)
            part, low = number >> _PART_BITS, number & _LOW
            for word in new - old:
                added.setdefault((word, part), []).append(low)
            for word in old - new:
                gone.setdefault((word, part), set()).add(low)
            written.append((number, fact, " ".join(now)))
        run_many = self._base.executemany
        run_many("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", written)
        posts = []
        for word, part in sorted({*added, *gone}):
            row = run(
                "SELECT facts FROM posts WHERE word = ? AND part = ?", (word, part)
            ).fetchone()
            packed = b"" if row is None else row[0]
            out = gone.get((word, part))
            if out:
                packed = _pack(low for low in _unpack(packed) if low not in out)
            posts.append((word, part, packed + _pack(added.get((word, part), ()))))
        run_many("INSERT OR REPLACE INTO posts VALUES (?, ?, ?)", [row for row in posts if row[2]])
        run_many(
            "DELETE FROM posts WHERE word = ? AND part = ?",
            [row[:2] for row in posts if not row[2]],
        )


def _unpack(packed: bytes) -> Sequence[int]:
    try:
        return memoryview(packed).cast("H")
    except TypeError as problem:
        raise CacheDamaged("the facts of a word are not as they were written") from problem


def _pack(lows: Iterable[int]) -> bytes:
    return b"".join([low.to_bytes(2, sys.byteorder) for low in lows])
