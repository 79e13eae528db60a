"""Reach the organisation's database: the one module that loads psycopg.

No password is taken from a command line. What the server says of a connection is passed on; of a row its
code alone, as its words may have those of the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ledger.environment import variables
from ledger.errors import DiurnaError, NotFound, WrongUsage
from ledger.remote.remote import without_credentials

TYPE_CHECKING = False
if TYPE_CHECKING:
    from psycopg import Connection as Connection
else:
    Connection = object

#: Where the database is, for every command that says `org`.
VARIABLE = "DIURNA_ORG"
#: The number of the schema that this library makes and asks.
SCHEMA = 3
#: The functions that readers may execute.
FUNCTIONS = "org.counts, org.beginning, org.find, org.find_logs"
_FILE = Path(__file__).with_name("schema.sql")
_HINTS = {
    "42501": "this role may not: `diurna org readers` says who may ask, the owner of the schema the rest",
    "3F000": "there is no schema `org`: `diurna org init` makes it",
    "42883": "its schema is of another Diurna",
}
_ANOTHER = "`createdb` another one, set DIURNA_ORG to it, `org init`, `org add`: git has all of it"
_ROLE = "sudo -u postgres psql -c 'CREATE ROLE diurna LOGIN' -c 'CREATE DATABASE org OWNER diurna'"


class DatabaseFailed(DiurnaError):
    """The database refused or could not be reached; `code` is its SQLSTATE, "" for no answer."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


def place_of(given: str = "") -> str:
    """Return where the database is: a URL without a password, or what libpq takes, as `service=org`."""
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


def connect(where: str = "") -> Connection[Any]:
    """Open a connection as whom the server lets in; statements commit by themselves."""
    try:
        import psycopg
    except ImportError:
        raise DiurnaError(
            "the organisation's database needs a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[org]', or pip install '.[org]'",
        ) from None
    place = place_of(where)
    how = {"autocommit": True, "application_name": "diurna", "connect_timeout": 10}
    try:
        return psycopg.connect(place, **how)  # type: ignore[arg-type]
    except psycopg.Error as problem:
        said = without_credentials(f"{place} can not be reached: {problem}".replace("\n", "; "))
        raise DatabaseFailed(problem.sqlstate or "", said) from None


def connect_owner(where: str = "") -> Connection[Any]:
    """Open a connection as the owner of the schema, for who is a member of that role."""
    base = connect(where)
    try:
        with told():
            asked = "SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'org'"
            row = base.execute(asked).fetchone()
            if row is None:
                raise DatabaseFailed("", _HINTS["3F000"])
            base.execute(f"SET ROLE {row[0]}".encode())
            _check(base)
            base.execute("SET idle_in_transaction_session_timeout = '60s'")
    except DatabaseFailed:
        base.close()
        raise
    return base


def _check(base: Connection[Any]) -> None:
    """Refuse the schema of another Diurna, which stays as it is."""
    there = base.execute("SELECT to_regclass('org.schema') IS NOT NULL").fetchone()
    row = base.execute("SELECT number FROM org.schema").fetchone() if there == (True,) else None
    if row != (SCHEMA,):
        raise DatabaseFailed("", "the database has a schema `org` of another Diurna", _ANOTHER)


def initialise(where: str) -> bool:
    """Make the schema; return whether it was not there. Two at once do it one after the other."""
    with connect(where) as base, base.transaction():
        import psycopg

        try:
            base.execute("SELECT pg_advisory_xact_lock(7874)")
            if base.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'org'").fetchone():
                _check(base)
                return False
            asked = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
            if base.execute(asked).fetchone() == (True,):
                raise DatabaseFailed("", "a superuser's functions would ask for everybody", _ROLE)
            base.execute(_FILE.read_bytes())
            base.execute("INSERT INTO org.schema(number) VALUES (%s)", (SCHEMA,))
        except psycopg.Error as problem:  # there is no row yet, whose words it could have
            raise DatabaseFailed(problem.sqlstate or "", f"the server says: {problem}") from None
    return True


@contextmanager
def told() -> Iterator[None]:
    """Say a failure of the database by its code: its words may have those of a row."""
    import psycopg

    try:
        yield
    except psycopg.Error as problem:
        code = problem.sqlstate or ""
        said = f"the database ended it: {code or 'no answer'}"
        raise DatabaseFailed(code, said, _HINTS.get(code, "")) from None


def insert(base: Connection[Any], table: str, rows: Sequence[Sequence[object]]) -> None:
    """Write rows into a table with its columns: COPY takes no table with row-level security."""
    if rows:
        asked = f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(rows[0]))})".encode()
        with base.cursor() as cursor:
            cursor.executemany(asked, [[_field(value) for value in row] for row in rows])


def _field(value: object) -> object:
    """Return a value as the database takes it: no text has a zero byte, or half a character."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return value
