"""Look words up in the index, and keep what it said as long as the index stays the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from ledger.model.record import Record
from memory.recall.index.fts_file import Index, Totals
from memory.recall.index.rows import LATE_BIT, PLACE_BITS, PLACES, LogRow

#: How many places of words are kept: about 40 MB.
_PLACES_KEPT = 300_000
_WORDS_KEPT = 20_000
_LOGS_KEPT = 20_000
_TEXTS_KEPT = 2000
#: The passages from which a word is too common; then so many of the newest are looked at, as a whole.
TOO_COMMON, NEWEST = 20_000, 5000
_SOMEWHERE = (-1,)
#: Most words stand once in a passage: their places share what says so.
_ONCES = 1024
_ONCE = tuple([(offset,) for offset in range(_ONCES)])
#: The end of a beginning that may be lost to stemming: `configura*` is indexed as "configur".
_STEMMED_ENDS = 4


class Postings(Record):
    """Where a word stands."""

    #: row of a passage of prose -> the places in it; of a word that is too common the newest
    rows: Mapping[int, tuple[int, ...]]
    #: number of a log -> in how many passages of its prose the word is; of replies only their
    #: beginnings count
    logs: Mapping[int, float]
    facts: Mapping[int, tuple[int, ...]]  #: row of a fact's text -> the places in it; all of them

    @property
    def held(self) -> int:
        """How many passages and facts hold the word."""
        return len(self.rows) + len(self.facts)


NO_POSTINGS = Postings({}, {}, {})


class Turns:
    """A log and which of its passages are neighbours: beginnings of turns, whatever stands between.

    Args:
        log: of the index.
    """

    __slots__ = ("at", "chain", "log")

    def __init__(self, log: LogRow) -> None:
        self.log = log
        #: the places of the beginnings, in order
        self.chain: Sequence[int] = [n for n, piece in enumerate(log.pieces) if not piece.late]
        #: place of a passage -> which in the chain it is, or belongs to
        self.at: Sequence[int] = self.chain
        if len(self.chain) < len(log.pieces):
            self.at = at = []
            place = -1
            for piece in log.pieces:
                place += not piece.late
                at.append(max(0, place))


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
        self._names: dict[str, bool] = {}
        self._beginnings: dict[str, tuple[str, ...]] = {}
        self._postings: dict[str, Postings] = {}
        self._facts: dict[str, Mapping[int, tuple[int, ...]]] = {}
        self._related: dict[str, tuple[str, ...]] = {}
        self._turns: dict[int, Turns] = {}
        self._stated: dict[str, list[str]] = {}
        self._kept = 0

    def of(self, index: Index) -> Lookups:
        """Return itself, without what an earlier state of the index said."""
        if index is not self._index or index.totals is not self._totals:
            self._index, self._totals = index, index.totals
            self._counts.clear()
            self._names.clear()
            self._beginnings.clear()
            self._postings.clear()
            self._facts.clear()
            self._related.clear()
            self._turns.clear()
            self._stated.clear()
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

    def turns(self, number: int) -> Turns | None:
        """Return a log by its number in the index."""
        known = self._turns.get(number)
        if known is None:
            log = self.index.log(number)
            if log is None:
                return None
            if len(self._turns) > _LOGS_KEPT:
                self._turns.clear()
            known = self._turns[number] = Turns(log)
        return known

    def count(self, stem: str) -> int:
        """Return how many passages hold a word."""
        known = self._counts.get(stem)
        if known is None:
            if len(self._counts) > _WORDS_KEPT:
                self._counts.clear()
            known = self._counts[stem] = self.index.count(stem)
        return known

    def speaks(self, name: str) -> bool:
        """Tell whether somebody of this name, in lower case, speaks in any log."""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = self.index.speaks(name)
        return known

    def beginning(self, start: str) -> tuple[str, ...]:
        """Return the words of the index that begin so, the commonest first."""
        known = self._beginnings.get(start)
        if known is None:
            if len(self._beginnings) > _WORDS_KEPT:
                self._beginnings.clear()
            found = self.index.beginning(start)
            self._counts.update(found)
            known = self._beginnings[start] = tuple([stem for stem, _ in found])
        return known

    def begun(self, start: str) -> tuple[str, ...]:
        """Return the words that begin so, those too whose ending the index has cut off."""
        shorter = [start[:-cut] for cut in range(1, _STEMMED_ENDS + 1) if len(start) - cut >= 4]
        cut_off = [stem for stem in shorter if self.count(stem)]
        return (*self.beginning(start), *cut_off[:1])

    def spelled(self, start: str) -> tuple[str, ...]:
        """Return words of the index that begin so, in their order, a few thousand at most."""
        return tuple(self.index.spelled(start)) if start else ()

    def related(self, raw: str, find: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        """Return the words that are related to one, found once."""
        known = self._related.get(raw)
        if known is None:
            if len(self._related) > _WORDS_KEPT:
                self._related.clear()
            known = self._related[raw] = find()
        return known

    def postings(self, stem: str) -> Postings:
        """Return where a word stands."""
        known = self._postings.get(stem)
        if known is None:
            rows: Mapping[int, tuple[int, ...]]
            if self.count(stem) > TOO_COMMON:
                rows = dict.fromkeys(self.index.newest(stem, NEWEST), _SOMEWHERE)
            else:
                rows = _by_row(self.index.found(stem))
            known = Postings(rows, _by_log(rows), self.in_facts((stem,)))
            self._kept += known.held
            while self._kept > _PLACES_KEPT and self._postings:
                oldest = next(iter(self._postings))
                self._kept -= self._postings.pop(oldest).held
                self._facts.pop(oldest, None)
            self._postings[stem] = known
        else:
            self._postings[stem] = self._postings.pop(stem)  # the last that was asked goes last
        return known

    def in_facts(self, stems: Sequence[str]) -> Mapping[int, tuple[int, ...]]:
        """Return where any of some words stands in facts: all of them, however many."""
        found = []
        for stem in stems:
            known = self._facts.get(stem)
            if known is None:
                if len(self._facts) > _WORDS_KEPT:
                    self._facts.clear()
                known = self._facts[stem] = _by_row(self.index.facts_found(stem))
            found.append(known)
        return found[0] if len(found) == 1 else _joined(found)

    def together(self, stems: Iterable[str]) -> Postings:
        """Return where any of some words stands."""
        all_of = [self.postings(stem) for stem in stems]
        if len(all_of) == 1:
            return all_of[0]
        rows = _joined([one.rows for one in all_of])
        return Postings(rows, _by_log(rows), _joined([one.facts for one in all_of]))


def _by_row(found: Iterable[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    rows: dict[int, tuple[int, ...]] = {}
    for row, offset in found:
        if row in rows:
            rows[row] += (offset,)
        else:
            rows[row] = _ONCE[offset] if offset < _ONCES else (offset,)
    return rows


def _joined(some: Iterable[Mapping[int, tuple[int, ...]]]) -> dict[int, tuple[int, ...]]:
    rows: dict[int, tuple[int, ...]] = {}
    for one in some:
        for row, places in one.items():
            rows[row] = (*rows[row], *places) if row in rows else places
    return rows


def _by_log(rows: Iterable[int]) -> Mapping[int, float]:
    """Count the passages of each log; of replies only their beginnings."""
    return Counter([row >> PLACE_BITS for row in rows if row & PLACES < LATE_BIT])
