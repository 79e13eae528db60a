"""Read the index file: FTS5 tables over the passages and the facts of all logs, beside the cache.

Every log is indexed from its bytes and its events alone, and numbered by its place in the ledger's order,
so the same set of logs gives the same answers, whatever the way (`follow` brings the file to where the
cache stands). Facts are passages of the logs that brought their texts; where a fact stands now is asked of
the cache when it is found. Nothing in the file is truth: what can not be read of it is `IndexDamaged`.
"""

from __future__ import annotations

from itertools import combinations

from ledger.model.record import TYPE_CHECKING, Record, cached
from memory.cache.database import Database
from memory.cache.stamp import FileErrors, Stamp, sqlite3, unpack
from memory.recall.question import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Rows = Mapping[int, Sequence[int]]

#: A row's number is that of its log, and behind it the place in the log.
PLACE_BITS = 16
PLACES = (1 << PLACE_BITS) - 1
#: Where the facts of a log begin, and how far they stand apart: they have no neighbours.
FACTS_FROM, FACTS_APART = 1 << 14, 4
#: Set in the place of a question behind which a session used a fact (W13): it is found like its text.
QUESTIONS_BIT = 1
_LOGS_KEPT = 20_000
#: Where a word stands; behind all of the text what is no word of it: of an id, or inside of another.
_OFFSET = "offset + (col = 'parts') * (1 << 20)"
#: What was there when the file was built, what came since, and the facts of both. FTS5 merges what is
#: written bit by bit, and would have to write the whole of a large table again and again; and what facts
#: say is looked up whole, however common a word is in all that was said.
BUILT, RECENT, FACTS = _TABLES = "passages", "recent", "facts"
_TOKENS = "tokenize='porter unicode61 remove_diacritics 2'"
#: `logs.number` follows `logs.stem`: both are in the ledger's order.
TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE logs(number INTEGER PRIMARY KEY, stem TEXT NOT NULL UNIQUE, blob TEXT NOT NULL,
  day TEXT NOT NULL, agent TEXT NOT NULL, role TEXT NOT NULL,
  branch TEXT NOT NULL, passages BLOB NOT NULL);
""" + "".join(
    f"CREATE VIRTUAL TABLE {name} USING fts5(text, parts, content='', columnsize=0, {_TOKENS});"
    f"CREATE VIRTUAL TABLE {name}_terms USING fts5vocab({name}, row);"
    f"CREATE VIRTUAL TABLE {name}_places USING fts5vocab({name}, instance);"
    for name in _TABLES
)  # fmt: skip
_TERMS = " UNION ALL ".join([f"SELECT term, doc, cnt FROM {name}_terms" for name in _TABLES])  # noqa: S608 - ours
TABLES += f"CREATE VIEW terms AS {_TERMS};"


class IndexDamaged(Exception):
    """The index's file can not be read, or is of another version: build it anew."""


class Piece(Record):
    """A passage as the index keeps it, behind `skip` characters of its line; `fact` is the id of one."""

    line: int
    chars: int
    fact: str = ""
    skip: int = 0
    listed: bool = False  #: it is of what a machine saw: files and commands, one after the other


