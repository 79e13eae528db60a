"""Look up words of a question in an index: as typed, begun, inside of others, and spelled otherwise."""

from __future__ import annotations

from _bisect import bisect_left
from functools import partial

from ledger.model.record import TYPE_CHECKING, Record, cached
from memory.recall.fts_tables import AT_BITS, INSIDE_LETTERS, TERMS_OF, Index, may_hold
from memory.recall.question import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

#: Of so many words the places are kept, and of so many the stems.
_PLACED, _WORDS_KEPT = 256, 20_000
#: So many passages with a word are read: of a more common one the newest alone, as a whole.
READ = 5000
#: So many words that begin alike are looked at, and so many for a misspelled one.
_BEGUN, _SPELLED = 64, 5000
#: The end of a beginning that may be lost to stemming: `configura*` is indexed as "configur".
_STEMMED_ENDS = 4
#: So many words that hold a word, or that it holds, are looked at.
_INSIDE_MOST = 24
#: The letters of an ending.
_ENDING = 3
#: No word is longer: a key that somebody pasted has a million parts.
_LETTERS = 64


class Posted(Record):
    """Where a word stands."""

    rows: set[int]
    places: list[int]  #: ascending; none of a word that is too common
    once: bool = False  #: it surely stands in no row twice

    def at(self, row: int) -> list[int]:
        """Return the places in a row."""
        start = bisect_left(self.places, row << AT_BITS)
        return self.places[start : bisect_left(self.places, row + 1 << AT_BITS, start)]


class Kept(dict[str, "Any"]):
    """What `read` told of some words, by word; where there are more than `most`, all are dropped."""

    def __init__(self, read: Callable[[list[str]], Mapping[str, Any]], most: int) -> None:
        super().__init__()
        self._read, self._most = read, most

    def ready(self, words: Iterable[str]) -> None:
        """Read what is not known of some words at once, which is faster than by and by."""
        if new := [word for word in dict.fromkeys(words) if word not in self]:
            if len(self) > self._most:
                self.clear()
            self.update(self._read(new))

    def __missing__(self, word: str) -> Any:
        self.ready((word,))
        return self[word]


class Lookups:
    """The words of one state of an index; what was asked before is remembered.

    Args:
        index: that is asked.
        language: of the ledger, as its policy names it.
        as_spelled: no word is taken for a misspelling.
    """

    def __init__(self, index: Index, language: str = ENGLISH, as_spelled: bool = False) -> None:
        self.index, self.language, self.as_spelled = index, language, as_spelled
        each = index.stemmer.each
        self._stems = Kept(lambda some: dict(zip(some, each(some), strict=True)), _WORDS_KEPT)
        #: how many passages and facts hold a word
        self.counts = Kept(lambda some: dict.fromkeys(some, 0) | index.counts(some), _WORDS_KEPT)
        self._words = cached(None)(index.words_of)
        self.inside = cached(_PLACED)(self._inside)
        #: where words stand in passages, and in facts
        self.places = [Kept(partial(self._read, facts), _PLACED) for facts in (False, True)]

    def stems(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as the index has them, in order."""
        pieces, stems = text.split(), self._stems
        stems.ready(pieces)
        return tuple([stem for piece in pieces for stem in stems[piece]])

    def begun(self, start: str) -> tuple[str, ...]:
        """Return the words that begin so, commonest first, and one whose ending the index has cut off."""
        shorter = [start[:-cut] for cut in range(1, _STEMMED_ENDS + 1) if len(start) - cut >= 4]
        cut_off = [stem for stem in shorter if self.counts[stem]]
        return (*self.index.beginning(start, _BEGUN), *cut_off[:1])

    def alike(self, raw: str) -> Sequence[str]:
        """Return the words that share all of a word but its ending, where no stemmer takes that off."""
        root = folded(raw)[: max(INSIDE_LETTERS, len(raw) - _ENDING)]
        return self.index.beginning(root, _BEGUN) if raw.isalpha() and len(root) > _ENDING else ()

    def _inside(self, raw: str, stems: tuple[str, ...], facts: bool = True) -> tuple[str, ...]:
        """Return the words of facts, or of passages, that hold a word, or that it holds."""
        words, whole = self._words(facts), folded(raw[:_LETTERS])
        if not words:
            return ()
        # words of logs that were taken out since may be among these
        ends = range(INSIDE_LETTERS, len(whole) + 1)
        held = {whole[a:b] for b in ends for a in range(b - INSIDE_LETTERS + 1)}
        part = stems[0] if len(stems) == 1 else whole
        at = words.find(part) if len(part) >= INSIDE_LETTERS else -1
        while at >= 0:
            end = words.index("\n", at)
            held.add(words[words.rindex("\n", 0, at) + 1 : end])
            at = words.find(part, end)
        found = self.index.counts(filter(may_hold, held), TERMS_OF[facts]).keys() - stems
        return tuple(sorted(found)[:_INSIDE_MOST])

    def respelled(self, raw: str, stems: Sequence[str]) -> tuple[str, ...]:
        """Return the words of the index that somebody may have meant, none for a word with digits."""
        bare = raw.replace("ae", "a").replace("oe", "o").replace("ue", "u")  # typed without umlauts
        for other in (bare, bare.replace("ss", "ß")):
            if other != raw and (there := [one for one in self.stems(other) if self.counts[one]]):
                return tuple(there)
        if len(raw) < INSIDE_LETTERS or not raw.isalpha() or len(stems) != 1 or len(stems[0]) < 3:
            return ()
        from projection.text.normalize import misspelled

        stem = stems[0]
        # a mistake is in no beginning, or in one of these
        starts = (stem[:2], stem[1] + stem[0], stem[0] + stem[2], stem[1:3])
        known = {word for start in starts for word in self.index.beginning(start, _SPELLED)}
        found = misspelled(stem, sorted(known), 2 if len(raw) >= 8 else 1)
        best = [word for word, distance in found if distance == found[0][1]]
        return tuple(sorted(best, key=lambda word: (-self.counts[word], word))[:3])

    def posted(self, facts: bool, stems: Iterable[str]) -> Posted:
        """Return where any of some words stands in facts, or in passages: of a common one the newest."""
        some, of = [*stems], self.places[facts]
        of.ready(some)
        each: list[Posted] = [of[stem] for stem in some]
        if len(each) == 1:
            return each[0]
        rows = {row for one in each for row in one.rows}
        return Posted(rows, sorted([place for one in each for place in one.places]))

    def _read(self, facts: bool, stems: list[str]) -> dict[str, Posted]:
        common = [stem for stem in stems if not facts and self.counts[stem] > READ]
        newest = {stem: {*self.index.passages((stem,), READ)[:READ]} for stem in common}
        found = self.index.found([stem for stem in stems if stem not in newest], facts).items()
        return {
            **{stem: Posted(rows, []) for stem, rows in newest.items()},
            **{stem: Posted(rows, sorted(at), len(rows) == len(at)) for stem, (rows, at) in found},
        }


def folded(word: str) -> str:
    """Return a word without the accents that the index takes off letters of the Latin alphabet."""
    if word.isascii():
        return word
    from unicodedata import normalize

    bare = [normalize("NFD", letter)[0] for letter in word]
    return "".join([one if one.isascii() else was for one, was in zip(bare, word, strict=True)])
