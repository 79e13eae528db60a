"""Rebuild the cache: write a whole file beside the old one, and put it in its place in one step."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Sequence

from ledger.errors import StorageFailed
from ledger.model.finding_codes import Finding
from ledger.model.layout import CACHE_VERSION
from ledger.model.log_names import LogRef
from ledger.model.session import Entry
from ledger.wal.atomic_files import make_folder, try_unlink, unlink
from ledger.wal.git_locks import is_abandoned
from ledger.wal.user_key import user_key
from memory.cache.cache_file import Cache
from memory.cache.database import Database
from memory.cache.log_application import add_logs
from memory.cache.schema import NO_LOGS, TABLES, plain
from memory.cache.stamp import BESIDE, Stamp, sqlite3
from projection.policy.model import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Made = TypeVar("Made", bound=Database)


def build(
    path: str,
    commit: str,
    refs: Sequence[LogRef],
    entries: Sequence[Entry],
    findings: Sequence[Finding],
    policy: tuple[str, Policy, str],
) -> Cache:
    """Write a cache from a cold reading, in place of whatever is there, and open it (`made`).

    Entries come in the order of `refs`, and `findings` are what reading them brought up; `policy` is
    (blob id, policy, problem).
    """

    def fill(base: sqlite3.Connection) -> None:
        base.executescript(TABLES)
        base.execute("BEGIN")
        head = add_logs(base, NO_LOGS, refs, entries, findings)
        base.execute("DELETE FROM changed")  # the word index is filled when it is first asked
        values = {
            "version": marshal.dumps(CACHE_VERSION),
            "generation": marshal.dumps(os.urandom(8).hex()),
            "policy": marshal.dumps((policy[0], plain(policy[1]), policy[2])),
            "indexed": marshal.dumps(""),
            "head": head._replace(commit=commit, unclean=False).packed(),
        }
        base.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
        base.execute("COMMIT")

    return made(Cache, path, fill)


def made(kind: type[Made], path: str, fill: Callable[[sqlite3.Connection], None]) -> Made:
    """Write a whole file in place of the one of a name, and open it.

    It is in memory for a `path` of "", where the disk takes none, and where there is no key.
    """
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        if path and user_key():
            folder, name = os.path.split(path)
            make_folder(folder)
            for one in os.listdir(folder):  # what killed processes left of such files
                if one.startswith(f"{name}.") and one.endswith(".tmp"):
                    if is_abandoned(f"{folder}/{one}"):
                        try_unlink(f"{folder}/{one}")
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            base = sqlite3.connect(temporary, isolation_level=None)
            try:
                _in_bulk(base, fill)
            finally:
                base.close()
            take_away(path, instead=temporary)
            return kind.open(path)
    except (sqlite3.Error, OSError, StorageFailed, kind.errors.damage):
        pass
    finally:
        if path:
            try_unlink(temporary)
    with kind.errors:
        base = sqlite3.connect(":memory:", isolation_level=None)
        _in_bulk(base, fill)
        base.execute("PRAGMA journal_mode=MEMORY")  # without one nothing can be taken back
        return kind(base, Stamp(""))


def _in_bulk(base: sqlite3.Connection, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Fill an empty file; nothing can be taken back."""
    base.execute("PRAGMA synchronous=OFF")
    base.execute("PRAGMA journal_mode=OFF")
    fill(base)


def copy(cache: Cache, path: str) -> Cache:
    """Copy a cache into a file of its own, to which other logs are added, and open that (`made`)."""

    def take(base: sqlite3.Connection) -> None:
        with cache:
            cache.base.backup(base)
        other = marshal.dumps(os.urandom(8).hex())
        base.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (other,))

    return made(Cache, path, take)


def take_away(path: str, instead: str = "") -> None:
    """Remove a cache's file while nobody writes it, or put another one in its place, and stamp that.

    Raises:
        sqlite3.OperationalError, OSError: it can not be removed, or somebody is at it.
    """
    with Stamp(path).locked(fresh=True):
        for suffix in BESIDE:
            unlink(path + suffix)
        if instead:
            os.replace(instead, path)
        else:
            unlink(path)
