"""Tell in short what the last sessions did, from the bytes of their logs, without what is withheld."""

from __future__ import annotations

from memory.brief.digest import readable
from memory.recall.hits.outdated import Outdated, brought_by
from memory.redaction.withheld import named_in, redacted_logs, shown
from memory.replay.log_bytes import read_bytes
from projection.brief.values import Session
from projection.text.digest import lead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from ledger.home import Home
    from memory.cache.file import Cache

#: How many sessions are told, and among how many of the newest logs they are looked for.
_COUNT, _LOOKED = 3, 40


def last_sessions(home: Home, cache: Cache) -> tuple[Session, ...]:
    """Return the last work sessions, newest first, each by its newest log whose words are shown."""
    stems = _newest_of_each(cache, redacted_logs(cache))
    refs = list(cache.known(stems).values())
    found: list[Session] = []
    outdated = Outdated(cache)
    for ref, data in read_bytes(home, refs):
        entry = cache.entry(ref.key)
        if entry is not None:
            first = lead(shown(home, cache, readable(data), named_in(entry)))
            said = dict.fromkeys(one.rstrip(".") for one in (first.title, first.summary) if one)
            brought = [*brought_by(entry.acts), *entry.named]
            parts = [outdated.line(ref.key, one, brought) for one in said]
            found.append(Session(ref.stem, entry.agent, ". ".join(parts)))
    found.sort(key=lambda one: one.stem, reverse=True)
    return tuple([one for one in found if one.said])


def _newest_of_each(cache: Cache, withheld: Container[str]) -> list[str]:
    """Return the newest log of each of the last work sessions: what continues one tells how it went on."""
    found: list[str] = []
    continued: set[tuple[str, str]] = set()
    for entry in cache.newest_entries("", _LOOKED):
        session = entry.agent, entry.session
        if not entry.uses or entry.stem in withheld or len(found) == _COUNT:
            continue
        if session not in continued:
            found.append(entry.stem)
        if entry.work:
            continued.discard(session)
        else:
            continued.add(session)
    return found
