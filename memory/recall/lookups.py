"""Look words up in the index, and keep what it said as long as the index stays the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from unicodedata import normalize

from memory.recall.index.fts_file import Index, Totals

#: How many places of words are kept: about 40 MB.
_PLACES_KEPT = 300_000
_WORDS_KEPT = 20_000
_TEXTS_KEPT = 2000
#: The passages from which a word is too common; then so many of the newest are looked at, as a whole.
TOO_COMMON, NEWEST = 20_000, 5000
_SOMEWHERE = (-1,)
#: Most words stand once in a text: their places share what says so.
_ONCES = 1024
_ONCE = tuple([(offset,) for offset in range(_ONCES)])
#: The end of a beginning that may be lost to stemming: `configura*` is indexed as "configur".
_STEMMED_ENDS = 4
#: A word inside of another has so many letters, and so many such words are looked at; among more texts
#: none is: reading all of their words anew behind each log would take longer than the question.
INSIDE_LETTERS, _INSIDE_MOST, _INSIDE_TEXTS = 5, 24, 20_000
#: How many letters at the end of a word may differ between its forms, where nothing knows its endings,
#: and how many must not.
_ENDING, _ROOT_LETTERS = 3, 4

Rows = Mapping[int, Sequence[int]]
NO_ROWS: Rows = {}


class Lookups:
    """The words of one index; what was asked before is remembered."""

    def __init__(self) -> None:
        #: of the ledger, as its policy names it; "" for English
        self.language = ""
        #: no word is taken for a misspelling
        self.as_spelled = False
        self._index: Index | None = None
        self._totals: Totals | None = None
        self._stems: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._begun: dict[str, tuple[str, ...]] = {}
        #: (whether facts, stem) -> rows, in the order asked
        self._rows: dict[tuple[bool, str], Rows] = {}
        self._stated: dict[str, list[str]] = {}
        #: whether of facts, or of passages -> all their words, and the same a line each
        self._known: dict[bool, tuple[frozenset[str], str]] = {}
        self._kept = 0

    def of(self, index: Index) -> Lookups:
        """Return itself, without what an earlier state of the index said."""
        if index is not self._index or index.totals is not self._totals:
            self._index, self._totals = index, index.totals
            for kept in (self._counts, self._begun, self._rows, self._stated, self._known):
                kept.clear()
            self._kept = 0
        return self

    @property
    def index(self) -> Index:
        """The index that is asked.

        Raises:
            ValueError: none was given.
        """
        if self._index is None:
            raise ValueError("no index was given")
        return self._index

    def stems(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as the index has them, in order."""
        words = text.split()
        if len(self._stems) > _WORDS_KEPT:
            self._stems.clear()
        if not all(word.isascii() and word.isalnum() for word in words):
            return tuple(self.index.stems(text))
        new = list(dict.fromkeys([word for word in words if word not in self._stems]))
        if new:  # each is one word for the index too, so all are asked at once
            self._stems.update(zip(new, self.index.stems(" ".join(new)), strict=True))
        return tuple([self._stems[word] for word in words])

    def stated(self, text: str, read: Callable[[str], list[str]]) -> list[str]:
        """Return what `read` says of a passage: while somebody types, the same ones are found again."""
        found = self._stated.get(text)
        if found is None:
            if len(self._stated) >= _TEXTS_KEPT:
                self._stated.clear()
            found = self._stated[text] = read(text)
        return found

    def count(self, stem: str) -> int:
        """Return how many passages and facts hold a word."""
        known = self._counts.get(stem)
        if known is None:
            if len(self._counts) > _WORDS_KEPT:
                self._counts.clear()
            known = self._counts[stem] = self.index.count(stem)
        return known

    def begun(self, start: str) -> tuple[str, ...]:
        """Return the words that begin so, commonest first, and one whose ending the index has cut off."""
        known = self._begun.get(start)
        if known is None:
            shorter = [start[:-cut] for cut in range(1, _STEMMED_ENDS + 1) if len(start) - cut >= 4]
            cut_off = [stem for stem in shorter if self.count(stem)]
            found = [stem for stem, _ in self.index.beginning(start)]
            known = self._begun[start] = (*found, *cut_off[:1])
        return known

    def alike(self, raw: str) -> tuple[str, ...]:
        """Return the words that share all of a word but its ending, none of a word too short to tell."""
        root = folded(raw)[: max(INSIDE_LETTERS, len(raw) - _ENDING)]
        if len(root) < _ROOT_LETTERS or not raw.isalpha():
            return ()
        return tuple([stem for stem, _ in self.index.beginning(root)])

    def inside(self, raw: str, stems: Sequence[str], facts: bool = True) -> tuple[str, ...]:
        """Return the words of facts, or of passages, that hold a word, or that it holds."""
        if facts not in self._known:
            totals = self.index.totals
            few = (totals.facts if facts else totals.passages) <= _INSIDE_TEXTS
            every = frozenset(self.index.words_of(facts) if few else ())
            self._known[facts] = every, "\n" + "\n".join(sorted(every)) + "\n"
        (known, words), whole = self._known[facts], folded(raw)
        found: dict[str, None] = {}
        part = stems[0] if len(stems) == 1 else whole
        at = words.find(part) if len(part) >= INSIDE_LETTERS else -1
        while at >= 0:
            end = words.index("\n", at)
            found[words[words.rindex("\n", 0, at) + 1 : end]] = None
            at = words.find(part, end)
        parts = {
            whole[start:end]
            for start in range(len(whole) - INSIDE_LETTERS + 1)
            for end in range(start + INSIDE_LETTERS, len(whole) + 1)
        }
        found.update(dict.fromkeys(sorted(parts & known)))
        return tuple([one for one in found if one not in stems][:_INSIDE_MOST])

    def respelled(self, raw: str, stems: Sequence[str]) -> tuple[str, ...]:
        """Return the words of the index that somebody may have meant, none for a word with digits."""
        bare = re.sub("([aou])e", r"\1", raw).replace("ss", "ß")
        for other in (re.sub("([aou])e", r"\1", raw), bare):
            if other != raw and (there := [one for one in self.stems(other) if self.count(one)]):
                return tuple(there)
        if len(raw) < INSIDE_LETTERS or not raw.isalpha() or len(stems) != 1 or len(stems[0]) < 3:
            return ()
        from projection.text.fuzzy import misspelled

        stem = stems[0]
        known: list[str] = []
        # a beginning is enough to find candidates cheaply; then such in which the mistake is in it
        for starts in ((stem[:2],), (stem[1] + stem[0], stem[0] + stem[2], stem[1:3])):
            known += [word for start in starts for word in self.index.spelled(start)]
            found = misspelled(stem, sorted(set(known)), 2 if len(raw) >= 8 else 1)
            if found:
                best = [word for word, distance in found if distance == found[0][1]]
                return tuple(sorted(best, key=lambda word: (-self.count(word), word))[:3])
        return ()

    def passages(self, stems: Iterable[str]) -> Rows:
        """Return where any of some words stands in passages; of a word that is too common the newest."""
        return self._together(False, stems)

    def facts(self, stems: Iterable[str]) -> Rows:
        """Return where any of some words stands in facts: all of them, however many."""
        return self._together(True, stems)

    def _together(self, facts: bool, stems: Iterable[str]) -> Rows:
        all_of = [self._of(facts, stem) for stem in stems]
        if len(all_of) < 2:
            return all_of[0] if all_of else NO_ROWS
        rows: dict[int, Sequence[int]] = {}
        for one in all_of:
            for row, places in one.items():
                rows[row] = (*rows[row], *places) if row in rows else places
        return rows

    def _of(self, facts: bool, stem: str) -> Rows:
        known = self._rows.pop((facts, stem), None)
        if known is None:
            if facts:
                known = _by_row(self.index.facts_found(stem))
            elif self.count(stem) > TOO_COMMON:
                known = dict.fromkeys(self.index.newest(stem, NEWEST), _SOMEWHERE)
            else:
                known = _by_row(self.index.found(stem))
            self._kept += len(known)
            while self._kept > _PLACES_KEPT and self._rows:
                self._kept -= len(self._rows.pop(next(iter(self._rows))))
        self._rows[facts, stem] = known  # the last that was asked goes last
        return known


def folded(word: str) -> str:
    """Return a word without the accents that the index takes off letters of the Latin alphabet."""
    if word.isascii():
        return word
    bare = [normalize("NFD", letter)[0] for letter in word]
    return "".join([one if one.isascii() else was for one, was in zip(bare, word, strict=True)])


def _by_row(found: Iterable[tuple[int, int]]) -> Rows:
    rows: dict[int, Sequence[int]] = {}
    for row, offset in found:
        if row in rows:
            rows[row] = (*rows[row], offset)
        else:
            rows[row] = _ONCE[offset] if offset < _ONCES else (offset,)
    return rows
