"""Keep which ledgers are read, and who may read what of them."""

from __future__ import annotations

import hashlib
import os
import secrets

from ledger.errors import NotFound, WrongUsage
from ledger.remote.remote import check_remote, local_path, without_credentials
from rituals.org.org_forge import ForgeApi
from rituals.org.org_jobs import wish
from rituals.org.org_reading import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rituals.org.org_database import Connection

_NUMBERS = 1 << 31


def listed(words: Iterable[str], folder: str) -> list[str]:
    """Return repositories that are named: URLs and folders, or those that a file has, one a line.

    `folder` is where paths start from.

    Raises:
        WrongUsage: one holds a password, or is neither.
    """
    found: list[str] = []
    for word in words:
        path = local_path(word.partition("#")[0], folder)
        if path and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                lines = [line.strip() for line in file]
            found += listed(
                [line for line in lines if line and line[0] != "#"], os.path.dirname(path)
            )
            continue
        check_remote(word)
        if path and not os.path.isdir(path):
            raise WrongUsage(
                f"there is no repository {word}", hint="a URL, a folder, or a file of such"
            )
        if (
            without_credentials(word) != word
            and "://" in word
            and ":" in word.split("://")[1].split("@")[0]
        ):
            raise WrongUsage(
                f"{without_credentials(word)} is given with a password",
                hint="git's credential helper, or ssh, lets the workers in",
            )
        branch = word.partition("#")[2]
        found.append(
            (os.path.realpath(path) if path else word.partition("#")[0])
            + f"#{branch}" * bool(branch)
        )
    return list(dict.fromkeys(found))


def add(
    base: Connection[Any], repositories: Sequence[str], team: str, readers: Sequence[str]
) -> list[str]:
    """Register ledgers, each on the shelf of its readers; return those that are new, by URL.

    Without readers nobody may read them.
    """
    with base.transaction():
        new = _added(base, repositories, team, readers)
    wish(base, [])
    return new


def _added(
    base: Connection[Any], repositories: Sequence[str], team: str, readers: Sequence[str]
) -> list[str]:
    shelf = _shelf(base, readers)
    new = []
    for one in repositories:
        url, _, branch = one.partition("#")
        name = url.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
        row = base.execute(
            "INSERT INTO org.ledger(id, url, name, team, branch, shelf) VALUES (%s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (url) DO NOTHING RETURNING id",
            (secrets.randbelow(_NUMBERS), url, name, team,
             f"refs/heads/{branch}" if branch else "", shelf),
        ).fetchone()  # fmt: skip
        if row is not None:
            base.execute("INSERT INTO org.job(ledger) VALUES (%s)", row)
            new.append(url)
    return new


def add_listed(
    base: Connection[Any], forge: ForgeApi, team: str, readers: Sequence[str]
) -> list[str]:
    """Register the repositories of an organisation; return those that are new, by URL.

    Who reads them is whom `readers` names, or else as the forge says.

    Raises:
        DiurnaError: the forge refuses, is busy, or gives no answer.
    """
    found = forge.repositories()
    with base.transaction():
        new = _added(base, [one.url for one in found], team, readers)
        forks = [one.url for one in found if one.fork]
        base.execute("UPDATE org.ledger SET fork = true WHERE url = ANY (%s)", (forks,))
        if not readers:
            watch(base, new, forge.kind, forge.host)
    wish(base, [])
    return new


def watch(base: Connection[Any], urls: Sequence[str], kind: str, host: str) -> None:
    """Let the forge say who reads these ledgers, from now on."""
    base.execute(
        "INSERT INTO org.watch(ledger, forge, host) SELECT id, %s, %s FROM org.ledger WHERE url = ANY (%s)"
        " ON CONFLICT (ledger) DO UPDATE SET forge = excluded.forge, host = excluded.host, due = now()",
        (kind, host, list(urls)),
    )


