"""Read the tables of an SQLite file that another program keeps, which may be at work in it.

The file and its write-ahead log are copied into a private folder, so that the store is neither locked nor
changed: opening it in place would write its `-shm`. A rollback journal is not copied: it can name files
that SQLite then deletes. In the copy nothing runs but the one query of each row: an authorizer refuses
views, functions and recursion, so that no expression that stands in the schema is ever computed.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing

from ledger.environment import monotonic
from rituals.intake.intake_items import LeftOut
from rituals.intake.sources.source_files import Left
from rituals.intake.sources.store_values import shown

Row = dict[str, str]

FILE_LIMIT_BYTES = 1 << 30
ROWS = 20_000  #: of a table at most, the newest
_VALUE_BYTES = 1 << 20
_SECONDS = 30.0  #: for all that is read of one file, and made of it meanwhile
TRIES = 20  #: to find a moment when nobody writes
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_HOT = bytes.fromhex("d9d505f920a163d7")  #: how a rollback journal begins that is in use
_STEPS = 50_000  #: of SQLite's machine between two looks at the clock


class StoreUnreadable(Exception):
    """The file is no SQLite database, or can not be read now; its text says why."""


class Tables:
    """The tables of a private copy of an SQLite file, which nobody else has open."""

    def __init__(self, copy: str, name: str, until: float, left: Left) -> None:
        self._name, self._until, self._left = name, until, left
        self._db = sqlite3.connect(copy, isolation_level=None, timeout=0)
        try:
            self._db.text_factory = lambda data: data.decode("utf-8", "replace")
            self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
            self._db.execute("PRAGMA trusted_schema = OFF")
            self._db.execute("PRAGMA query_only = ON")
            names = self._db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            self._tables = {name for name, sql in names.fetchmany(1_000) if _is_plain(sql)}
            self._db.set_authorizer(_authorize)
            self._db.set_progress_handler(lambda: monotonic() > until, _STEPS)
        except sqlite3.Error as error:
            self._db.close()
            raise StoreUnreadable(f"is no SQLite database that can be read ({error})") from None

    def close(self) -> None:
        """Let go of the copy."""
        self._db.close()

    def has(self, table: str) -> bool:
        """Tell whether there is a table of that name: no view, and nothing virtual."""
        return table in self._tables

    def rows(self, table: str, columns: tuple[str, ...]) -> Iterator[Row]:
        """Yield the newest rows of a table, the oldest of them first.

        `table` and `columns` are names that this program wrote; a table that is not there has no rows, a
        column that is not there is "".
        """
        if table not in self._tables:
            return
        try:
            looked = self._db.execute(f"SELECT * FROM {table} LIMIT 0")  # noqa: S608 - our names
        except sqlite3.Error as error:
            self._left.append(LeftOut(f"{self._name} {table}", f"can not be read ({error})"))
            return
        there = {about[0] for about in looked.description}
        chosen = [column for column in columns if column in there]
        if not chosen:
            self._left.append(
                LeftOut(f"{self._name} {table}", "has none of the columns known here")
            )
            return
        ids = self._newest(table)
        one = f"SELECT {', '.join(chosen)} FROM {table} WHERE rowid = ?"  # noqa: S608 - our names
        unread = 0
        for count, rowid in enumerate(reversed(ids)):
            if monotonic() > self._until:
                why = f"{len(ids) - count:,} rows: reading took longer than {_SECONDS:.0f} s"
                self._left.append(LeftOut(f"{self._name} {table}", why))
                break
            try:
                values = self._db.execute(one, (rowid,)).fetchone()
            except (sqlite3.Error, OverflowError):
                values = None
            if values is None:
                unread += 1
            else:
                row = dict.fromkeys(columns, "")
                row.update(zip(chosen, map(_text, values), strict=True))
                yield row
        if unread:
            why = f"rows that can not be read: {unread:,}, damaged or over {_VALUE_BYTES >> 20} MiB"
            self._left.append(LeftOut(f"{self._name} {table}", why))

    def _newest(self, table: str) -> list[int]:
        """Return the ids of the newest rows, the newest first."""
        ids: list[int] = []
        place = f"{self._name} {table}"
        try:
            for (rowid,) in self._db.execute(f"SELECT rowid FROM {table} ORDER BY rowid DESC"):  # noqa: S608
                if len(ids) == ROWS:
                    self._left.append(LeftOut(place, f"all but the newest {ROWS:,} rows"))
                    break
                ids.append(rowid)
        except sqlite3.Error as error:
            self._left.append(LeftOut(place, f"rows behind the newest {len(ids):,} ({error})"))
        return ids


def tables_in(name: str, path: str, left: Left) -> Iterator[Tables]:
    """Yield the tables of a store, which is called so; nothing where it can not be read."""
    until = monotonic() + _SECONDS
    folder = tempfile.mkdtemp(prefix="diurna-import-")
    copy = os.path.join(folder, "store.db")
    try:
        _copy(path, copy)
        with closing(Tables(copy, os.path.basename(path), until, left)) as tables:
            yield tables
    except StoreUnreadable as why:
        left.append(LeftOut(shown(name), str(why)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(path: str, copy: str) -> None:
    """Copy a database and its write-ahead log at a moment when nobody writes."""
    for _ in range(TRIES):
        before = _states(path)
        if not _is_hot(path + "-journal"):
            _bytes(path, copy, must=True)
            _bytes(path + "-wal", copy + "-wal", must=False)
            if _states(path) == before:
                return
        time.sleep(0.05)
    raise StoreUnreadable(
        "is in the middle of a write: let the tool finish, or start and stop it once"
    )


def _bytes(path: str, copy: str, must: bool) -> None:
    """Copy one file; a log that is not there has no copy either."""
    try:
        source = os.open(path, _OPEN)
        with os.fdopen(source, "rb") as file, open(copy, "wb") as target:
            found = os.fstat(source)
            if not stat.S_ISREG(found.st_mode):
                raise StoreUnreadable("is no ordinary file")
            if found.st_size > FILE_LIMIT_BYTES:
                raise StoreUnreadable(f"is over {FILE_LIMIT_BYTES >> 20} MiB")
            shutil.copyfileobj(file, target, 1 << 20)
    except FileNotFoundError:
        if must:
            raise StoreUnreadable("is not there") from None
        if os.path.exists(copy):
            os.unlink(copy)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StoreUnreadable(f"can not be copied: {why}") from None


def _states(path: str) -> list[tuple[int, int, int] | None]:
    """Return what shows that a file or its log was written to."""
    found: list[tuple[int, int, int] | None] = []
    for name in (path, path + "-wal", path + "-journal"):
        try:
            state = os.lstat(name)
            found.append((state.st_ino, state.st_size, state.st_mtime_ns))
        except (OSError, ValueError):
            found.append(None)
    return found


def _is_hot(path: str) -> bool:
    """Tell whether a rollback journal is in use; what is no file, or can not be read, may be."""
    try:
        journal = os.open(path, _OPEN)
    except (FileNotFoundError, ValueError):
        return False
    except OSError:
        return True
    with os.fdopen(journal, "rb") as file:
        return not stat.S_ISREG(os.fstat(journal).st_mode) or file.read(len(_HOT)) == _HOT


def _is_plain(sql: object) -> bool:
    return isinstance(sql, str) and not sql.lstrip().upper().startswith("CREATE VIRTUAL")


def _authorize(
    action: int, first: str | None, second: str | None, database: str | None, inside: str | None
) -> int:
    """Let a query read a table: no function, no recursion, and nothing that a view or trigger asks."""
    reads = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
    return sqlite3.SQLITE_OK if reads and inside is None else sqlite3.SQLITE_DENY


def _text(value: object) -> str:
    """Return a value of a row as text; bytes as Latin-1, which loses none."""
    if value is None:
        return ""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
