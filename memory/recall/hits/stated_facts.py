"""Find the facts that a passage may state: those that share the rarest words of one of its sentences."""

from __future__ import annotations

from memory.recall.index.rows import PLACE_BITS, PLACES
from memory.recall.query.query_parser import as_indexed
from projection.text.normalize import plain, sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.recall.index.fts_file import Index
    from memory.recall.query.postings import Lookups

#: So many of the rarest words of a sentence are looked up among facts, but none that more passages have;
#: those tell that stand at no more places of facts; and so many facts are compared with a passage.
_WORDS, _TOLD_BY, _COMMON, _FACTS = 4, 2000, 400, 12


class Stated:
    """Finds them in one index, for the passages of one answer.

    Args:
        lookups: of the index.
        index: of the ledger.
    """

    def __init__(self, lookups: Lookups, index: Index) -> None:
        self._lookups, self._index = lookups, index
        self._with: dict[str, frozenset[int]] = {}
        self._none = not index.rows("SELECT 1 FROM facts_places LIMIT 1")

    def of(self, text: str) -> list[str]:
        """Return the facts that a text may state, those first that share most."""
        return [] if self._none else self._lookups.stated(text, self._read)

    def _read(self, text: str) -> list[str]:
        lookups = self._lookups
        shared: dict[int, int] = {}
        parts = list(dict.fromkeys([plain(sentence) for sentence in sentences(text)]))
        # read at once; what is not ASCII has words that only the index can tell
        lookups.stems(" ".join([one for one in " ".join(parts).split() if _is_simple(one)]))
        for part in parts:
            simple = " ".join([one for one in part.split() if _is_simple(one)])
            stems = {*lookups.stems(simple if part.isascii() else as_indexed(part))}
            found: dict[int, int] = {}
            rare = sorted([(lookups.count(stem), stem) for stem in stems])[:_WORDS]
            for stem in [stem for count, stem in rare if count <= _TOLD_BY]:
                if stem not in self._with:
                    self._with[stem] = self._index.facts_with(stem, _COMMON)
                for row in self._with[stem]:
                    found[row] = found.get(row, 0) + 1
            for row, count in found.items():
                if count > 1:
                    shared[row] = max(shared.get(row, 0), count)
        ids: dict[str, None] = {}
        for row in sorted(shared, key=lambda row: (-shared[row], row)):
            log = self._index.log(row >> PLACE_BITS)
            piece = None if log is None else log.at(row & PLACES)
            if piece is not None:
                ids[piece.fact] = None
            if len(ids) == _FACTS:
                break
        return list(ids)


def _is_simple(word: str) -> bool:
    """Tell whether a word is one for the index, too, which remembers those."""
    return word.isascii() and word.isalnum()
