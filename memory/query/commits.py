"""Find the commits of facts: those that their texts name, and at which work on them was recorded."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.codec.log import decode
from ledger.home import Home
from ledger.model.order import is_sealed
from ledger.model.session import WORKING
from memory.cache.cache_file import Cache
from memory.replay.log_bytes import read_bytes
from projection.text.named_commits import commits_in

#: The header key of the commit that a log was written at.
COMMIT_KEY = "commit"


def commits_of(cache: Cache, home: Home, facts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the commits of facts by id, those of texts first; a beginning counts as the whole."""
    histories = cache.some_histories(facts)
    stems = sorted({act.stem for history in histories.values() for act in history.acts})
    refs = [cache.log_ref(stem) for stem in stems]
    headers = {
        ref.key: log.get(COMMIT_KEY)
        for ref, data in read_bytes(home, [ref for ref in refs if ref is not None])
        if (log := decode(data, sealed=is_sealed(ref.stem), file=ref.path)[0]).type in WORKING
    }
    found: dict[str, tuple[str, ...]] = {}
    for id, history in histories.items():
        fact = cache.fact(id)
        if fact is None:
            continue
        texts = [] if fact.redacted else [head.text for head in fact.heads]
        named = [commit for text in texts for commit in commits_in(text)]
        named += [commit for act in history.acts if (commit := headers.get(act.stem))]
        found[id] = _once(named)
    return found


def _once(named: list[str]) -> tuple[str, ...]:
    """Return commits, each once, by the longest of its names."""
    found: list[str] = []
    for commit in dict.fromkeys(named):
        alike = [
            n for n, one in enumerate(found) if one.startswith(commit) or commit.startswith(one)
        ]
        if alike:
            found[alike[0]] = max(found[alike[0]], commit, key=len)
        else:
            found.append(commit)
    return tuple(found)
