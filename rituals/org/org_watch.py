"""Keep who may read a ledger as its forge says, asked again each hour by the workers.

What a forge said last holds for a day where it gives no answer, then nobody reads. Readers that were set
by hand win: such a ledger is not watched.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.model.record import Record
from rituals.org.org_database import TOO_MANY, DatabaseFailed, told
from rituals.org.org_forge import ForgeApi, ForgeSilent
from rituals.org.org_registry import count, move

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rituals.org.org_database import Connection

#: What is taken is due again by itself after so long: a worker may die over it.
_TAKEN, _AGAIN, _HOLDS = "5 min", "1 h", "24 h"
_READERS_MOST = 10_000


class TooManyReaders(DiurnaError):
    """More people may read a ledger than are kept, or there are more than 200 sets of them."""


class Heard(Record):
    """What came of asking for the readers of one ledger: how many, and a code, "" for well."""

    ledger: int
    readers: int
    code: str


def look(base: Connection[Any]) -> Heard | None:
    """Ask a forge for the readers of the ledger that is due the longest; None where none is."""
    row = base.execute(
        f"UPDATE org.watch w SET due = now() + '{_TAKEN}' FROM org.ledger l WHERE l.id = w.ledger"
        " AND w.ledger = (SELECT ledger FROM org.watch WHERE due <= now() ORDER BY due LIMIT 1"
        " FOR UPDATE SKIP LOCKED) RETURNING w.ledger, w.forge, w.host, l.url".encode()
    ).fetchone()
    if row is None:
        return None
    ledger, kind, host, url = row
    try:
        found = ForgeApi(kind, url).readers()
        if len(found) > _READERS_MOST:
            raise TooManyReaders(f"more than {_READERS_MOST} people")
        with told():
            return _keep(base, ledger, found)
    except DatabaseFailed as problem:
        if problem.code != TOO_MANY:
            raise
        return _keep(base, ledger, [], "TooManyReaders")
    except TooManyReaders:
        return _keep(base, ledger, [], "TooManyReaders")
    except DiurnaError as problem:
        return _miss(base, ledger, host, problem)


def _keep(base: Connection[Any], ledger: int, readers: Sequence[str], problem: str = "") -> Heard:
    shelves: list[int] = []
    with base.transaction():
        done = base.execute(
            f"UPDATE org.watch SET due = now() + '{_AGAIN}', heard_at = now(), holds = %s, problem = %s"
            " WHERE ledger = %s".encode(),
            (bool(readers), problem, ledger),
        )
        if done.rowcount:  # or somebody has set them by hand meanwhile
            shelves = move(base, ledger, readers)
    count(base, shelves)
    return Heard(ledger, len(readers), problem)


def _miss(base: Connection[Any], ledger: int, host: str, problem: DiurnaError) -> Heard:
    """Say that a forge gave no answer; whom it named a day ago reads no longer."""
    code = type(problem).__name__
    shelves: list[int] = []
    with base.transaction():
        if isinstance(problem, ForgeSilent):  # nor has it one for the others there
            base.execute(
                "UPDATE org.watch SET due = greatest(due, now() + %s * interval '1 s'),"
                " problem = CASE WHEN ledger = %s THEN %s ELSE problem END WHERE host = %s",
                (problem.wait, ledger, code, host),
            )
        else:
            base.execute(
                f"UPDATE org.watch SET problem = %s, due = now() + '{_AGAIN}' WHERE ledger = %s".encode(),
                (code, ledger),
            )
        old = base.execute(
            "UPDATE org.watch SET holds = false WHERE host = %s AND holds"
            f" AND heard_at < now() - interval '{_HOLDS}' RETURNING ledger".encode(),
            (host,),
        ).fetchall()
        for (one,) in old:
            shelves += move(base, one, [])
    count(base, shelves)
    return Heard(ledger, 0, code)
