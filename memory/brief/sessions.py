"""Tell in short what the last sessions did, from the bytes of their logs, without what is withheld."""

from __future__ import annotations

from memory.brief.digest import readable
from memory.redaction.withheld import named_in, redacted_logs, shown
from memory.replay.log_bytes import read_bytes
from projection.brief.sections import Session
from projection.text.digest import lead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory.cache.file import Cache

#: How many sessions are told.
_COUNT = 3


def last_sessions(home: Home, cache: Cache) -> tuple[Session, ...]:
    """Return the last work sessions, newest first, but for those whose words are withheld."""
    withheld = redacted_logs(cache)
    stems = [stem for stem in cache.work_stems(_COUNT) if stem not in withheld]
    refs = list(cache.known(stems).values())
    found: list[Session] = []
    for ref, data in read_bytes(home, refs):
        entry = cache.entry(ref.key)
        if entry is not None:
            first = lead(shown(home, cache, readable(data), named_in(entry)))
            parts = dict.fromkeys(one.rstrip(".") for one in (first.title, first.summary) if one)
            found.append(Session(ref.stem, entry.agent, ". ".join(parts)))
    found.sort(key=lambda one: one.stem, reverse=True)
    return tuple([one for one in found if one.said])
