"""Choose the sessions that of a clone that are to be told, of now and of before hooks were there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from glob import escape, iglob
from stat import S_ISREG

from ledger.environment import machine_ms, now_ms
from ledger.errors import Busy, NotFound
from ledger.model.ids import sha256
from ledger.model.session import OBSERVED
from ledger.wal.kept_asks import drop_asks
from memory import Memory, reach_name
from rituals.hosts.adapters import HOSTS, Kept
from rituals.hosts.capture import session_marks
from rituals.hosts.capture.log_composition import header_value
from rituals.hosts.capture.session_boundary import Asked, Outcome, boundary
from rituals.hosts.observation_spool import spool_of
from rituals.hosts.session_files import read_object, read_start

#: How long a spool is kept behind the last sign of its session, and how long the stamps of that.
SPOOL_MS, STAMPS_MS = 24 * 3_600_000, 30 * 24 * 3_600_000


def capture(memory: Memory, asked: Asked, environment: Mapping[str, str]) -> Iterator[Outcome]:
    """Tell one session, or without one all that were seen behind where they were told last.

    Without a session those of all hosts are told, or of the host that is named.

    Raises:
        NotFound: no hook saw the session, so that nobody knows of which host it is.
        StorageFailed: the disk refused; what was not told is told the next time.
    """
    commondir = memory.home.repository.commondir
    if asked.session and asked.host:
        chosen = [session_marks.seen_of(commondir, asked.host, asked.session)]
    else:
        chosen = [
            one
            for one in session_marks.sessions(commondir)
            if asked.session in (one.session, "") and asked.host in (one.host, "")
            if asked.session or _is_behind(commondir, one)
        ]
        if asked.session and not chosen:
            raise NotFound(
                f"no hook saw a session {asked.session}",
                hint="say which host's it is, and where its transcript is: --host, --transcript",
            )
    for one in chosen:
        yield boundary(memory, asked._replace(host=one.host, session=one.session), environment)
    if not asked.dry_run:
        tidy(memory)


def catch_up(memory: Memory, asked: Asked, environment: Mapping[str, str]) -> Iterator[Outcome]:
    """Tell the sessions that are over, or rest; never one that was just seen, as the one that asks."""
    for one in session_marks.unfinished(memory.home.repository.commondir):
        with suppress(Busy):  # another child is at it
            yield boundary(memory, Asked(one.host, one.session, why=asked.why), environment)
    tidy(memory)


def tidy(memory: Memory) -> None:
    """Remove the spools that the ledger has everything of, and in the end their stamps."""
    commondir = memory.home.repository.commondir
    drop_asks(commondir, lambda _: False)  # what is too old goes
    for one in session_marks.sessions(commondir):
        if one.at < now_ms() - SPOOL_MS and not _is_behind(commondir, one):
            spool = spool_of(commondir, one.host, one.session)
            held, session = spool.read(), header_value("session", one.session)
            row = reach_name(one.host, session, OBSERVED, str(held.began))
            told = memory.snapshot.tip.ask(lambda cache, row=row: cache.reached(row))  # type: ignore[misc]
            if told >= len(held.lines):
                spool.remove(held)
            if one.at < now_ms() - STAMPS_MS and not os.path.exists(spool.path):
                session_marks.forget(commondir, one.host, one.session)


def _is_behind(commondir: str, one: session_marks.Seen) -> bool:
    return session_marks.told_of(commondir, one.host, one.session).at < one.at


#: How much of a transcript is read to learn whose it is.
_HEAD_BYTES = 256 << 10


def past_sessions(
    folder: str, user: str, environment: Mapping[str, str]
) -> list[session_marks.Seen]:
    """Return the sessions that worked in a folder or below it, the oldest first; none that is alive."""
    top, latest = os.path.realpath(folder), machine_ms() - session_marks.QUIET_MS
    found: list[session_marks.Seen] = []
    for name, host in HOSTS.items():
        if (place := host.kept) is None:
            continue
        base = environment.get(place.variable, "") or f"{user}/{place.folder}"
        pattern = place.files.format(name=re.sub(r"[^A-Za-z0-9]", "-", top))
        for path in iglob(f"{escape(base)}/{pattern}", recursive=True):
            about = os.lstat(path)
            at = about.st_mtime_ns // 1_000_000
            if S_ISREG(about.st_mode) and at < latest and (said := _session(path, place, top)):
                found.append(session_marks.Seen(name, said, top, path, at))
    return sorted(found, key=lambda one: (one.at, one.host, one.session))


def _session(path: str, place: Kept, top: str) -> str:
    """Return the id of the session whose transcript it is; "" where it worked elsewhere, or has a task."""
    for line in read_start(path, _HEAD_BYTES).split(b"\n"):
        said = read_object(line) or {}
        session = _at(said, place.session) or os.path.basename(path).removesuffix(".jsonl")
        worked, source = _at(said, place.worked), _at(said, ("payload", "source"))
        if said.get("isSidechain") or isinstance(source, dict):
            return ""
        if isinstance(session, str) and isinstance(worked, str):
            real = os.path.realpath(worked) if os.path.isabs(worked) else ""
            here = worked == sha256(top.encode()).hexdigest() or f"{real}/".startswith(f"{top}/")
            return session if here else ""
    return ""


def _at(said: object, keys: tuple[str, ...]) -> object:
    """Return what stands behind some keys; None for nothing, and without keys."""
    for key in keys:
        said = said.get(key) if isinstance(said, dict) else None
    return said if keys else None
