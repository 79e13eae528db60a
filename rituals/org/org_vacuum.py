"""Erase what a ledger does not hold any more: rows that are gone stand in pages, indexes and logs yet.

PostgreSQL's `VACUUM` erases nothing, and an index of words never drops one; only what is written anew is
without it.
"""

from __future__ import annotations

from rituals.org.org_mirror import folder_of, tidy
from rituals.org.org_reading import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rituals.org.org_database import Connection

_BEYOND = (
    "not reached: replicas, base backups, archived WAL, Parquet exports, and the storage of a managed"
    " service"
)
#: So many segments of the write-ahead log are switched at most: each waits to be used again.
_SEGMENTS = 64


def vacuum(base: Connection[Any], ledger: int, mirrors: str) -> list[str]:
    """Write the shelf of a ledger anew, and those that ledgers left; say what was done, and what was not.

    The ledger has been read since the text went. `mirrors` is the folder of the mirrors of this machine.
    """
    asked = (
        "SELECT id FROM org.shelf WHERE stale OR id = (SELECT shelf FROM org.ledger WHERE id = %s)"
    )
    shelves = [int(row[0]) for row in base.execute(asked, (ledger,)).fetchall()]
    for shelf in shelves:
        # before the work: what leaves it meanwhile is found next time
        base.execute("UPDATE org.shelf SET stale = false WHERE id = %s", (shelf,))
        base.execute("SELECT org.count_words(%s)", (shelf,))
        for table in (*TABLES, "word"):
            name = f"org.{table}_{shelf}"
            if not _is_empty(base, name):
                base.execute(f"VACUUM (FULL, ANALYZE) {name}".encode())
                continue
            with base.transaction():  # of such a table `VACUUM` keeps what it knew
                base.execute(f"LOCK org.{table}".encode())
                if _is_empty(base, name):
                    base.execute("SELECT org.make_anew(%s, %s)", (table, shelf))
        base.execute("SELECT org.index_shelf(%s), org.index_lists(%s)", (shelf, shelf))
    tables = len(shelves) * (len(TABLES) + 1)
    steps = [f"the tables and indexes of its shelf, and of those left, were written anew: {tables}"]
    tidy(folder_of(mirrors, ledger))
    steps.append("its mirror here was packed anew; workers elsewhere do it there: org vacuum")
    return [*steps, *_of_superusers(base), _BEYOND]


def _is_empty(base: Connection[Any], name: str) -> bool:
    return base.execute(f"SELECT FROM {name} LIMIT 1".encode()).fetchone() is None


def _of_superusers(base: Connection[Any]) -> list[str]:
    """Do what only a superuser may: statistics and the write-ahead log."""
    row = base.execute("SELECT usesuper FROM pg_user WHERE usename = session_user").fetchone()
    if not (row and row[0]):
        return ["left to a superuser: VACUUM FULL pg_statistic, and the write-ahead log (ORG.md)"]
    base.execute("RESET ROLE")
    base.execute("VACUUM FULL pg_statistic")
    base.execute("ALTER SYSTEM SET wal_recycle = off")
    base.execute("SELECT pg_reload_conf()")
    try:
        for _ in range(2):
            base.execute("SELECT pg_switch_wal()")
            base.execute("CHECKPOINT")
        asked = (
            "SELECT count(*) FROM pg_ls_waldir() WHERE name > pg_walfile_name(pg_current_wal_lsn())"
        )
        row = base.execute(asked).fetchone()
        for _ in range(min(int(row[0]) if row else 0, _SEGMENTS)):
            base.execute("CREATE TEMP TABLE IF NOT EXISTS moved()")
            base.execute("DROP TABLE moved")  # an empty segment is not switched
            base.execute("SELECT pg_switch_wal()")
        base.execute("CHECKPOINT")
    finally:
        base.execute("ALTER SYSTEM RESET wal_recycle")
        base.execute("SELECT pg_reload_conf()")
    return ["statistics and the write-ahead log were written anew"]
