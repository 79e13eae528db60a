"""Read the index file: FTS5 tables over the passages and the facts of all logs, beside the cache.

Every log is indexed from its bytes and its events alone, and numbered by its place in the ledger's order,
so the same set of logs gives the same answers, whatever the way (`follow` brings the file to where the
cache stands). Facts are passages of the logs that brought their texts; where a fact stands now is asked of
the cache when it is found. Nothing in the file is truth: what can not be read of it is `IndexDamaged`.
"""

from __future__ import annotations

from ledger.model.record import TYPE_CHECKING, Record, cached
from memory.cache.database import Database
from memory.cache.stamp import FileErrors, Stamp, sqlite3, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

#: A row's number is that of its log, and behind it the place in the log.
PLACE_BITS = 16
PLACES = (1 << PLACE_BITS) - 1
#: Where the facts of a log begin, and how far they stand apart: they have no neighbours.
FACTS_FROM, FACTS_APART = 1 << 14, 4
#: Set in the place of a question behind which a session used a fact (W13): it is found like its text.
QUESTIONS_BIT = 1
_LOGS_KEPT = 20_000
#: A place is a row and, in so many bits behind it, where in its text a word stands: what is no word of the
#: text, but of an id or inside of another, behind all of it. No place is the next one of another row's.
AT_BITS, PARTS_FROM, _LAST = 15, 1 << 14, (1 << 14) - 2
AT = (1 << AT_BITS) - 1
_PLACE = f"doc << {AT_BITS} | min(offset, {_LAST}) | (col = 'parts') * {PARTS_FROM}"
#: What was there when the file was built, and what came since: FTS5 merges what is written bit by bit, and
#: would have to write the whole of a large table again and again.
BUILT, RECENT = _TABLES = "passages", "recent"
#: A word inside of another has so many letters; among more texts none is looked for: reading all of their
#: words anew behind each log would take longer than the question.
INSIDE_LETTERS, _INSIDE_TEXTS = 5, 20_000
_TOKENS = "tokenize='porter unicode61 remove_diacritics 2'"
#: `logs.number` follows `logs.stem`: both are in the ledger's order. What facts say is looked up whole,
#: however common a word is: so its places in some logs that stand together, `part`, are one value.
TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE logs(number INTEGER PRIMARY KEY, stem TEXT NOT NULL UNIQUE, blob TEXT NOT NULL,
  day TEXT NOT NULL, agent TEXT NOT NULL, role TEXT NOT NULL,
  branch TEXT NOT NULL, passages BLOB NOT NULL);
CREATE TABLE facts(term TEXT NOT NULL, part INTEGER NOT NULL, doc INTEGER NOT NULL,
  texts BLOB NOT NULL, places BLOB NOT NULL, PRIMARY KEY(term, part)) WITHOUT ROWID;
