"""The index of recall: an FTS5 table over the passages of all logs, in a file of its own beside the cache.

It follows the cache: what was appended is added, what a reset took away is taken out by its blob, and a
missing or damaged file is built anew. Every log is indexed from its bytes and its events alone, so the
same set of logs gives the same index, whatever the way. Facts are passages of the logs that brought
their texts; where a fact stands now is asked of the cache when it is found.
"""

from __future__ import annotations

import marshal

from ledger.event import FactCreated, FactUpdated
from ledger.layout import CACHE_VERSION
from ledger.values import Record
from memory.recall.passages import passages_of, split_words
from memory.sqlite import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ledger.logset import LogRef
    from ledger.session import Entry

#: A row's number is that of its log, and behind it the place in the log.
PLACE_BITS = 16
PLACES = (1 << PLACE_BITS) - 1
#: Where the facts of a log begin, and how far they stand apart: they have no neighbours.
FACTS_FROM, FACTS_APART = 1 << 14, 4
_TERMS_LIMIT = 64

TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE logs(number INTEGER PRIMARY KEY, stem TEXT NOT NULL UNIQUE, blob TEXT NOT NULL,
  day TEXT NOT NULL, agent TEXT NOT NULL, role TEXT NOT NULL, branch TEXT NOT NULL,
  chars INTEGER NOT NULL, passages BLOB NOT NULL);
