"""Read the index file: FTS5 tables over the passages and the facts of all logs, beside the cache.

Every log is indexed from its bytes and its events alone, and numbered by its place in the ledger's order,
so the same set of logs gives the same answers, whatever the way (`follow` brings the file to where the
cache stands). Facts are passages of the logs that brought their texts; where a fact stands now is asked of
the cache when it is found. Nothing in the file is truth: what can not be read of it is `IndexDamaged`.
"""

from __future__ import annotations

import marshal

from ledger.model.layout import CACHE_VERSION
from ledger.model.record import Record
from memory.cache.sqlite import sqlite3
from memory.cache.stamp import Stamp, StampBroken, begin
from memory.recall.index.rows import IN_PARTS, QUESTIONS_BIT, LogRow, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_TERMS_LIMIT, _SPELLED_LIMIT = 64, 5000
#: Where a word stands; behind all of the text what is inside of its words (`rows.IN_PARTS`).
_OFFSET = f"offset + (col = 'parts') * {IN_PARTS}"

#: `logs.number` follows `logs.stem`: both are in the ledger's order. `logs.blob` is the log's in the
#: ledger, `logs.source` the one whose bytes were read: that of its first bytes, where its seal is broken.
#: What comes after the file was built goes into a table of its own (`recent`): FTS5 merges what is written
#: bit by bit, and would have to write the whole of a large table again and again. Facts have a table of
#: their own: what they say is looked up whole, however common a word is in all that was said.
TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE logs(number INTEGER PRIMARY KEY, stem TEXT NOT NULL UNIQUE, blob TEXT NOT NULL,
  source TEXT NOT NULL, day TEXT NOT NULL, agent TEXT NOT NULL, role TEXT NOT NULL,
  branch TEXT NOT NULL, passages BLOB NOT NULL, recent INTEGER NOT NULL);
