"""Remember which facts a host session opened by their ids: its next log says that it used them.

A small file for each session, beside what it was told (`diurna/news/`): a line each time, with when. A log
names what was opened only where no log of the session names it (FORMAT.md, W13).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ledger.home import Home
from ledger.model.event import FactReferenced, facts_in
from ledger.model.evidence import OPENED
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id, sha256
from ledger.model.layout import STATE_DIR
from ledger.model.session import WORKING, SessionLog
from memory.cache.cache_file import Cache
from memory.write.draft import Case

#: At most so many uses come of a log; who opens, names or restates more facts at once lists them.
MOST_USES, AT_ONCE = 20, 5
_FILE_BYTES, _AT_DIGITS = 64 << 10, 15


def note_opened(home: Home, session: str, ids: Iterable[str], at: int) -> None:
    """Note that a session opened facts; where it can not be noted it is not, and nobody hears of it.

    `ids` are all that were asked for at once; `at` is in milliseconds since 1970.
    """
    named = [one for one in dict.fromkeys(ids) if is_fact_id(one)]
    if not (named and home.repository.top) or len(named) > AT_ONCE:
        return
    path = _path(home.repository.commondir, session)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        with open(os.open(path, flags, 0o600), "ab") as file:
            if file.tell() < _FILE_BYTES:
                file.write(f"{at} {' '.join(named)}\n".encode())
    except OSError:
        pass


def opened_by(commondir: str, session: str) -> list[tuple[int, str]]:
    """Return what a session opened, oldest first, with when.

    `session` is of the host, "" for none.
    """
    if not session:
        return []
    try:
        with open(
            os.open(_path(commondir, session), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb"
        ) as file:
            lines = file.read(_FILE_BYTES).decode("ascii", "replace").split("\n")
    except OSError:
        return []
    found = [line.split(" ") for line in lines]
    return [
        (int(at), id)
        for at, *ids in found
        if at.isdecimal() and len(at) <= _AT_DIGITS
        for id in ids
        if is_fact_id(id)
    ]


def used_in(cache: Cache, session: str) -> frozenset[str]:
    """Return the ids of the facts that the logs of a host session used (F4)."""
    return frozenset(
        id
        for _, entry in cache.entries_naming(session)
        if entry.session == session
        for id in entry.named
    )


def with_opened(log: SessionLog, case: Case) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Let a log name the facts that its session opened and that none of its logs names.

    What the draft does to a fact itself stands.
    """
    if case.asked.draft.type not in WORKING or not case.opened:
        return log, ()
    cache = case.cache
    done = {id for event in log.events for id in facts_in(event)} | used_in(
        cache, case.asked.session
    )
    new = [id for id in dict.fromkeys(id for _, id in case.opened) if id not in done]
    facts = [fact for id in new if (fact := cache.fact(id)) and not (fact.false or fact.redacted)]
    more = [FactReferenced(fact.id, OPENED) for fact in facts[:MOST_USES]]
    return (log._replace(events=(*log.events, *more)) if more else log), ()


def _path(commondir: str, session: str) -> str:
    name = sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{commondir}/{STATE_DIR}/news/{name}.opened"
