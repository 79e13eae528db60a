"""List the names in a cache as it lies there: ids, kinds, agents and stems, for completing what is typed.

Nothing is brought up to date and nothing is written: names of a moment ago are good enough, and whatever
is odd about the file means that there are none.
"""

from __future__ import annotations

from contextlib import closing

from ledger.home import Home
from ledger.model.logset import LogRef
from ledger.model.order import is_stem, stem_in
from memory.cache.cache_file import Cache
from memory.cache.name_lookup import END
from memory.cache.newest_logs import agent_name
from memory.cache.schema import PENDING, PINNED
from memory.cache.sqlite import CacheDamaged
from projection.policy.model import CLOSABLE

IDS, THREADS, KINDS, AGENTS, ENTITIES, STEMS = "id", "thread", "kind", "agent", "entity", "stem"
#: At most so many: nobody reads more, and a shell becomes slow.
_MOST = 200
_QUERIES = {
    IDS: f"id, kind FROM facts WHERE id >= ? AND id < ? AND state != {PENDING} ORDER BY id",
    THREADS: f"id, kind FROM facts WHERE id >= ? AND id < ? AND state = {PINNED} "
    f"AND kind IN ({', '.join(map(repr, sorted(CLOSABLE)))}) ORDER BY id",
    AGENTS: "name, '' FROM newest WHERE name >= ? AND name < ? ORDER BY name",
    ENTITIES: "DISTINCT about, '' FROM facts WHERE about >= ? AND about < ? AND about > ''",
    STEMS: "stem, '' FROM logs WHERE stem >= ? AND stem < ? ORDER BY stem DESC",
}


def names(home: Home, what: str, begin: str) -> list[tuple[str, str]]:
    """Return names of a sort that begin so, each with its kind or ""."""
    start = agent_name(begin) if what == AGENTS else begin
    try:
        with closing(Cache.open(home.cache_file + ".sqlite")) as cache:
            if what == KINDS:
                kinds = [kind.name for kind in cache.policy.kinds]
                return [(name, "") for name in kinds if name.startswith(begin)]
            asked = f"SELECT {_QUERIES[what]} LIMIT {_MOST}"
            rows = cache.rows(asked, (start, start + END))
    except CacheDamaged:
        return []
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