CREATE TABLE speakers(name TEXT PRIMARY KEY, logs INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE passages USING fts5(text, parts, content='',
  tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE terms USING fts5vocab(passages, row);
CREATE VIRTUAL TABLE places USING fts5vocab(passages, instance);
"""


class Totals(Record):
    """What the whole index holds. `chars` are those of all passages."""

    logs: int = 0
    passages: int = 0
    chars: int = 0


class Piece(Record):
    """A passage as the index keeps it; `fact` is the id of a fact, "" in prose."""

    line: int
    chars: int
    who: str
    late: bool
    fact: str


class LogRow(Record):
    """A log as the index keeps it.

    Args:
        pieces: its passages of prose, in order.
        facts: those that hold a fact's text.
    """

    stem: str
    blob: str
    day: str
    agent: str
    role: str
    branch: str
    chars: int
    pieces: tuple[Piece, ...]
    facts: tuple[Piece, ...]

    def at(self, place: int) -> Piece | None:
        """Return the passage at a place, None when there is none."""
        if place >= FACTS_FROM:
            number = (place - FACTS_FROM) // FACTS_APART
            return self.facts[number] if number < len(self.facts) else None
        return self.pieces[place] if place < len(self.pieces) else None


class Index:
    """An index file, open.

    Args:
        base: the connection.

    Raises:
        sqlite3.Error, ValueError, TypeError, EOFError: it is damaged or of another version.
    """

    def __init__(self, base: sqlite3.Connection) -> None:
        self.base = base
        base.execute("PRAGMA synchronous=OFF")
        if self.get("version") != CACHE_VERSION:
            raise ValueError("an index of another version")
        self._questions = sqlite3.connect(":memory:", isolation_level=None)
        self._questions.executescript(
            "CREATE VIRTUAL TABLE asked USING fts5(text, tokenize='porter unicode61 remove_diacritics 2');"
            "CREATE VIRTUAL TABLE words USING fts5vocab(asked, instance);"
        )
        self._changes = -1
        self._rows: dict[int, LogRow] = {}
        self._found: dict[str, list[tuple[int, int]]] = {}
        self._kept = 0
        self.totals = Totals()
        self.load()

    def close(self) -> None:
        """Close the file."""
        self.base.close()
        self._questions.close()

    def get(self, key: str) -> Any:
        """Return a value of the file's own.

        Raises:
            ValueError: it has none of this name.
        """
        row = self.base.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise ValueError(f"no {key}")
        return marshal.loads(row[0])

    def load(self) -> None:
        """Forget what was read, if another connection wrote since."""
        (seen,) = self.base.execute("PRAGMA data_version").fetchone()
        if seen != self._changes:
            self._changes = seen
            self.forget()

    def forget(self) -> None:
        """Forget what was read."""
        self._rows.clear()
        self._found.clear()
        self._kept = 0
        self.totals = Totals(*self.get("totals"))

    # ---- questions --------------------------------------------------------------------------------

    def stems(self, text: str) -> list[str]:
        """Return the words of a text as the index has them, in order."""
        run = self._questions.execute
        run("DELETE FROM asked")
        run("INSERT INTO asked(text) VALUES (?)", (text,))
        return [row[0] for row in run("SELECT term FROM words ORDER BY offset")]

    def count(self, stem: str) -> int:
        """Return how many passages hold a word."""
        row = self.base.execute("SELECT doc FROM terms WHERE term = ?", (stem,)).fetchone()
        return 0 if row is None else int(row[0])

    def found(self, stem: str) -> list[tuple[int, int]]:
        """Return where a word stands: (row, offset), in the order of rows."""
        known = self._found.get(stem)
        if known is None:
            known = self.base.execute(
                "SELECT doc, offset FROM places WHERE term = ?", (stem,)
            ).fetchall()
            self._kept += len(known)
            if self._kept > _KEPT_LIMIT:
                self._found.clear()
                self._kept = len(known)
            self._found[stem] = known
        return known

    def beginning(self, start: str) -> list[tuple[str, int]]:
        """Return the words that begin so, with how many passages hold them, commonest first."""
        rows = self.base.execute(
            "SELECT term, doc FROM terms WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT ?",
            (start, start + "\U0010ffff", _TERMS_LIMIT),
        )
        return [(term, doc) for term, doc in rows]

    def matching(self, phrase: Sequence[str]) -> frozenset[int]:
        """Return the rows in which words stand one behind the other."""
        said = " ".join(f'"{word}"' for word in phrase)
        quoted = '"' + said.replace('"', "") + '"'
        rows = self.base.execute("SELECT rowid FROM passages WHERE passages MATCH ?", (quoted,))
        return frozenset([row[0] for row in rows])

    def log(self, number: int) -> LogRow | None:
        """Return a log by its number here."""
        known = self._rows.get(number)
        if known is None:
            row = self.base.execute(
                "SELECT stem, blob, day, agent, role, branch, chars, passages FROM logs "
                "WHERE number = ?",
                (number,),
            ).fetchone()
            if row is None:
                return None
            known = _log_row(row)
            if len(self._rows) > _ROWS_LIMIT:
                self._rows.clear()
            self._rows[number] = known
        return known

    def speaks(self, name: str) -> bool:
        """Tell whether somebody of this name, in lower case, speaks in any log."""
        row = self.base.execute("SELECT 1 FROM speakers WHERE name = ?", (name,)).fetchone()
        return row is not None

    def number_of(self, stem: str) -> int:
        """Return the number of a log here, 0 when it is not indexed."""
        row = self.base.execute("SELECT number FROM logs WHERE stem = ?", (stem,)).fetchone()
        return 0 if row is None else int(row[0])


_KEPT_LIMIT = 400_000
_ROWS_LIMIT = 20_000


def _log_row(row: tuple[Any, ...]) -> LogRow:
    stem, blob, day, agent, role, branch, chars, packed = row
    pieces, facts = marshal.loads(packed)
    return LogRow(
        stem,
        blob,
        day,
        agent,
        role,
        branch,
        chars,
        tuple([Piece(*piece) for piece in pieces]),
        tuple([Piece(*piece) for piece in facts]),
    )


class Indexed(Record):
    """One log, ready for the index: its row, and the texts of its passages by place."""

    row: tuple[str, str, str, str, str, str, int, bytes]
    texts: tuple[tuple[int, str, str], ...]
    chars: int
    speakers: tuple[str, ...]


def indexed(ref: LogRef, text: str, entry: Entry) -> Indexed:
    """Prepare a log for the index: a pure function of its bytes.

    Args:
        ref: the log.
        text: the whole of it.
        entry: its events.
    """
    header = header_of(text)
    texts: list[tuple[int, str, str]] = []
    pieces: list[tuple[int, int, str, bool, str]] = []
    prose = 0
    for place, passage in enumerate(passages_of(text)):
        pieces.append((passage.line, len(passage.text), passage.who, passage.late, ""))
        texts.append((place, passage.text, split_words(passage.text)))
        prose += len(passage.text)
    facts: list[tuple[int, int, str, bool, str]] = []
    chars = prose
    for event in entry.acts:
        if isinstance(event, FactCreated | FactUpdated) and event.text:
            names = dict(event.meta)
            said = " ".join([event.id, names.get("entity", ""), names.get("tags", "")])
            texts.append(
                (
                    FACTS_FROM + FACTS_APART * len(facts),
                    event.text,
                    f"{said} {split_words(event.text)}",
                )
            )
            facts.append((0, len(event.text), "", False, event.id))
            chars += len(event.text)
    packed = marshal.dumps((pieces, facts))
    day = header.get("ended", "")[:10] or ref.key[:10]
    row = (
        ref.key, ref.blob, day, entry.agent, header.get("role", ""), header.get("branch", ""),
        prose, packed,
    )  # fmt: skip
    speakers = tuple(sorted({piece[2] for piece in pieces if piece[2]}))
    return Indexed(row, tuple(texts), chars, speakers)


def header_of(text: str) -> dict[str, str]:
    """Return the header of a log, roughly: what is no `key: value` is passed over."""
    if text[:3] != "---":
        return {}
    end = text.find("\n---", 3)
    pairs: dict[str, str] = {}
    for line in text[4 : max(end, 0)].split("\n"):
        key, colon, value = line.partition(":")
        if colon:
            pairs.setdefault(key.strip(), value.strip())
    return pairs


def add(base: sqlite3.Connection, logs: Iterable[Indexed], totals: Totals) -> Totals:
    """Write logs into an index, in the transaction that is open; return its totals then."""
    (number,) = base.execute("SELECT coalesce(max(number), 0) FROM logs").fetchone()
    count, passages, chars = totals
    speakers: dict[str, int] = {}
    rows: list[tuple[object, ...]] = []
    texts: list[tuple[int, str, str]] = []
    for log in logs:
        number += 1
        rows.append((number, *log.row))
        start = number << PLACE_BITS
        texts += [(start | place, text, parts) for place, text, parts in log.texts]
        count, passages, chars = count + 1, passages + len(log.texts), chars + log.chars
        for name in log.speakers:
            speakers[name] = speakers.get(name, 0) + 1
        if len(rows) >= _BATCH:
            _write(base, rows, texts)
            rows, texts = [], []
    _write(base, rows, texts)
    base.executemany(
        "INSERT INTO speakers VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET logs = logs + excluded.logs",
        list(speakers.items()),
    )
    return Totals(count, passages, chars)


_BATCH = 2000


def _write(
    base: sqlite3.Connection, rows: list[tuple[object, ...]], texts: list[tuple[int, str, str]]
) -> None:
    base.executemany("INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    base.executemany("INSERT INTO passages(rowid, text, parts) VALUES (?, ?, ?)", texts)


def take_out(base: sqlite3.Connection, logs: Iterable[Indexed], totals: Totals) -> Totals:
    """Take logs out of an index, in the transaction that is open; return its totals then."""
    count, passages, chars = totals
    for log in logs:
        stem = log.row[0]
        row = base.execute("SELECT number FROM logs WHERE stem = ?", (stem,)).fetchone()
        start = row[0] << PLACE_BITS
        base.executemany(
            "INSERT INTO passages(passages, rowid, text, parts) VALUES ('delete', ?, ?, ?)",
            [(start | place, text, parts) for place, text, parts in log.texts],
        )
        base.execute("DELETE FROM logs WHERE stem = ?", (stem,))
        for name in log.speakers:
            base.execute("UPDATE speakers SET logs = logs - 1 WHERE name = ?", (name,))
        count, passages, chars = count - 1, passages - len(log.texts), chars - log.chars
    base.execute("DELETE FROM speakers WHERE logs <= 0")
    return Totals(count, passages, chars)
