"""List the names in a cache as it lies there: ids, kinds, agents and stems, for completing what is typed.

Nothing is brought up to date and nothing is written: names of a moment ago are good enough, and whatever
is odd about the file means that there are none.
"""

from __future__ import annotations

from contextlib import closing

from ledger.home import Home
from ledger.model.layout import CACHE_VERSION
from ledger.model.logset import LogRef
from ledger.model.order import is_stem, stem_in
from memory.cache.cache_file import Cache, policy_and_problem
from memory.cache.newest_logs import agent_name
from memory.cache.schema import PENDING, PINNED
from memory.cache.sqlite import CacheDamaged, sqlite3, unpack
from memory.cache.stamp import Stamp
from projection.policy.model import CLOSABLE

IDS, THREADS, KINDS, AGENTS, ENTITIES, STEMS = "id", "thread", "kind", "agent", "entity", "stem"
#: At most so many: nobody reads more, and a shell becomes slow.
_MOST = 200
#: Sorts behind every character of a name.
_END = "\U0010ffff"
_QUERIES = {
    IDS: "SELECT id, kind FROM facts WHERE id >= :begin AND id < :end AND state != :pending ORDER BY id",
    THREADS: "SELECT id, kind FROM facts WHERE id >= :begin AND id < :end AND state = :pinned "  # noqa: S608 - our own words
    f"AND kind IN ({', '.join(map(repr, sorted(CLOSABLE)))}) ORDER BY id",
    AGENTS: "SELECT name, '' FROM newest WHERE name >= :begin AND name < :end ORDER BY name",
    ENTITIES: "SELECT DISTINCT about, '' FROM facts WHERE about > '' AND about >= :begin AND about < :end",
    STEMS: "SELECT stem, '' FROM logs WHERE stem >= :begin AND stem < :end ORDER BY stem DESC",
}


def names(home: Home, what: str, begin: str) -> list[tuple[str, str]]:
    """Return names of a sort that begin so, each with its kind or ""."""
    path = home.cache_file + ".sqlite"
    if not Stamp(path).holds():
        return []
    base = None
    try:
        base = sqlite3.connect(f"file:{_escaped(path)}?mode=ro", uri=True, timeout=0.2)
        meta = dict(base.execute("SELECT key, value FROM meta WHERE key IN ('version', 'policy')"))
        if unpack(meta["version"], int) != CACHE_VERSION:
            return []
        if what == KINDS:
            policy, _ = unpack(meta["policy"], policy_and_problem)
            return [(kind.name, "") for kind in policy.kinds if kind.name.startswith(begin)]
        start = agent_name(begin) if what == AGENTS else begin
        given = {"begin": start, "end": start + _END, "pending": PENDING, "pinned": PINNED}
        rows = base.execute(_QUERIES[what], given).fetchmany(_MOST)
    except (sqlite3.Error, CacheDamaged, KeyError):
        return []
    finally:
        if base is not None:
            base.close()
    if what == STEMS:
        return [(stem_in(key), "") for key, _ in rows if is_stem(stem_in(key))]
    if what == AGENTS:
        return [(name.removeprefix(agent_name("")), "") for name, _ in rows]
    return [(str(name), str(kind)) for name, kind in rows]


def last_logs(home: Home) -> list[LogRef]:
    """Return the logs that a cache knew of when it was followed last; none where it can not be used."""
    try:
        with closing(Cache.open(home.cache_file + ".sqlite")) as cache:
            return cache.log_refs()
    except CacheDamaged:
        return []


def _escaped(path: str) -> str:
    """Write a path for a URI: what stands for something there is escaped."""
    return "".join([f"%{ord(char):02X}" if char in "%?#" else char for char in path])
