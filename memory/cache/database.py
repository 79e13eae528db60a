"""Open a file of SQLite with a stamp: a cache, or the index of recall.

Nothing is read of a file that does not agree with its stamp. Each has a table `meta` of packed values, one
of which is the version.
"""

from __future__ import annotations

from ledger.model.layout import CACHE_VERSION
from memory.cache.stamp import (
    FILE_ERRORS,
    ON_DISK,
    CacheDamaged,
    Stamp,
    StampBroken,
    sqlite3,
    unpack,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Self, TypeVar

    Said = TypeVar("Said")


class Database:
    """A file with a stamp, open.

    Args:
        base: the connection.
        stamp: of its file; that of "" for one in memory.

    Raises:
        CacheDamaged: as every method does, or what `errors` makes of it: the file does not answer, is of
            another version, or not as it was left.
    """

    errors = FILE_ERRORS  #: stands around what reads or writes the file

    def __init__(self, base: sqlite3.Connection, stamp: Stamp) -> None:
        self._base, self._stamp = base, stamp
        self._seen = -1
        with self.errors:
            if self.value("version", int) != CACHE_VERSION:
                raise CacheDamaged("a file of another version")
        self.load_written()

    @classmethod
    def open(cls, path: str) -> Self:
        """Open a file."""
        stamp, base = Stamp(path), None
        try:
            with cls.errors:
                stamp.check()
                base = sqlite3.connect(path, timeout=10, isolation_level=None)
                base.execute("PRAGMA synchronous=OFF")
                # who is killed leaves a file without stamp
                base.execute("PRAGMA journal_mode=MEMORY")
                made = cls(base, stamp)
                made._see_to_disk()
                return made
        except BaseException:
            if base is not None:
                base.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    @property
    def base(self) -> sqlite3.Connection:
        """The open file."""
        return self._base

    @property
    def kept(self) -> bool:
        """Whether it is a file at all, and not in memory."""
        return bool(self._stamp.path)

    @property
    def replaced(self) -> bool:
        """Whether another file is in its place since it was opened, or none."""
        return self._stamp.replaced

    # ---- reading ----------------------------------------------------------------------------------

    def rows(self, question: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows that a question in SQL gives."""
        with self.errors:
            return self._base.execute(question, values).fetchall()

    def row(self, question: str, values: Sequence[object] = ()) -> Any:
        """Return the first of these rows, None where there is none."""
        with self.errors:
            return self._base.execute(question, values).fetchone()

    def column(self, question: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the first value of each of these rows."""
        return [row[0] for row in self.rows(question, values)]

    def value(self, key: str, make: Callable[[Any], Said]) -> Said:
        """Return a value of the file's own."""
        row = self.row("SELECT value FROM meta WHERE key = ?", (key,))
        with self.errors:
            if row is None:
                raise CacheDamaged(f"no {key}")
            return unpack(row[0], make)

    def load(self) -> None:
        """Read the few values that every question needs, all as of one commit, outside of a reading."""
        with self.errors:
            self._stamp.check()
        self.load_written()

    def load_written(self) -> None:
        """Read these values if another connection wrote since, which SQLite tells; in a transaction."""
        (seen,) = self.row("PRAGMA data_version")
        if seen != self._seen:
            self.read_values()
            self._seen = seen

    def read_values(self) -> None:
        """Read these values."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Begin a reading that sees one commit throughout; other processes' writes wait for its end."""
        with self.errors:
            self._begin()
            try:
                self.load_written()
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        with self.errors:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")

    def _begin(self) -> None:
        """Begin a reading of the file, if it is as it was left.

        Who waits for a writer may not read meanwhile: the writer would wait for the end of that.
        """
        if self._agrees():
            return
        with self._stamp.locked(alone=False):
            if not self._agrees():
                raise StampBroken

    def _agrees(self) -> bool:
        self._base.execute("BEGIN")
        self._base.execute("PRAGMA data_version").fetchone()  # from here on nobody writes
        if self._stamp.holds():
            return True
        self._base.execute("ROLLBACK")
        return False

    # ---- writing ----------------------------------------------------------------------------------

    def writing(self) -> Stamp:
        """Return the `with` in which the file may be changed (`Stamp.locked`)."""
        return self._stamp.locked()

    def change(self, step: Callable[[], Said]) -> Said:
        """Change the file in one transaction, and return what `step` gives; nothing stays if it raises."""
        with self.errors, self.writing():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self.load_written()
                made = step()
                self._base.execute("COMMIT")
            finally:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
        self.read_values()
        return made

    def _see_to_disk(self) -> None:
        """Make sure that a file which nobody wrote for a while is on the disk; by then that costs little.

        Closing a file of SQLite's by other ways would drop the locks that this process has on it, so that
        is left to SQLite. It is outside of any reading.
        """
        if not self._stamp.wants_disk():
            return
        try:
            with self._stamp.locked(run=ON_DISK):
                self._base.execute("PRAGMA synchronous=FULL")
                self._base.execute("PRAGMA user_version=1")
        except (sqlite3.Error, StampBroken):
            pass  # a read-only disk: another time, or never
        finally:
            self._base.execute("PRAGMA synchronous=OFF")