CREATE TABLE questions(row INTEGER PRIMARY KEY, fact TEXT NOT NULL);
CREATE INDEX questions_fact ON questions(fact);
CREATE VIRTUAL TABLE passages USING fts5(text, parts, content='', columnsize=0,
  tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE recent USING fts5(text, parts, content='', columnsize=0,
  tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE facts USING fts5(text, parts, content='', columnsize=0,
  tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE passages_terms USING fts5vocab(passages, row);
CREATE VIRTUAL TABLE passages_places USING fts5vocab(passages, instance);
CREATE VIRTUAL TABLE recent_terms USING fts5vocab(recent, row);
CREATE VIRTUAL TABLE recent_places USING fts5vocab(recent, instance);
CREATE VIRTUAL TABLE facts_terms USING fts5vocab(facts, row);
CREATE VIRTUAL TABLE facts_places USING fts5vocab(facts, instance);
CREATE VIEW terms AS SELECT term, doc FROM passages_terms
  UNION ALL SELECT term, doc FROM recent_terms UNION ALL SELECT term, doc FROM facts_terms;
CREATE VIEW places AS SELECT term, doc, col, offset FROM passages_places
  UNION ALL SELECT term, doc, col, offset FROM recent_places;
"""


class IndexDamaged(Exception):
    """The index's file can not be read, or is of another version: build it anew."""


class Mark(Record):
    """Where an index stands."""

    #: of the set of logs (`projection.fold.projection_state.set_digest`); it alone tells what is indexed
    digest: str
    generation: str  #: of the cache that it was brought to
    number: int  #: of the newest log there
    #: so many of the logs could not be read, and may be in another generation of the cache
    skipped: int
    recent: int  #: so many logs came since the file was built


NOWHERE = Mark("", "", 0, 0, 0)


class Totals(Record):
    """What the whole index holds."""

    logs: int = 0
    passages: int = 0  #: of prose
    facts: int = 0  #: texts of facts, all that there were


class Index:
    """An index file, open.

    Args:
        base: the connection.
        stamp: of its file.

    Raises:
        IndexDamaged: as every other method, when the file can not be read, is of another version, or is
            not as it was left.
    """

    def __init__(self, base: sqlite3.Connection, stamp: Stamp) -> None:
        self.base = base
        self.stamp = stamp
        self.rows("PRAGMA data_version")  # what a killed writer left is taken back by it
        self._check()
        if self.get("version") != CACHE_VERSION:
            raise IndexDamaged("an index of another version")
        self._questions = sqlite3.connect(":memory:", isolation_level=None)
        self._questions.executescript(
            "CREATE VIRTUAL TABLE asked USING fts5(text, tokenize='porter unicode61 remove_diacritics 2');"
            "CREATE VIRTUAL TABLE words USING fts5vocab(asked, instance);"
        )
        self._changes = -1
        self._rows: dict[int, LogRow] = {}
        self.totals = Totals()
        self.mark = NOWHERE
        self.load()

    def close(self) -> None:
        """Close the file."""
        self.base.close()
        self._questions.close()

    def __enter__(self) -> Index:
        """Begin a reading that sees one state throughout; other processes' writes wait for its end."""
        try:
            begin(self.base, self.stamp)
        except (sqlite3.Error, StampBroken) as problem:
            raise IndexDamaged(str(problem)) from problem
        try:
            self._load()
        except BaseException:
            self.base.execute("ROLLBACK")
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        if self.base.in_transaction:
            self.base.execute("ROLLBACK")

    def rows(self, question: str, values: tuple[object, ...] = ()) -> list[Any]:
        """Return the rows that a question in SQL gives."""
        try:
            return self.base.execute(question, values).fetchall()
        except sqlite3.Error as problem:
            raise IndexDamaged(str(problem)) from problem

    def get(self, key: str) -> Any:
        """Return a value of the file's own."""
        rows = self.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return None if not rows else unpacked(rows[0][0])

    def load(self) -> None:
        """Forget what was read, if another connection wrote since; outside of a reading."""
        self._check()
        self._load()

    def _check(self) -> None:
        try:
            self.stamp.check()
        except StampBroken as problem:
            raise IndexDamaged("not as it was left") from problem

    def _load(self) -> None:
        ((seen,),) = self.rows("PRAGMA data_version")
        if seen != self._changes:
            self.forget()
            self._changes = seen

    def forget(self) -> None:
        """Forget what was read."""
        self._rows.clear()
        totals, mark = self.get("totals"), self.get("mark")
        try:
            self.totals, self.mark = Totals(*totals), Mark(*mark)
        except TypeError as problem:
            raise IndexDamaged("no totals") from problem

    def logs(self) -> dict[str, tuple[str, str]]:
        """Return key -> (blob id in the ledger, blob id that was read) of all logs."""
        return {row[0]: row[1:] for row in self.rows("SELECT stem, blob, source FROM logs")}

    # ---- questions --------------------------------------------------------------------------------

    def stems(self, text: str) -> list[str]:
        """Return the words of a text as the index has them, in order."""
        run = self._questions.execute
        run("DELETE FROM asked")
        run("INSERT INTO asked(text) VALUES (?)", (text,))
        return [row[0] for row in run("SELECT term FROM words ORDER BY offset")]

    def count(self, stem: str) -> int:
        """Return how many passages hold a word."""
        return sum([row[0] for row in self.rows("SELECT doc FROM terms WHERE term = ?", (stem,))])

    def facts_found(self, stem: str) -> list[tuple[int, int]]:
        """Return where a word stands in facts: (row, offset)."""
        return self.rows(f"SELECT doc, {_OFFSET} FROM facts_places WHERE term = ?", (stem,))  # noqa: S608 - ours

    def words_of(self, facts: bool) -> list[str]:
        """Return the words of facts, or of passages, that begin with a letter."""
        tables = ("facts_terms",) if facts else ("passages_terms", "recent_terms")
        asked = [f"SELECT term FROM {table} WHERE term >= 'a'" for table in tables]  # noqa: S608 - names of ours
        return [term for one in asked for (term,) in self.rows(one)]

    def questions_of(self, fact: str) -> list[int]:
        """Return the rows of the questions behind which a fact was used, newest first."""
        asked = "SELECT row FROM questions WHERE fact = ? ORDER BY row DESC"
        return [row for (row,) in self.rows(asked, (fact,))]

    def facts_with(self, stem: str, most: int) -> frozenset[int]:
        """Return the rows of the facts that say a word, none where it stands at more places than that."""
        rows = self.rows(
            "SELECT doc FROM facts_places WHERE term = ? AND NOT doc & ? LIMIT ?",
            (stem, QUESTIONS_BIT, most + 1),
        )
        return frozenset([row[0] for row in rows] if len(rows) <= most else ())

    def found(self, stem: str) -> list[tuple[int, int]]:
        """Return where a word stands in passages of prose: (row, offset), in the order of rows."""
        rows = self.rows(f"SELECT doc, {_OFFSET} FROM places WHERE term = ?", (stem,))  # noqa: S608 - ours
        if self.mark.recent:
            rows.sort(key=_by_row)
        return rows

    def newest(self, stem: str, count: int) -> list[int]:
        """Return the rows of the newest passages that hold a word, newest first."""
        if self.stems(stem) != [stem]:  # see `matching`: by its places, all of them
            return sorted({row for row, _ in self.found(stem)}, reverse=True)[:count]
        found: list[int] = []
        for table in ("recent", "passages"):
            found += [
                row[0]
                for row in self.rows(
                    f"SELECT rowid FROM {table} WHERE {table} MATCH ? "  # noqa: S608 - a name of ours
                    "ORDER BY rowid DESC LIMIT ?",
                    (f'"{stem}"', count),
                )
            ]
        found.sort(reverse=True)
        return found[:count]

    def beginning(self, start: str) -> list[tuple[str, int]]:
        """Return the words that begin so, with how many passages hold them, commonest first."""
        return self.rows(
            "SELECT term, sum(doc) AS held FROM terms WHERE term >= ? AND term < ? GROUP BY term "
            "ORDER BY held DESC, term LIMIT ?",
            (start, start + "\U0010ffff", _TERMS_LIMIT),
        )

    def spelled(self, start: str) -> list[str]:
        """Return the words that begin so, a few thousand of them at most."""
        values = (start, start + "\U0010ffff", _SPELLED_LIMIT)
        found = {
            row[0]
            for table in ("passages_terms", "recent_terms", "facts_terms")
            for row in self.rows(
                f"SELECT term FROM {table} WHERE term >= ? AND term < ? LIMIT ?",  # noqa: S608 - one of these
                values,
            )
        }
        return sorted(found)[:_SPELLED_LIMIT]

    def matching(self, phrase: Sequence[str]) -> frozenset[int]:
        """Return the rows in which words, as `stems` gives them, stand one behind the other."""
        text = " ".join(phrase).replace('"', "")
        if not text.strip():
            return frozenset()
        if self.stems(text) == list(phrase):
            quoted = f'"{text}"'
            rows = []
            for table in ("passages", "recent", "facts"):
                asked = f"SELECT rowid FROM {table} WHERE {table} MATCH ?"  # noqa: S608 - a name of ours
                rows += self.rows(asked, (quoted,))
            return frozenset([row[0] for row in rows])
        # FTS5 takes the ending off what it is asked, and "databas" is the stem of no word: by their places
        ends: set[tuple[int, int, int]] | None = None
        for word in phrase:
            places: list[tuple[int, int, int]] = []
            for table in ("places", "facts_places"):
                asked = f"SELECT doc, col, offset FROM {table} WHERE term = ?"  # noqa: S608 - a name of ours
                places += self.rows(asked, (word,))
            ends = {
                (row, column, offset)
                for row, column, offset in places
                if ends is None or (row, column, offset - 1) in ends
            }
        return frozenset([row for row, _, _ in ends or ()])

    def log(self, number: int) -> LogRow | None:
        """Return a log by its number here."""
        known = self._rows.get(number)
        if known is None:
            rows = self.rows(
                "SELECT stem, source, day, agent, role, branch, passages FROM logs "
                "WHERE number = ?",
                (number,),
            )
            if not rows:
                return None
            known = _log_row(rows[0])
            if len(self._rows) > _ROWS_LIMIT:
                self._rows.clear()
            self._rows[number] = known
        return known

    def number_of(self, stem: str) -> int:
        """Return the number of a log here, 0 when it is not indexed."""
        rows = self.rows("SELECT number FROM logs WHERE stem = ?", (stem,))
        return int(rows[0][0]) if rows else 0


def _by_row(place: tuple[int, int]) -> int:
    return place[0]


_ROWS_LIMIT = 20_000


def unpacked(packed: bytes) -> Any:
    """Return a value that was packed into the file.

    Raises:
        IndexDamaged: it is not what was written.
    """
    try:
        return marshal.loads(packed)
    except (ValueError, EOFError, TypeError) as problem:
        raise IndexDamaged("not what was written") from problem


def _log_row(row: tuple[Any, ...]) -> LogRow:
    stem, blob, day, agent, role, branch, packed = row
    try:
        pieces, facts, questions = unpacked(packed)
        if {len(piece) for piece in pieces} - {len(Piece._fields)}:
            raise ValueError("not the fields of a passage")
        new = tuple.__new__  # there are thousands: the constructor takes thrice as long
        pieces = tuple([new(Piece, piece) for piece in pieces])
        facts = tuple([Piece(*piece) for piece in facts])
        questions = tuple([Piece(*piece) for piece in questions])
    except (ValueError, TypeError) as problem:
        raise IndexDamaged("not what was written") from problem
    return LogRow(stem, blob, day, agent, role, branch, pieces, facts, questions)
