"""Tell in a line each what the last sessions came to, from their logs, without what is withheld."""

from __future__ import annotations

from collections.abc import Container

from ledger.environment import now_ms
from ledger.home import Home
from ledger.model.order import day_seen, is_sealed
from ledger.model.session import LOG_LIMIT_BYTES, Entry
from memory.cache.cache_file import Cache
from memory.replay.log_bytes import read_bytes
from memory.replay.outdated_lines import Outdated, brought_by
from projection.brief.values import Session
from projection.text.clipping import one_line
from projection.text.session_lines import in_short

#: How many sessions are told, and among how many of the newest logs they are looked for.
_COUNT, _LOOKED = 5, 40
#: The most that a session takes.
_CHARS = 100
#: Which part of the words of one of two texts stands in the other where that repeats it.
_REPEATS = 0.8


def last_sessions(home: Home, cache: Cache) -> tuple[Session, ...]:
    """Return the last work sessions, newest first, each by its newest log whose words are shown."""
    withheld: Container[str] = ()
    if cache.redacted:
        from memory.redaction.withheld_texts import redacted_logs

        withheld = redacted_logs(cache)
    refs = list(cache.known(_newest_of_each(cache, withheld)).values())
    found: list[Session] = []
    outdated = Outdated(cache)
    for ref, data in read_bytes(home, refs):
        entry = cache.entry(ref.key)
        if entry is not None and len(data) <= LOG_LIMIT_BYTES:
            text = _text(home, cache, data, entry)
            title, first = in_short(text) if is_sealed(ref.stem) else (_title_by_hand(text), "")
            if not first and _is_a_fact(title, text):
                continue  # the brief has the fact itself
            brought = [*brought_by(entry.acts), *entry.named]
            told = [one for one in _each_once(title.rstrip("."), first) if one]
            said = [outdated.line(ref.key, one, brought) for one in told]
            line = one_line(". ".join(said), _CHARS)
            day = day_seen(entry.clock, now_ms())
            found.append(Session(ref.stem, entry.agent, line, day))
    found.sort(key=lambda one: one.stem, reverse=True)
    return tuple([one for one in found if one.said])


def _each_once(title: str, first: str) -> tuple[str, str]:
    """Leave out what the other one says as well: a title may be the beginning of a report."""
    words, others = _words(title), _words(first)
    if sum([word in others for word in words]) >= _REPEATS * len(words):
        return "", first
    return title, "" if sum([word in words for word in others]) >= _REPEATS * len(others) else first


def _words(text: str) -> list[str]:
    return "".join([char if char.isalnum() else " " for char in text.casefold()]).split()


def _title_by_hand(text: str) -> str:
    """Return what a log is called that was written by hand (FORMAT.md, S15)."""
    from ledger.codec.log import decode

    return decode(text.encode("utf-8", "surrogatepass"), sealed=False)[0].title


def _is_a_fact(title: str, text: str) -> bool:
    """Tell whether a log is called after a fact that it brings."""
    fact = title.partition(" (and ")[0]
    return any(line.startswith("- ") and line.endswith(fact) for line in text.split("\n"))


def _text(home: Home, cache: Cache, data: bytes, entry: Entry) -> str:
    """Return the text of a log, without what of it is withheld."""
    text = data.decode("utf-8", "replace")
    if cache.redacted:
        from memory.redaction.withheld_texts import named_in, shown

        text = shown(home, cache, text, named_in(entry))
    return text


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