class LogRow(Record):
    """A log as the index keeps it."""

    stem: str  #: its key in the set, `STEM~BLOB` for the second log of a name
    blob: str  #: the object whose bytes were indexed
    day: str
    agent: str
    role: str
    branch: str
    #: the fields of its passages: of prose, of those that hold a fact's text, and of those that hold the
    #: questions behind which a fact was used; there may be thousands, of which a question takes a few
    packed: tuple[Sequence[tuple[Any, ...]], ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Its passages of prose, in order."""
        return tuple([Piece(*one) for one in self.packed[0]])

    @property
    def facts(self) -> tuple[Piece, ...]:
        """Its passages that hold a fact's text."""
        return tuple([Piece(*one) for one in self.packed[1]])

    def at(self, place: int) -> Piece | None:
        """Return the passage at a place, None when there is none."""
        some = self.packed[0]
        if place >= FACTS_FROM:
            some = self.packed[2 if is_question(place) else 1]
            place = (place - FACTS_FROM) // FACTS_APART
        # for each text that may answer: the constructor takes thrice as long
        return tuple.__new__(Piece, some[place]) if place < len(some) else None


def is_question(row: int) -> bool:
    """Tell whether a row, or a place, is of the questions behind which a fact was used."""
    return row & PLACES >= FACTS_FROM and bool(row & QUESTIONS_BIT)


class Mark(Record):
    """Where an index stands."""

    #: of the set of logs (`projection.fold.live_view.set_digest`); it alone tells what is indexed
    digest: str
    generation: str  #: of the cache that it was brought to
    number: int  #: of the newest log there
    #: so many of the logs could not be read, and may be in another generation of the cache
    skipped: int


class Totals(Record):
    """What the whole index holds."""

    logs: int = 0
    passages: int = 0  #: of prose
    facts: int = 0  #: texts of facts, all that there were


class Index(Database):
    """An index file, open; what can not be read of it, or written, is `IndexDamaged`.

    Args:
        base: the connection.
        stamp: of its file.
    """

    errors = FileErrors(IndexDamaged)

    def __init__(self, base: sqlite3.Connection, stamp: Stamp) -> None:
        self.log = cached(_LOGS_KEPT)(self._log)
        super().__init__(base, stamp)
        base.executescript(
            f"ATTACH ':memory:' AS asked; CREATE VIRTUAL TABLE asked.said USING fts5(text, {_TOKENS});"
            "CREATE VIRTUAL TABLE asked.words USING fts5vocab(said, instance);"
        )

    def read_values(self) -> None:
        """Read what the whole index holds, and where it stands."""
        self.log.cache_clear()
        self.totals = self.value("totals", lambda some: Totals(*some))
        self.mark = self.value("mark", lambda some: Mark(*some))

    # ---- words ------------------------------------------------------------------------------------

    def stems(self, text: str) -> list[str]:
        """Return the words of a text as the index has them, in order."""
        self.row("DELETE FROM asked.said")
        self.row("INSERT INTO asked.said(text) VALUES (?)", (text,))
        return self.column("SELECT term FROM asked.words ORDER BY offset")

    def count(self, stem: str) -> int:
        """Return how many passages hold a word."""
        return sum(self.column("SELECT doc FROM terms WHERE term = ?", (stem,)))

    def words_of(self, facts: bool) -> list[str]:
        """Return the words of facts, or of passages, that begin with a letter."""
        return [
            term for (term,) in self._each(facts, "SELECT term FROM {0}_terms WHERE term >= 'a'")
        ]

    def beginning(self, start: str, most: int) -> list[str]:
        """Return words that begin so, those first that most passages and facts hold."""
        asked = (
            "SELECT term FROM terms WHERE term >= ? AND term < ? GROUP BY term "
            "ORDER BY sum(doc) DESC, term LIMIT ?"
        )
        return self.column(asked, (start, start + "\U0010ffff", most))

    # ---- rows -------------------------------------------------------------------------------------

    def _each(self, facts: bool | None, asked: str, *values: object) -> list[Any]:
        """Return what a question gives, asked of each table of facts, of passages, or of both (None)."""
        tables = _TABLES if facts is None else (FACTS,) if facts else (BUILT, RECENT)
        return [row for table in tables for row in self.rows(asked.format(table), values)]

    def found(self, stem: str, facts: bool | None) -> list[tuple[int, int]]:
        """Return where a word stands in facts, or in passages of prose, or in both: (row, offset)."""
        return self._each(facts, f"SELECT doc, {_OFFSET} FROM {{0}}_places WHERE term = ?", stem)  # noqa: S608 - ours

    def newest(self, stem: str, most: int) -> list[int]:
        """Return the rows of the newest passages that hold a word, newest first."""
        return self._matching((stem,), False, f"ORDER BY rowid DESC LIMIT {most}")[:most]

    def matching(self, phrase: Sequence[str]) -> frozenset[int]:
        """Return the rows in which words, as `stems` gives them, stand one behind the other."""
        return frozenset(self._matching(phrase, None))

    def _matching(self, phrase: Sequence[str], facts: bool | None, order: str = "") -> list[int]:
        """Return these rows of facts, or of passages, or of both, the newest first."""
        text = " ".join(phrase).replace('"', "")
        if text.strip() and self.stems(text) == list(phrase):
            asked = f"SELECT rowid FROM {{0}} WHERE {{0}} MATCH ? {order}"  # noqa: S608 - ours
            return sorted([row for (row,) in self._each(facts, asked, f'"{text}"')], reverse=True)
        # FTS5 takes the ending off what it is asked, and "databas" is the stem of no word: by their places
        return sorted(in_a_row([self.found(word, facts) for word in phrase]), reverse=True)

    # ---- logs -------------------------------------------------------------------------------------

    def _log(self, number: int) -> LogRow | None:
        """Return a log by its number here; as `log` it is remembered."""
        asked = "SELECT stem, blob, day, agent, role, branch, passages FROM logs WHERE number = ?"
        row = self.row(asked, (number,))
        with self.errors:
            return row and LogRow(*(*row[:-1], unpack(row[-1], tuple)))

    def at(self, row: int) -> tuple[LogRow, Piece] | None:
        """Return the log of a row and its passage there, None where there is none."""
        log = self.log(row >> PLACE_BITS)
        piece = log and log.at(row & PLACES)
        return (log, piece) if log and piece else None

    def row_at(self, stem: str, line: int) -> int:
        """Return the row of the passage of a log that a line (from 1) stands in, 0 where none does."""
        number = self.number_of(stem)
        log = self.log(number)
        before = [at for at, piece in enumerate(log.pieces) if piece.line <= line] if log else []
        return number << PLACE_BITS | before[-1] if before else 0

    def number_of(self, stem: str) -> int:
        """Return the number of a log here, 0 when it is not indexed."""
        row = self.row("SELECT number FROM logs WHERE stem = ?", (stem,))
        return int(row[0]) if row else 0


def in_a_row(places: Iterable[Iterable[tuple[int, int]]]) -> set[int]:
    """Return the rows in which words stand one behind the other, from where (row, offset) each stands."""
    ends: set[tuple[int, int]] | None = None
    for found in places:
        ends = {(row, at) for row, at in found if ends is None or (row, at - 1) in ends}
    return {row for row, _ in ends or ()}


#: How many places of words are kept: about 40 MB; and how many words.
_PLACES_KEPT, _WORDS_KEPT = 300_000, 20_000
#: So many passages with a word are read: of a more common one the newest alone, as a whole.
READ = 5000
_SOMEWHERE = (-1,)
#: So many words that begin alike are looked at, and so many for a misspelled one.
_BEGUN, _SPELLED = 64, 5000
#: The end of a beginning that may be lost to stemming: `configura*` is indexed as "configur".
_STEMMED_ENDS = 4
#: A word inside of another has so many letters, and so many such words are looked at; among more texts
#: none is: reading all of their words anew behind each log would take longer than the question.
INSIDE_LETTERS, _INSIDE_MOST, _INSIDE_TEXTS = 5, 24, 20_000
#: The letters of an ending.
_ENDING = 3
#: No word is longer: a key that somebody pasted has a million parts.
_LETTERS = 64

NO_ROWS: Rows = {}


class Lookups:
    """The words of one index; what was asked before is remembered."""

    def __init__(self) -> None:
        #: of the ledger, as its policy names it
        self.language = ENGLISH
        #: no word is taken for a misspelling
        self.as_spelled = False
        self.index: Index
        self._totals: Totals | None = None
        self._stems: dict[str, tuple[str, ...]] = {}
        self._counts: dict[str, int] = {}
        #: (whether facts, stem) -> rows
        self._rows: dict[tuple[bool, str], Rows] = {}
        #: whether of facts, or of passages -> all their words, and the same a line each
        self._words: dict[bool, tuple[frozenset[str], str]] = {}
        self._kept = 0

    def of(self, index: Index, language: str = ENGLISH) -> Lookups:
        """Return itself, without what an earlier state of the index said; the language is the policy's."""
        self.language = language
        if index.totals is not self._totals:
            self.index, self._totals, self._kept = index, index.totals, 0
            for kept in (self._counts, self._rows, self._words):
                kept.clear()
        return self

    def stems(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as the index has them, in order."""
        pieces = text.split()
        if len(self._stems) > _WORDS_KEPT:
            self._stems.clear()
            self._counts.clear()
        new = dict.fromkeys([piece for piece in pieces if piece not in self._stems])
        # each of these is one word for the index too, so all are asked at once
        simple = [piece for piece in new if piece.isascii() and piece.isalnum()]
        each = zip(simple, self.index.stems(" ".join(simple)) if simple else (), strict=True)
        self._stems |= {piece: (stem,) for piece, stem in each}
        self._stems |= {one: tuple(self.index.stems(one)) for one in new.keys() - {*simple}}
        return tuple([stem for piece in pieces for stem in self._stems[piece]])

    def count(self, stem: str) -> int:
        """Return how many passages and facts hold a word."""
        known = self._counts.get(stem)
        if known is None:
            known = self._counts[stem] = self.index.count(stem)
        return known

    def begun(self, start: str) -> tuple[str, ...]:
        """Return the words that begin so, commonest first, and one whose ending the index has cut off."""
        shorter = [start[:-cut] for cut in range(1, _STEMMED_ENDS + 1) if len(start) - cut >= 4]
        cut_off = [stem for stem in shorter if self.count(stem)]
        return (*self.index.beginning(start, _BEGUN), *cut_off[:1])

    def alike(self, raw: str) -> Sequence[str]:
        """Return the words that share all of a word but its ending, where no stemmer takes that off."""
        root = folded(raw)[: max(INSIDE_LETTERS, len(raw) - _ENDING)]
        return self.index.beginning(root, _BEGUN) if raw.isalpha() and len(root) > _ENDING else ()

    def inside(self, raw: str, stems: Sequence[str], facts: bool = True) -> tuple[str, ...]:
        """Return the words of facts, or of passages, that hold a word, or that it holds."""
        if facts not in self._words:
            totals = self.index.totals
            few = (totals.facts if facts else totals.passages) <= _INSIDE_TEXTS
            every = frozenset(self.index.words_of(facts) if few else ())
            self._words[facts] = every, "\n" + "\n".join(sorted(every)) + "\n"
        (known, words), whole = self._words[facts], folded(raw[:_LETTERS])
        found: dict[str, None] = {}
        part = stems[0] if len(stems) == 1 else whole
        at = words.find(part) if len(part) >= INSIDE_LETTERS else -1
        while at >= 0:
            end = words.index("\n", at)
            found[words[words.rindex("\n", 0, at) + 1 : end]] = None
            at = words.find(part, end)
        parts = combinations(range(len(whole) + 1), 2)
        held = {whole[start:end] for start, end in parts if end - start >= INSIDE_LETTERS}
        found |= dict.fromkeys(sorted(held & known))
        return tuple([one for one in found if one not in stems][:_INSIDE_MOST])

    def respelled(self, raw: str, stems: Sequence[str]) -> tuple[str, ...]:
        """Return the words of the index that somebody may have meant, none for a word with digits."""
        bare = raw.replace("ae", "a").replace("oe", "o").replace("ue", "u")  # typed without umlauts
        for other in (bare, bare.replace("ss", "ß")):
            if other != raw and (there := [one for one in self.stems(other) if self.count(one)]):
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
        return tuple(sorted(best, key=lambda word: (-self.count(word), word))[:3])

    def rows(self, facts: bool, stems: Iterable[str]) -> Rows:
        """Return where any of some words stands in facts, or in passages: of a common one the newest."""
        each = [self._of(facts, stem) for stem in stems]
        if len(each) < 2:
            return each[0] if each else NO_ROWS
        rows: dict[int, Sequence[int]] = {}
        for some in each:
            for row, places in some.items():
                rows[row] = (*rows[row], *places) if row in rows else places
        return rows

    def _of(self, facts: bool, stem: str) -> Rows:
        known = self._rows.get((facts, stem))
        if known is None:
            if not facts and self.count(stem) > READ:
                known = dict.fromkeys(self.index.newest(stem, READ), _SOMEWHERE)
            else:
                found = self.index.found(stem, facts)
                known = {row: (offset,) for row, offset in found}
                if len(known) < len(found):  # in some it stands twice
                    known = {}
                    for row, offset in found:
                        known[row] = (*known.get(row, ()), offset)
            self._kept += len(known)
            if self._kept > _PLACES_KEPT:
                self._rows.clear()
                self._kept = len(known)
            self._rows[facts, stem] = known
        return known


def folded(word: str) -> str:
    """Return a word without the accents that the index takes off letters of the Latin alphabet."""
    if word.isascii():
        return word
    from unicodedata import normalize

    bare = [normalize("NFD", letter)[0] for letter in word]
    return "".join([one if one.isascii() else was for one, was in zip(bare, word, strict=True)])
