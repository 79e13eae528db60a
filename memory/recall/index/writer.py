"""Write logs into an index and take them out, each at its place in the ledger's order.

FTS5 is told what it loses word by word, so a log is taken out with the very texts that it was put in with.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Sequence

from ledger.model.layout import CACHE_VERSION
from ledger.model.record import Record
from memory.cache.sqlite import sqlite3
from memory.recall.index.document import Indexed
from memory.recall.index.fts_file import TABLES, Mark, Totals
from memory.recall.index.rows import FACTS_FROM, PLACE_BITS, is_question

#: The number of the first log, and how far the numbers stand apart: there is room for logs that come late.
#: A greater distance makes every place that FTS5 stores a byte longer.
FIRST, APART = 1 << 30, 1 << 11
#: Logs that come late stand no farther apart: others will come behind them.
_LATE_APART = 64
#: FTS5 sorts so many bytes in memory before it writes them, while an index is built; a hundred thousand
#: logs are five or six such parts, which are best left as they are.
_SORTED_BYTES = 32 << 20
_PARTS_LEFT = 16
#: The tables: what was there when the file was built, what came since, and the facts of both.
BUILT, RECENT, FACTS = "passages", "recent", "facts"


class Placed(Record):
    """A log to be written: its number, its blob in the ledger, and what is indexed of it."""

    number: int
    blob: str
    log: Indexed


def new_file(path: str) -> sqlite3.Connection:
    """Make an empty index, for one bulk filling: what is written can not be taken back.

    `path` is a new file; ":memory:" for none.

    Raises:
        sqlite3.Error: it can not be written.
    """
    base = sqlite3.connect(path, isolation_level=None)
    make_tables(base)
    return base


def make_tables(base: sqlite3.Connection) -> None:
    """Write the tables of an empty index into a new file."""
    base.execute("PRAGMA synchronous=OFF")
    base.execute("PRAGMA journal_mode=OFF")
    base.executescript(TABLES)
    settings = (("hashsize", _SORTED_BYTES), ("automerge", _PARTS_LEFT))
    base.executemany("INSERT INTO passages(passages, rank) VALUES (?, ?)", settings)
    base.execute("INSERT INTO facts(facts, rank) VALUES (?, ?)", settings[0])
    base.execute("INSERT INTO meta VALUES ('version', ?)", (marshal.dumps(CACHE_VERSION),))


def write_mark(base: sqlite3.Connection, mark: Mark, totals: Totals) -> None:
    """Note where an index stands, in the transaction that is open."""
    base.executemany(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        [("mark", marshal.dumps(tuple(mark))), ("totals", marshal.dumps(tuple(totals)))],
    )


def add(base: sqlite3.Connection, logs: Iterable[Placed], totals: Totals, table: str) -> Totals:
    """Write logs into an index, in the transaction that is open; return its totals then.

    FTS5 is fastest if they come in the order of their numbers. `table` is `BUILT` or `RECENT`.
    """
    rows: list[tuple[object, ...]] = []
    texts: list[tuple[int, str, str]] = []
    facts: list[tuple[int, str, str]] = []
    questions: list[tuple[int, str]] = []
    for number, blob, log in logs:
        stem, source, *values = log.row
        rows.append((number, stem, blob, source, *values, int(table == RECENT)))
        start = number << PLACE_BITS
        for place, text, parts in log.texts:
            (texts if place < FACTS_FROM else facts).append((start | place, text, parts))
            if is_question(place):
                questions.append((start | place, parts.partition(" ")[0]))
    base.executemany("INSERT INTO logs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    for where, some in ((table, texts), (FACTS, facts)):
        base.executemany(f"INSERT INTO {where}(rowid, text, parts) VALUES (?, ?, ?)", some)  # noqa: S608 - a name of ours
    base.executemany("INSERT INTO questions VALUES (?, ?)", questions)
    return Totals(totals.logs + len(rows), totals.passages + len(texts), totals.facts + len(facts))


def take_out(base: sqlite3.Connection, logs: Iterable[Indexed], totals: Totals) -> Totals:
    """Take logs out of an index, in the transaction that is open; return its totals then."""
    count, passages, facts = totals
    for log in logs:
        stem = log.row[0]
        ((number, recent),) = base.execute(
            "SELECT number, recent FROM logs WHERE stem = ?", (stem,)
        ).fetchall()
        start = number << PLACE_BITS
        table = RECENT if recent else BUILT
        for place, text, parts in log.texts:
            where = table if place < FACTS_FROM else FACTS
            asked = f"INSERT INTO {where}({where}, rowid, text, parts) VALUES ('delete', ?, ?, ?)"  # noqa: S608 - a name of ours
            base.execute(asked, (start | place, text, parts))
            if is_question(place):
                base.execute("DELETE FROM questions WHERE row = ?", (start | place,))
        base.execute("DELETE FROM logs WHERE stem = ?", (stem,))
        said = sum([place < FACTS_FROM for place, _, _ in log.texts])
        count, passages, facts = count - 1, passages - said, facts - len(log.texts) + said
    return Totals(count, passages, facts)


def numbers_for(base: sqlite3.Connection, keys: Sequence[str]) -> dict[str, int] | None:
    """Give new logs numbers between those of their neighbours; None when there is no room left.

    `keys` are in ledger order.
    """
    runs: dict[tuple[int, int], list[str]] = {}
    for key in keys:
        sides = []
        for side in ("stem < ? ORDER BY stem DESC", "stem > ? ORDER BY stem"):
            row = base.execute(f"SELECT number FROM logs WHERE {side} LIMIT 1", (key,)).fetchone()  # noqa: S608 - one of two
            sides.append(0 if row is None else int(row[0]))
        runs.setdefault((sides[0], sides[1]), []).append(key)
    found: dict[str, int] = {}
    for (below, above), run in runs.items():
        apart = APART
        if not above:
            start = below or FIRST - APART
        elif not below:
            start = above - APART * (len(run) + 1)
        else:
            start = below
            apart = min((above - below) // (len(run) + 1), _LATE_APART)
        if apart < 1 or start < 0:
            return None
        for place, key in enumerate(run, 1):
            found[key] = start + apart * place
    return found
