"""Read the requests of other projects that a sync brought; tell which are answered (FORMAT.md, Y10)."""

from __future__ import annotations

import os

from ledger.codec.letter import Letter, decode
from ledger.model.layout import INBOX_DIR
from projection.policy.model import TASK_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from projection.fold.fact_history import Fact

#: Begins the footer `source` of a task that came of a request: `request FROM HASH`.
REQUEST = "request"


def letters(home: Home, part: str = "requests") -> dict[str, Letter]:
    """Return the letters of a folder, by their names; what was refused is none."""
    folder, found = f"{home.repository.commondir}/{INBOX_DIR}/{part}", dict[str, Letter]()
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        try:
            with open(f"{folder}/{name}", "rb") as file:
                found[name.removesuffix(".md")] = decode(file.read())
        except (OSError, ValueError):
            continue
    return found


def waiting(home: Home, cache: Cache) -> tuple[Letter, ...]:
    """Return the requests that nobody has answered, oldest first; none where the policy wants none."""
    found = letters(home).values() if cache.policy.inbox.accept else ()
    known = taken_up(cache) if found else {}
    return tuple(sorted([one for one in found if one.hash not in known], key=lambda one: one.day))


def taken_up(cache: Cache) -> dict[str, Fact]:
    """Return the tasks that came of requests, accepted or declined, by the hash of each."""
    found = {}
    for fact in cache.facts_of_kind(TASK_KIND):
        said = dict(fact.meta).get("source", "").split()
        if said[:1] == [REQUEST] and not fact.invalidated_at:
            found[said[-1]] = fact
    return found
