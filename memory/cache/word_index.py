"""Index the words of facts in the cache's file: which facts share words.

It follows the cache lazily: a log marks the facts whose text it may have changed, and the next question
reads those. So a reader pays nothing for it, and what a pull, a reset or a lost cache changed is read
like anything else. Facts that are false or redacted are not in it.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable

from memory.cache.cache_file import Cache
from memory.cache.schema import FALSE, unpack_history
from memory.cache.stamp import CacheDamaged
from projection.fold.fold import resolve
from projection.likeness import best, looked_up
from projection.text.normalize import index_words

#: How many facts are read in one transaction, so that no other process waits long.
_CHUNK_FACTS = 2000
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

        `asked` are the queries of the text (`projection.likeness.queries`); `fact`, its id, is
        left out.
        """
        found: set[str] = set()
        for words in asked:
            counts = [
                (self._cache.row("SELECT count(*) FROM posts WHERE word = ?", (word,))[0], word)
                for word in words
            ]
            found.update(best(words, self._known(looked_up(counts, self._facts_with))))
        found.discard(fact)
        return sorted(found)

    def _behind(self) -> bool:
        (more,) = self._cache.row("SELECT EXISTS (SELECT 1 FROM changed)")
        return bool(more) or self._mark() != _END

    def _mark(self) -> str:
        """Return the id up to which the first reading came."""
        return self._cache.value("indexed", str)

    def _facts_with(self, word: str) -> list[int]:
        return self._cache.column("SELECT fact FROM posts WHERE word = ?", (word,))

    def _known(self, numbers: list[int]) -> list[tuple[str, list[str]]]:
        asked = "SELECT id, words FROM texts WHERE number IN (?)"
        rows = self._cache.rows_among(asked, numbers)
        if len(rows) != len(numbers):
            raise CacheDamaged("a word of a fact that is not there")
        return [(fact, words.split()) for fact, words in rows]

    def _put(self, rows: Iterable[tuple[str, bytes, int]]) -> None:
        """Bring facts into the index, or out of it."""
        run, many = self._base.execute, self._base.executemany
        (last,) = run("SELECT coalesce(max(number), 0) FROM texts").fetchone()
        for fact, packed, state in rows:
            found = (
                None if state == FALSE else resolve(fact, unpack_history(packed), self._cache.cut)
            )
            now = () if found is None or found.redacted else index_words(found.text)
            row = run("SELECT number, words FROM texts WHERE id = ?", (fact,)).fetchone()
            if row is None and not now:
                continue
            last += row is None
            number, before = row or (last, "")
            old, new = set(before.split()), set(now)
            many("DELETE FROM posts WHERE word = ? AND fact = ?", [(w, number) for w in old - new])
            many("INSERT INTO posts VALUES (?, ?)", [(w, number) for w in new - old])
            run("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", (number, fact, " ".join(now)))
