"""Keep which ledgers are read and by whom, and hand out their reading: each to one worker at a time.

A claim is committed before the work begins, so a worker that dies has counted its try; who holds it is
told by a lease, which is looked at again in the transaction that writes.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from ledger.errors import NotFound, WrongUsage
from ledger.model.record import Record
from ledger.remote.remote import check_remote, local_path, without_credentials
from rituals.org.org_database import FUNCTIONS, Connection

#: Said behind the rows that go: the files hold their texts until they are written anew.
STALE = b"UPDATE org.schema SET stale = clock_timestamp()"
#: A role that everybody is, by PostgreSQL's word for it.
_EVERYBODY = "public"
#: So many tries that nobody came back from, and it is tried once a day.
_DEATHS, KILLED = 3, "killed the worker"
#: There is no memory in it, which is no failure: it is looked at once a day.
_QUIET = "NoMemory"
#: So many ledgers that failed are named.
_NAMED = 50


class Fenced(Exception):
    """Another worker has the ledger by now."""


class Job(Record):
    """A ledger to be read, and by which claim."""

    ledger: int
    lease: UUID
    due: datetime  #: another one when somebody wished for it meanwhile
    wish: str
    tries: int
    url: str
    branch: str
    tip: str
    library: str


_CLAIM = f"""
UPDATE org.ledger SET lease = gen_random_uuid(), leased_until = now() + '10 min', tries = tries + 1,
  problem = CASE WHEN tries >= {_DEATHS} AND lease IS NOT NULL THEN '{KILLED}' ELSE problem END,
  due = CASE WHEN tries >= {_DEATHS} THEN now() + '1 day' ELSE due END