CREATE INDEX facts_doc ON facts(term, doc);
""" + "".join(
    f"CREATE VIRTUAL TABLE {name} USING fts5(text, parts, content='', columnsize=0, {_TOKENS});"
    f"CREATE VIRTUAL TABLE {name}_terms USING fts5vocab({name}, row);"
    f"CREATE VIRTUAL TABLE {name}_places USING fts5vocab({name}, instance);"
    for name in _TABLES
)  # fmt: skip
_EACH = [f"SELECT term, doc, cnt FROM {name}_terms" for name in (*_TABLES, "facts")]  # noqa: S608 - ours
#: Tables of the words of passages, and of facts.
TERMS_OF = f"({' UNION ALL '.join(_EACH[:-1])})", "facts_terms"
TABLES += "CREATE VIEW facts_terms AS SELECT term, doc, length(places) / 8 AS cnt FROM facts;"
TABLES += f"CREATE VIEW terms AS {' UNION ALL '.join(_EACH)};"


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
    #: the fields of its passages of prose: a question takes a few of them
    prose: Sequence[tuple[Any, ...]] = ()
    #: of its passages that hold a fact's text the ids, and how many characters each has
    facts: tuple[Sequence[str], Sequence[int]] = ((), ())
    #: the same of the questions behind which a fact was used
    asked: tuple[Sequence[str], Sequence[int]] = ((), ())


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


class Stemmer:
    """Reads texts as the index does: one word is one stem everywhere."""

    _base: sqlite3.Connection | None = None

    def read(self, texts: Iterable[tuple[int, str, str]]) -> list[tuple[str, int]]:
        """Return (word, place) of texts, each with its row and with what stands behind it, by word."""
        if self._base is None:
            self._base = sqlite3.connect(":memory:", isolation_level=None)
            self._base.executescript(
                f"CREATE VIRTUAL TABLE said USING fts5(text, parts, content='', columnsize=0, {_TOKENS});"
                "CREATE VIRTUAL TABLE words USING fts5vocab(said, instance);"
            )
        self._base.execute("BEGIN")  # and taken back: that is faster than to delete
        self._base.executemany("INSERT INTO said(rowid, text, parts) VALUES (?, ?, ?)", texts)
        found = self._base.execute(f"SELECT term, {_PLACE} FROM words").fetchall()  # noqa: S608 - ours
        self._base.execute("ROLLBACK")
        return found

    def each(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of some texts, in order."""
        found = self.read([(row, text, "") for row, text in enumerate(texts)])
        words: list[list[str]] = [[] for _ in texts]
        for word, place in sorted(found, key=lambda one: one[1]):
            words[place >> AT_BITS].append(word)
        return [tuple(some) for some in words]


