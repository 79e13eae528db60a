"""Read the index file: FTS5 tables over the passages and the facts of all logs, beside the cache.

Every log is indexed from its bytes and its events alone, and numbered by its place in the ledger's order,
so the same set of logs gives the same answers, whatever the way (`follow` brings the file to where the
cache stands). Facts are passages of the logs that brought their texts; where a fact stands now is asked of
the cache when it is found. Nothing in the file is truth: what can not be read of it is `IndexDamaged`.
"""

from __future__ import annotations

from ledger.model.record import Record
from memory.cache.database import Database
from memory.cache.sqlite import FileErrors, sqlite3
from memory.cache.stamp import Stamp
from memory.recall.index.rows import (
    IN_PARTS,
    PLACE_BITS,
    PLACES,
    IndexDamaged,
    LogRow,
    Piece,
    log_row,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TERMS_LIMIT, _SPELLED_LIMIT = 64, 5000
_ROWS_LIMIT = 20_000
#: Where a word stands; behind all of the text what is inside of its words (`rows.IN_PARTS`).
_OFFSET = f"offset + (col = 'parts') * {IN_PARTS}"
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
TABLES += """
CREATE VIEW terms AS SELECT term, doc, cnt FROM passages_terms
  UNION ALL SELECT term, doc, cnt FROM recent_terms UNION ALL SELECT term, doc, cnt FROM facts_terms;
CREATE VIEW places AS SELECT term, doc, col, offset FROM passages_places
  UNION ALL SELECT term, doc, col, offset FROM recent_places;
"""


class Mark(Record):
    """Where an index stands."""

    #: of the set of logs (`projection.fold.projection_state.set_digest`); it alone tells what is indexed
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
        self._rows: dict[int, LogRow] = {}
        super().__init__(base, stamp)
        self._questions = sqlite3.connect(":memory:", isolation_level=None)
        self._questions.executescript(
            f"CREATE VIRTUAL TABLE asked USING fts5(text, {_TOKENS});"
            "CREATE VIRTUAL TABLE words USING fts5vocab(asked, instance);"
        )

    def close(self) -> None:
        """Close the file."""
        super().close()
        self._questions.close()

    def read_values(self) -> None:
        """Read what the whole index holds, and where it stands."""
        self._rows.clear()
        self.totals = self.value("totals", lambda some: Totals(*some))
        self.mark = self.value("mark", lambda some: Mark(*some))

    def logs(self) -> dict[str, str]:
        """Return key -> blob id of all logs."""
        return dict(self.rows("SELECT stem, blob FROM logs"))

    # ---- words ------------------------------------------------------------------------------------

    def stems(self, text: str) -> list[str]:
        """Return the words of a text as the index has them, in order."""
        run = self._questions.execute
        run("DELETE FROM asked")
        run("INSERT INTO asked(text) VALUES (?)", (text,))
        return [row[0] for row in run("SELECT term FROM words ORDER BY offset")]

    def count(self, stem: str) -> int:
        """Return how many passages hold a word."""
        return sum([row[0] for row in self.rows("SELECT doc FROM terms WHERE term = ?", (stem,))])

    def words_of(self, facts: bool) -> list[str]:
        """Return the words of facts, or of passages, that begin with a letter."""
        tables = ("facts_terms",) if facts else ("passages_terms", "recent_terms")
        asked = [f"SELECT term FROM {table} WHERE term >= 'a'" for table in tables]  # noqa: S608 - names of ours
        return [term for one in asked for (term,) in self.rows(one)]

    def beginning(self, start: str) -> list[tuple[str, int]]:
        """Return the words that begin so, with how many passages hold them, commonest first."""
        return self.rows(
            "SELECT term, sum(doc) AS held FROM terms WHERE term >= ? AND term < ? GROUP BY term "
            "ORDER BY held DESC, term LIMIT ?",
            (start, start + "\U0010ffff", _TERMS_LIMIT),
        )

    def spelled(self, start: str) -> list[str]:
        """Return the words that begin so, a few thousand of them at most."""
        asked = "SELECT DISTINCT term FROM terms WHERE term >= ? AND term < ? ORDER BY term LIMIT ?"
        found = self.rows(asked, (start, start + "\U0010ffff", _SPELLED_LIMIT))
        return [term for (term,) in found]

    # ---- rows -------------------------------------------------------------------------------------

    def found(self, stem: str) -> list[tuple[int, int]]:
        """Return where a word stands in passages of prose: (row, offset), in the order of rows."""
        rows = self.rows(f"SELECT doc, {_OFFSET} FROM places WHERE term = ?", (stem,))  # noqa: S608 - ours
        rows.sort(key=_by_row)
        return rows

    def facts_found(self, stem: str) -> list[tuple[int, int]]:
        """Return where a word stands in facts: (row, offset)."""
        return self.rows(f"SELECT doc, {_OFFSET} FROM facts_places WHERE term = ?", (stem,))  # noqa: S608 - ours

    def newest(self, stem: str, count: int) -> list[int]:
        """Return the rows of the newest passages that hold a word, newest first."""
        if self.stems(stem) != [stem]:  # see `matching`: by its places, all of them
            return sorted({row for row, _ in self.found(stem)}, reverse=True)[:count]
        found = self._quoted(stem, (BUILT, RECENT), f"ORDER BY rowid DESC LIMIT {count}")
        return sorted(found, reverse=True)[:count]

    def matching(self, phrase: Sequence[str]) -> frozenset[int]:
        """Return the rows in which words, as `stems` gives them, stand one behind the other."""
        text = " ".join(phrase).replace('"', "")
        if not text.strip():
            return frozenset()
        if self.stems(text) == list(phrase):
            return frozenset(self._quoted(text, _TABLES))
        # FTS5 takes the ending off what it is asked, and "databas" is the stem of no word: by their places
        ends: set[tuple[int, int]] | None = None
        for word in phrase:
            places = (*self.found(word), *self.facts_found(word))
            ends = {
                (row, offset) for row, offset in places if ends is None or (row, offset - 1) in ends
            }
        return frozenset([row for row, _ in ends or ()])

    def _quoted(self, text: str, tables: Iterable[str], order: str = "") -> list[int]:
        """Return the rows of some tables that FTS5 finds for words one behind the other."""
        found: list[int] = []
        for table in tables:
            asked = f"SELECT rowid FROM {table} WHERE {table} MATCH ? {order}"  # noqa: S608 - ours
            found += [row for (row,) in self.rows(asked, (f'"{text}"',))]
        return found

    # ---- logs -------------------------------------------------------------------------------------

    def log(self, number: int) -> LogRow | None:
        """Return a log by its number here."""
        known = self._rows.get(number)
        if known is None:
            asked = (
                "SELECT stem, blob, day, agent, role, branch, passages FROM logs WHERE number = ?"
            )
            rows = self.rows(asked, (number,))
            if not rows:
                return None
            if len(self._rows) > _ROWS_LIMIT:
                self._rows.clear()
            with self.errors:
                known = self._rows[number] = log_row(rows[0])
        return known

    def at(self, row: int) -> tuple[LogRow, Piece] | None:
        """Return the log of a row and its passage there, None where there is none."""
        log = self.log(row >> PLACE_BITS)
        piece = None if log is None else log.at(row & PLACES)
        return None if log is None or piece is None else (log, piece)

    def number_of(self, stem: str) -> int:
        """Return the number of a log here, 0 when it is not indexed."""
        rows = self.rows("SELECT number FROM logs WHERE stem = ?", (stem,))
        return int(rows[0][0]) if rows else 0


def _by_row(place: tuple[int, int]) -> int:
    return place[0]