def ledger_named(base: Connection[Any], name: str) -> int:
    """Return the number of a ledger by its URL, folder or name.

    Raises:
        NotFound: there is none, or there are several.
    """
    path = os.path.realpath(name)
    asked = "SELECT id FROM org.ledger WHERE url IN (%s, %s) OR name = %s"
    rows = base.execute(asked, (name, path, name)).fetchall()
    if len(rows) != 1:
        many = f"{len(rows)} ledgers are called {name}" if rows else f"no ledger is called {name}"
        raise NotFound(many, hint="`diurna org status` lists them by URL")
    return int(rows[0][0])


def set_readers(base: Connection[Any], ledger: int, readers: Sequence[str], kind: str = "") -> bool:
    """Let these people and teams read a ledger, and nobody else: from the next question on.

    With `kind` the forge of that kind says who, and nobody may until it has; else it is asked no more.

    Returns:
        Whether it was asked before.
    """
    with base.transaction():
        done = base.execute("DELETE FROM org.watch WHERE ledger = %s", (ledger,))
        shelves = move(base, ledger, readers)
        if kind:
            row = base.execute("SELECT url FROM org.ledger WHERE id = %s", (ledger,)).fetchone()
            url = str(row[0]) if row else ""
            watch(base, [url], kind, ForgeApi(kind, url).host)
    count(base, shelves)
    wish(base, [])
    return bool(done.rowcount)


def move(base: Connection[Any], ledger: int, readers: Sequence[str]) -> list[int]:
    """Move a ledger to the shelf of its readers, in a transaction; return the shelves to be counted."""
    shelf = _shelf(base, readers)
    base.execute("SELECT FROM org.job WHERE ledger = %s FOR UPDATE", (ledger,))
    row = base.execute("SELECT shelf FROM org.ledger WHERE id = %s", (ledger,)).fetchone()
    if row is None or row[0] == shelf:
        return []
    base.execute("UPDATE org.ledger SET shelf = %s WHERE id = %s", (shelf, ledger))
    base.execute("UPDATE org.shelf SET stale = true WHERE id = %s", row)
    for table in TABLES:
        columns = _columns(base, table)
        base.execute(
            f"WITH moved AS (DELETE FROM org.{table}_{row[0]} WHERE ledger = %s RETURNING *)"
            f" INSERT INTO org.{table}_{shelf}(shelf, {columns})"
            f" SELECT {shelf}, {columns} FROM moved".encode(),
            (ledger,),
        )
    return [row[0], shelf]


def count(base: Connection[Any], shelves: Iterable[int]) -> None:
    """Count the words of shelves anew, as their ledgers are others now."""
    for one in dict.fromkeys(shelves):
        base.execute("SELECT org.count_words(%s)", (one,))


def _columns(base: Connection[Any], table: str) -> str:
    asked = (
        "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'shelf'"
    )
    row = base.execute(asked, (f"org.{table}",)).fetchone()
    assert row is not None
    return str(row[0])


def _shelf(base: Connection[Any], readers: Sequence[str]) -> int:
    row = base.execute("SELECT org.shelf_for(%s)", (list(readers),)).fetchone()
    assert row is not None
    return int(row[0])


def set_team(base: Connection[Any], team: str, people: Sequence[str]) -> None:
    """Let a team be these people, and nobody else."""
    with base.transaction():
        base.execute("DELETE FROM org.member WHERE team = %s", (team,))
        for person in dict.fromkeys(people):
            base.execute("INSERT INTO org.member(team, person) VALUES (%s, %s)", (team, person))


def make_token(base: Connection[Any], person: str) -> str:
    """Make a token by which a person asks; earlier ones of theirs hold no longer."""
    made = secrets.token_urlsafe(32)
    with base.transaction():
        base.execute("DELETE FROM org.token WHERE person = %s", (person,))
        base.execute(
            "INSERT INTO org.token(hash, person) VALUES (%s, %s)",
            (hashlib.sha256(made.encode()).digest(), person),
        )
    return made