WHERE id = (SELECT id FROM org.ledger WHERE due <= least(now(), %s::timestamptz)
  AND (leased_until IS NULL OR leased_until < now())
  ORDER BY tries > 0, due LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id, lease, due, wish, tries, url, branch, tip, library"""
_FINISH = """
UPDATE org.ledger SET lease = NULL, leased_until = NULL, tries = 0, problem = '',
  wish = CASE WHEN due = %(due)s THEN 'read' ELSE wish END,
  pause = CASE WHEN %(changed)s THEN '1 min' ELSE least(pause * 2, '1 h') END,
  due = CASE WHEN due = %(due)s THEN now() + pause ELSE due END
WHERE id = %(ledger)s AND lease = %(lease)s"""
_FAIL = """
UPDATE org.ledger SET lease = NULL, leased_until = NULL, problem = %s,
  due = CASE WHEN due <> %s THEN due WHEN %s THEN now() + '1 day'
    ELSE now() + least(interval '1 min' * 2 ^ least(tries, 12), '1 day') END
WHERE id = %s AND lease = %s"""


def claim(base: Connection[Any], before: str = "infinity") -> Job | None:
    """Take the next ledger that is due, or was `before` a time, those that failed last; None for none."""
    row = base.execute(_CLAIM.encode(), (before,)).fetchone()
    return None if row is None else Job(*row)


def hold(base: Connection[Any], job: Job) -> None:
    """Hold a ledger for the transaction that is open; `Fenced` where another worker has it by now."""
    asked = "SELECT FROM org.ledger WHERE id = %s AND lease = %s FOR UPDATE"
    if base.execute(asked, (job.ledger, job.lease)).fetchone() is None:
        raise Fenced


def finish(base: Connection[Any], job: Job, *, changed: bool) -> None:
    """Say that a ledger is read, where it is still ours; the next look is the later the less happens."""
    told = {"ledger": job.ledger, "lease": job.lease, "due": job.due, "changed": changed}
    if not base.execute(_FINISH, told).rowcount:
        raise Fenced


def fail(base: Connection[Any], job: Job, code: str) -> None:
    """Say that a reading failed, by a code; the pause before the next try doubles, up to a day."""
    base.execute(_FAIL, (code, job.due, code == _QUIET, job.ledger, job.lease))


def wish(base: Connection[Any], ledgers: list[int], what: str = "read") -> None:
    """Let ledgers be read, or made anew (`rebuild`), as soon as a worker looks."""
    base.execute(
        "UPDATE org.ledger SET due = clock_timestamp(), tries = 0,"
        " wish = CASE WHEN wish = 'rebuild' THEN wish ELSE %s END WHERE id = ANY (%s)",
        (what, ledgers),
    )


def listed(words: Iterable[str], folder: str) -> list[str]:
    """Return repositories that are named, by URL or real path; paths start from `folder`."""
    found: dict[str, None] = {}
    for word in words:
        url, sharp, branch = word.partition("#")
        path, shown = local_path(url, folder), without_credentials(url)
        check_remote(word)
        if path and not os.path.isdir(path):
            raise WrongUsage(
                f"there is no repository {word}", hint="a URL or a folder, - for a list"
            )
        if shown != url and ":" in url.partition("://")[2].partition("@")[0]:
            raise WrongUsage(
                f"{shown} is given with a password",
                hint="git's credential helper, or ssh, lets the workers in",
            )
        found[(os.path.realpath(path) if path else url) + sharp + branch] = None
    return list(found)


def add(
    base: Connection[Any], repositories: Sequence[str], team: str = "", roles: Sequence[str] = ()
) -> list[str]:
    """Register ledgers; return those that are new, by URL. Without roles nobody may read them yet."""
    new = []
    with base.transaction():
        for one in repositories:
            url, _, branch = one.partition("#")
            name = url.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
            row = base.execute(
                "INSERT INTO org.ledger(id, url, name, team, branch) VALUES (%s, %s, %s, %s, %s)"
                " ON CONFLICT (url) DO NOTHING RETURNING id",
                (secrets.randbelow(1 << 31), url, name, team, branch and f"refs/heads/{branch}"),
            ).fetchone()
            if row is not None:
                set_readers(base, row[0], roles)
                new.append(url)
    return new


def forget_ledger(base: Connection[Any], ledger: int) -> None:
    """Take a ledger out, with all of its rows; the files are written anew when a worker is idle."""
    with base.transaction():
        set_readers(base, ledger, ())
        base.execute("DELETE FROM org.ledger WHERE id = %s", (ledger,))
        base.execute(STALE)


def ledger_named(base: Connection[Any], name: str) -> int:
    """Return the number of the one ledger of a URL, folder or name."""
    asked = "SELECT id FROM org.ledger WHERE url IN (%s, %s) OR name = %s"
    rows = base.execute(asked, (name, os.path.realpath(name), name)).fetchall()
    if len(rows) != 1:
        many = f"{len(rows)} ledgers are called {name}" if rows else f"no ledger is called {name}"
        raise NotFound(many, hint="name it by its URL, as `org add` was given it")
    return int(rows[0][0])


def set_readers(base: Connection[Any], ledger: int, roles: Sequence[str]) -> None:
    """Let these roles of the server read a ledger, and nobody else: from the next question on."""
    named = sorted(set(roles))
    asked = (
        "SELECT r FROM unnest(%s::text[]) r WHERE r <> %s AND to_regrole(quote_ident(r)) IS NULL"
    )
    with base.transaction():
        if missing := [row[0] for row in base.execute(asked, (named, _EVERYBODY))]:
            hint = f"CREATE ROLE {missing[0]} LOGIN"
            raise WrongUsage(f"the server has no role {', '.join(missing)}", hint=hint)
        gone = "DELETE FROM org.reader WHERE ledger = %s AND role <> ALL (%s) RETURNING role"
        left = [row[0] for row in base.execute(gone, (ledger, named))]
        new = "INSERT INTO org.reader SELECT %s, unnest(%s::text[]) ON CONFLICT DO NOTHING"
        base.execute(new, (ledger, named))
        still = base.execute("SELECT DISTINCT role FROM org.reader").fetchall()
        _grant(base, named, "GRANT", "TO")
        _grant(base, [one for one in left if (one,) not in still], "REVOKE", "FROM")


def _grant(base: Connection[Any], roles: Iterable[str], what: str, whom: str) -> None:
    """Let roles execute the functions, or not any more; a role that was dropped has nothing."""
    asked = "SELECT CASE WHEN %s = %s THEN 'PUBLIC' ELSE to_regrole(quote_ident(%s))::text END"
    for role in roles:
        row = base.execute(asked, (role, _EVERYBODY, role)).fetchone()
        if row and row[0]:
            base.execute(f"{what} USAGE ON SCHEMA org {whom} {row[0]}".encode())
            base.execute(f"{what} EXECUTE ON FUNCTION {FUNCTIONS} {whom} {row[0]}".encode())


_STATUS = f"""
SELECT jsonb_build_object('ledgers', count(*), 'logs', coalesce(sum(logs), 0),
  'facts', coalesce(sum(facts), 0),
  'unread', count(*) FILTER (WHERE tip = '' AND problem <> '{_QUIET}'),
  'without_memory', count(*) FILTER (WHERE problem = '{_QUIET}'),
  'due', count(*) FILTER (WHERE due <= now()), 'working', count(*) FILTER (WHERE leased_until > now()),
  'late', greatest(0, extract(epoch FROM now() - min(due))::int),
  'bytes', pg_database_size(current_database()), 'problems', (SELECT coalesce(jsonb_agg(p), '[]') FROM (
    SELECT url, name, problem, tries, due AS next FROM org.ledger WHERE problem NOT IN ('', '{_QUIET}')
    ORDER BY due LIMIT {_NAMED}) p),
  'readers', (SELECT coalesce(jsonb_object_agg(role, many), '{{}}') FROM (
    SELECT role, count(*) AS many FROM org.reader GROUP BY role) r)) FROM org.ledger"""


def status(base: Connection[Any]) -> dict[str, Any]:
    """Return sums over all ledgers, those that failed, and how many each role may read."""
    ((found,),) = base.execute(_STATUS.encode()).fetchall()
    return dict(found)


def status_lines(found: dict[str, Any]) -> Iterator[str]:
    """Tell the same in lines."""
    rows = f"{found['logs']} logs, {found['facts']} facts"
    yield f"{found['ledgers']} ledgers, {found['unread']} not read yet; {rows}"
    due = f"{found['due']} to be read, the oldest since {found['late']} s"
    yield f"{due}; {found['working']} in progress"
    for one in found["problems"]:
        said = f"{one['problem']}, {one['tries']} tries, next {one['next'][:19]}"
        yield f"{one['name']}: {said} ({without_credentials(one['url'])})"
    if found["without_memory"]:
        yield f"{found['without_memory']} have no memory yet; each is looked at once a day"
    for role, many in sorted(found["readers"].items()):
        yield f"{role} reads {many}"
