"""Reach the organisation's database: the one module that loads psycopg.

No password is taken from a command line, and nothing that the server says of a row is passed on: what is
shown, kept or logged of a failure is its code.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

from ledger.environment import variables
from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.remote.remote import without_credentials

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from psycopg import Connection as Connection

#: Where the database is, for every command that says `org`.
VARIABLE = "DIURNA_ORG"
#: The roles: whose the tables are, and who may ask by functions alone.
WORKER, SERVER = "org_worker", "org_server"
_LIMITS = {
    WORKER: b"SET idle_in_transaction_session_timeout = '60s'",
    # what is asked of many shelves looks dear to the planner: compiling it takes longer than answering
    SERVER: b"SET statement_timeout = '5s'; SET jit = off",
}
#: The code of a set of readers that there is no room for.
TOO_MANY = "OR001"
_ROWS = 2000
_MIGRATIONS = Path(__file__).with_name("migrations.sql")
_QUOTED = str.maketrans({"\\": "\\\\", '"': '\\"', "\0": "\ufffd"})


class DatabaseFailed(DiurnaError):
    """The database refused or could not be reached; `code` is its SQLSTATE, "" for no answer."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


def place_of(given: str = "") -> str:
    """Return where the database is: a URL, or what libpq takes, such as `service=org`.

    Raises:
        NotFound: nobody said.
        WrongUsage: it holds a password.
    """
    where = given or variables().get(VARIABLE, "")
    if not where:
        raise NotFound(
            "it is not said where the organisation's database is",
            hint=f"export {VARIABLE}=postgresql://HOST/NAME, or service=NAME of ~/.pg_service.conf",
        )
    user = where.partition("://")[2].partition("/")[0].rpartition("@")[0]
    if ":" in user or "password=" in where:
        raise WrongUsage(
            "a password does not stand in an address: others see it in lists of processes",
            hint="set PGPASSWORD, or write it into ~/.pgpass or ~/.pg_service.conf",
        )
    return where


def connect(where: str, role: str) -> Connection[Any]:
    """Open a connection as one of the roles; statements commit by themselves outside of a transaction.

    Raises:
        DatabaseFailed: it can not be reached, or its schema is another one than this library's.
    """
    base = _opened(where)
    try:
        with told():
            base.execute(f"SET ROLE {role}")
            base.execute(_LIMITS[role])
    except DatabaseFailed as problem:
        base.close()
        raise DatabaseFailed(
            problem.code, "the database has no schema for this user", "diurna org init URL makes it"
        ) from None
    if role == WORKER:
        _check_version(base)
    return base


def _opened(where: str) -> Connection[Any]:
    try:
        import psycopg
    except ImportError:
        raise DiurnaError(
            "the organisation's database needs a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[org]', or pip install '.[org]'",
        ) from None
    try:
        base = psycopg.connect(
            place_of(where), autocommit=True, application_name="diurna", connect_timeout=10
        )
    except psycopg.Error as problem:
        shown = without_credentials(place_of(where))
        raise DatabaseFailed(
            problem.sqlstate or "", f"{shown} can not be reached", "`psql` says more"
        ) from None
    base.prepare_threshold = None  # a pool in between may not keep them
    return base


@contextmanager
def told() -> Iterator[None]:
    """Say a failure of the database by its code: its words may have those of a row."""
    import psycopg

    try:
        yield
    except psycopg.Error as problem:
        code = problem.sqlstate or ""
        if code == TOO_MANY:
            hint = "name teams (`org team`), so that ledgers have the same readers"
            raise DatabaseFailed(code, "there are 200 sets of readers already", hint) from None
        raise DatabaseFailed(code, f"the database ended it: {code or 'no answer'}") from None


def migrations() -> list[str]:
    """Return the migrations, in order: the first makes the schema of number 1."""
    return _MIGRATIONS.read_text(encoding="utf-8").split("-- migration ")[1:]


def initialise(where: str) -> tuple[int, int]:
    """Make the schema, or bring it to this library's; return its number before and now.

    Two at once do it one after the other.

    Raises:
        DatabaseFailed: it can not be reached, this user may not, or the schema is newer.
    """
    base = _opened(where)
    with base, told():
        with base.transaction():
            base.execute("SELECT pg_advisory_xact_lock(7874)")
            for role in (WORKER, SERVER):
                if not base.execute(
                    "SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)
                ).fetchone():
                    base.execute(f"CREATE ROLE {role} NOLOGIN")
            base.execute(f"GRANT {WORKER}, {SERVER} TO CURRENT_USER")
            base.execute(f"CREATE SCHEMA IF NOT EXISTS org AUTHORIZATION {WORKER}")
            base.execute(f"SET LOCAL ROLE {WORKER}")
            base.execute(
                "CREATE TABLE IF NOT EXISTS org.migration"
                "(number int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
            )
        base.execute(f"SET ROLE {WORKER}")
        before = _version(base)
        _refuse_newer(before)
        for number, text in enumerate(migrations(), 1):
            with base.transaction():
                base.execute("SELECT pg_advisory_xact_lock(7874)")
                if number > _version(base):
                    base.execute(text.partition("\n")[2].encode())
                    base.execute("INSERT INTO org.migration(number) VALUES (%s)", (number,))
        return before, len(migrations())


def _version(base: Connection[Any]) -> int:
    row = base.execute("SELECT coalesce(max(number), 0) FROM org.migration").fetchone()
    assert row is not None
    return int(row[0])


def _check_version(base: Connection[Any]) -> None:
    with told():
        found = _version(base)
    _refuse_newer(found)
    if found < len(migrations()):
        raise DatabaseFailed(
            "", f"the database's schema is of number {found}, this library's of {len(migrations())}",
            "diurna org init URL brings it there",
        )  # fmt: skip


def _refuse_newer(found: int) -> None:
    if found > len(migrations()):
        raise DatabaseFailed(
            "", f"the database's schema is of number {found}, and this library knows {len(migrations())}",
            "install a newer Diurna",
        )  # fmt: skip


def copy_in(base: Connection[Any], table: str, rows: Sequence[Sequence[object]]) -> int:
    """Write rows into a table, every column of each; return how many bytes that were."""
    size = 0
    if rows:
        with base.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN".encode()) as into:
            for start in range(0, len(rows), _ROWS):  # so that a large ledger is not held twice
                some = rows[start : start + _ROWS]
                lines = "".join(["\t".join(map(_field, row)) + "\n" for row in some])
                data = lines.encode("utf-8", "replace")
                into.write(data)
                size += len(data)
    return size


def _field(value: object) -> str:
    """Write a value as COPY reads it."""
    if isinstance(value, str):
        return _escaped(value)
    if value is None:
        return "\\N"
    if isinstance(value, bytes):
        return "\\\\x" + value.hex()
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, tuple | list):
        inside = ",".join([f'"{one.translate(_QUOTED)}"' for one in value])
        return _escaped(f"{{{inside}}}")
    return str(value)


def _escaped(text: str) -> str:
    """Write a text as COPY reads it: by single replacements, which are faster than a table."""
    text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    return text.replace("\r", "\\r").replace("\0", "\ufffd")