class Index(Database):
    """An index file, open; what can not be read of it, or written, is `IndexDamaged`.

    Args:
        base: the connection.
        stamp: of its file.
    """

    errors = FileErrors(IndexDamaged)
    mark = Mark("", "", 0, 0)

    def __init__(self, base: sqlite3.Connection, stamp: Stamp) -> None:
        self.log = cached(_LOGS_KEPT)(self._log)
        self.stemmer = Stemmer()
        super().__init__(base, stamp)

    def read_values(self) -> None:
        """Read what the whole index holds, and where it stands."""
        before, self.mark = self.mark, self.value("mark", lambda some: Mark(*some))
        self.totals = self.value("totals", lambda some: Totals(*some))
        if before[1] != self.mark.generation or before[2] >= self.mark.number:
            self.log.cache_clear()  # else there are more logs, and none is gone

    # ---- words ------------------------------------------------------------------------------------

    def words_of(self, facts: bool) -> str:
        """Return words of facts, or of passages, that may hold others, between new lines; "" for many."""
        if (self.totals.facts if facts else self.totals.passages) > _INSIDE_TEXTS:
            return ""
        if facts:
            return "\n" + "".join(self.column("SELECT value FROM meta WHERE key = 'words'"))  # noqa: S608 - ours
        found = self._each("SELECT term FROM {0}_terms WHERE term >= 'a'")
        return "\n".join(["", *filter(may_hold, [word for (word,) in found]), ""])

    def counts(self, words: Iterable[str], tables: str = "terms") -> dict[str, int]:
        """Return how many passages and facts hold each of some words, without those that none does."""
        some, found = [*words], dict[str, int]()
        among = ", ".join("?" * len(some))
        asked = f"SELECT term, doc FROM {tables} WHERE term IN ({among})"  # noqa: S608 - ours
        for word, count in self.rows(asked, some):  # SQLite's own sums take thrice as long
            found[word] = found.get(word, 0) + count
        return found

    def beginning(self, start: str, most: int) -> list[str]:
        """Return words that begin so, those first that most passages and facts hold."""
        asked = (
            "SELECT term FROM terms WHERE term >= ? AND term < ? GROUP BY term "
            "ORDER BY sum(doc) DESC, term LIMIT ?"
        )
        return self.column(asked, (start, start + "\U0010ffff", most))

    # ---- rows -------------------------------------------------------------------------------------

    def _each(self, asked: str, *values: object) -> list[Any]:
        """Return the rows that a question gives, asked of each table of passages."""
        return [one for table in _TABLES for one in self.rows(asked.format(table), values)]

    def found(self, words: Sequence[str], facts: bool) -> dict[str, tuple[set[int], list[int]]]:
        """Return by word the rows of facts, or of passages of prose, that hold it, and its places."""
        found: dict[str, tuple[set[int], list[int]]] = {word: (set(), []) for word in words}
        among = f"term IN ({', '.join('?' * len(words))})"
        if facts:
            asked = f"SELECT term, texts, places FROM facts WHERE {among}"  # noqa: S608 - ours
            for word, texts, places in self.rows(asked, words):
                found[word][0].update(memoryview(texts).cast("q").tolist())
                found[word][1].extend(memoryview(places).cast("q").tolist())
        else:
            asked = f"SELECT term, {_PLACE} FROM {{0}}_places WHERE {among}"  # noqa: S608 - ours
            for word, place in self._each(asked, *words):
                found[word][0].add(place >> AT_BITS)
                found[word][1].append(place)
        return found

    def matching(self, phrase: Sequence[str]) -> frozenset[int]:
        """Return the rows in which words, as the stemmer gives them, stand one behind the other."""
        return frozenset(in_a_row(phrase, self.found(phrase, True)).union(self.passages(phrase)))

    def passages(self, phrase: Sequence[str], most: int = -1) -> list[int]:
        """Return these rows of passages, the newest first, so many of each table."""
        text = " ".join(phrase).replace('"', "")
        if text.strip() and self.stemmer.each([text]) == [tuple(phrase)]:
            asked = f"SELECT rowid FROM {{0}} WHERE {{0}} MATCH ? ORDER BY rowid DESC LIMIT {most}"  # noqa: S608 - ours
            return sorted([row for (row,) in self._each(asked, f'"{text}"')], reverse=True)
        # FTS5 takes the ending off what it is asked, and "databas" is the stem of no word: by their places
        return sorted(in_a_row(phrase, self.found(phrase, False)), reverse=True)

    # ---- logs -------------------------------------------------------------------------------------

    def _log(self, number: int) -> LogRow | None:
        """Return a log by its number here; as `log` it is remembered."""
        asked = "SELECT stem, blob, day, agent, role, branch, passages FROM logs WHERE number = ?"
        row = self.row(asked, (number,))
        with self.errors:
            return row and LogRow(*row[:-1], *unpack(row[-1], tuple))

    def at(self, row: int) -> tuple[LogRow, Piece] | None:
        """Return the log of a row and its passage there, None where there is none."""
        log, place = self.log(row >> PLACE_BITS), row & PLACES
        if log is None:
            return None
        # for each text that may answer: the constructor takes thrice as long
        if place < FACTS_FROM:
            prose = log.prose
            return (log, tuple.__new__(Piece, prose[place])) if place < len(prose) else None
        ids, sizes = log.asked if place & QUESTIONS_BIT else log.facts
        at = (place - FACTS_FROM) // FACTS_APART
        fact = (0, sizes[at], ids[at], 0, False) if at < len(ids) else None
        return fact and (log, tuple.__new__(Piece, fact))

    def row_at(self, stem: str, line: int) -> int:
        """Return the row of the passage of a log that a line (from 1) stands in, 0 where none does."""
        number = self.number_of(stem)
        log = self.log(number)
        before = [at for at, one in enumerate(log.prose) if one[0] <= line] if log else []
        return number << PLACE_BITS | before[-1] if before else 0

    def number_of(self, stem: str) -> int:
        """Return the number of a log here, 0 when it is not indexed."""
        return int(sum(self.column("SELECT number FROM logs WHERE stem = ?", (stem,))))


def may_hold(word: str) -> bool:
    """Tell whether a word of the index may be, or hold, one that is looked for inside of others."""
    return word >= "a" and len(word) >= INSIDE_LETTERS


def in_a_row(phrase: Iterable[str], found: Mapping[str, tuple[set[int], list[int]]]) -> set[int]:
    """Return the rows in which words stand one behind the other, as `Index.found` tells of each."""
    ends: set[int] | None = None
    for word in phrase:
        ends = {one for one in found[word][1] if ends is None or one - 1 in ends}
    return {one >> AT_BITS for one in ends or ()}
