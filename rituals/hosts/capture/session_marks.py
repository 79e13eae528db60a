"""Stamp when a host's session was seen, and up to where it was told, beside its spool.

A hook writes the stamp `seen`: where the session works and where its transcript is, for whoever comes when
the host is gone. Whoever folds the session writes `told`, after the log is durable: it may lag behind the
ledger, and never runs ahead of it. Both are disposable: without them a session is told once more from
what the ledger knows. Standard library only: hooks read them.
"""

from __future__ import annotations

import os

from ledger.environment import machine_ms
from ledger.model.layout import CAPTURED_DIR, SILENCES_FILE
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.atomic_files import try_unlink
from rituals.hosts.adapters import HOSTS
from rituals.hosts.host_events import Moment, captured_file, file_name
from rituals.hosts.observation_spool import OBSERVED_DIR, spools
from rituals.hosts.processes import here, is_gone
from rituals.hosts.session_files import (
    ENDED,
    SEEN,
    faults,
    fields_of,
    files_in,
    note_fault,
    open_file,
    read_record,
    utc,
    write_object,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.home import Home
    from rituals.hosts.silence import Silence


#: A session that left no sign for so long is over, or rests.
QUIET_MS = 600_000
#: How far clocks may be apart.
_CLOCK_MS = 60_000
_TOLD = ".told"


class Seen(Record):
    """What a hook knows of a session."""

    host: str  #: key of `HOSTS`
    session: str  #: the host's id
    folder: str  #: where it works
    transcript: str  #: path, "" for none
    at: int = 0  #: when it was seen last, milliseconds since 1970
    process: str = ""  #: of the host (`rituals.hosts.processes`)


_NOBODY = Seen("", "", "", "")


class Told(Record):
    """Up to where a session is told."""

    at: int  #: when that was found, milliseconds since 1970; 0 for never
    #: up to where, by kind and name of what it is a span of (`ledger.model.session`)
    ends: Mapping[str, int]
    shown: int  #: how many facts its logs say that it was shown
    moments: int  #: how many they say that it was told when they were needed
    characters: int  #: how many they say that it was shown
    needed: int  #: and told


def note_end(commondir: str, moment: Moment) -> None:
    """Mark that a session is over, in a file that is there at once; one that goes on has it no more."""
    path = captured_file(commondir, moment.host, moment.session, ENDED)
    try:
        os.close(open_file(path, os.O_WRONLY | os.O_CREAT))
    except OSError:
        pass  # a disk that refuses: it rests for a while, and is over then


def stamp(commondir: str, moment: Moment) -> None:
    """Stamp that a session was seen; a disk that refuses is no reason to fail.

    A subagent's transcript is its own.
    """
    if not moment.session:
        return
    key = moment.host, moment.session
    own = ("" if moment.agent else moment.transcript) or seen_of(commondir, *key).transcript
    try:
        write_record(
            captured_file(commondir, *key, SEEN), Seen(*key, moment.folder, own, 0, here())
        )
        if moment.event == "start":
            os.unlink(captured_file(commondir, *key, ENDED))
    except OSError:
        pass


def is_due(commondir: str, moment: Moment) -> bool:
    """Tell whether an event is a boundary of its session; a start is one of those that others left."""
    if moment.event == "start":
        return bool(_unfinished(commondir))
    return moment.event in ("precompact", "end", "subagent_stop")


def unfinished(commondir: str) -> list[Seen]:
    """Return the sessions that are over, or rest, and were seen behind where they were told last."""
    names = _unfinished(commondir)
    return [one for one in sessions(commondir) if file_name(one.host, one.session) in names]


def _unfinished(commondir: str) -> set[str]:
    """Return what their files are called; an agent waits for it, so no more is read than has to be."""
    seen, told, ended = dict[str, int](), dict[str, int](), set[str]()
    for folder, signs in ((OBSERVED_DIR, ("jsonl",)), (CAPTURED_DIR, ("seen", "ended"))):
        for name, _, written in files_in(f"{commondir}/{folder}"):
            stem, _, end = name.rpartition(".")
            if end in signs:
                seen[stem] = max(written // 1_000_000, seen.get(stem, 0))
                ended |= {stem} if end == "ended" else set()
            elif end == "told":
                told[stem] = _past(written // 1_000_000)
    left, quiet = {one for one in seen if told.get(one, 0) < seen[one]}, machine_ms() - QUIET_MS
    over = {one for one in left if one in ended or seen[one] < quiet}  # said so, or it rests
    files = {one: f"{commondir}/{CAPTURED_DIR}/{one}{SEEN}" for one in left - over}
    process = {one: read_record(file, _NOBODY).process for one, file in files.items()}
    gone = {*filter(is_gone, {*process.values()})}  # killed, or its host tells no end
    return over | {one for one, where in process.items() if where in gone}


def sessions(commondir: str) -> list[Seen]:
    """Return the sessions that left something in a clone, each with its last sign, newest first."""
    found: dict[tuple[str, str], Seen] = {}
    folder = f"{commondir}/{CAPTURED_DIR}"
    for name, _, written in files_in(folder, SEEN):
        one = read_record(f"{folder}/{name}", _NOBODY)
        found[one.host, one.session] = one._replace(at=written // 1_000_000)
    for spool in spools(commondir):
        known = found.get((spool.host, spool.session), Seen(spool.host, spool.session, "", ""))
        at = max(known.at, spool.changed_ms)
        found[spool.host, spool.session] = known._replace(at=at)
    left = [one for one in found.values() if one.host in HOSTS and one.session]
    return sorted(left, key=lambda one: (-one.at, one.host, one.session))


def seen_of(commondir: str, host: str, session: str) -> Seen:
    """Return what a hook knew of a session; nothing but its name where no hook saw it."""
    return read_record(captured_file(commondir, host, session, SEEN), Seen(host, session, "", ""))


def told_of(commondir: str, host: str, session: str) -> Told:
    """Return up to where a session was told, as it was noted."""
    told = read_record(captured_file(commondir, host, session, _TOLD), Told(0, {}, 0, 0, 0, 0))
    return told._replace(at=_past(told.at))


def note_told(commondir: str, host: str, session: str, told: Told) -> None:
    """Note up to where a session is told.

    Raises:
        OSError: the disk refused.
    """
    write_record(captured_file(commondir, host, session, _TOLD), told, told.at)


#: What a fault of a capture begins with, among those of hooks.
_FAULT = "the session "


def note_failure(commondir: str, host: str, session: str, why: str) -> None:
    """Note that a session could not be told, or that no model read it, and why."""
    note_fault(commondir, f"{_FAULT}{session} of {host} could not be recorded: {why}")


def last_failure(commondir: str) -> str:
    """Return what was noted last of a session, where none was told since; "" for nothing."""
    told = max([at for _, _, at in files_in(f"{commondir}/{CAPTURED_DIR}", _TOLD)], default=0)
    since = utc(told // 1_000_000_000)
    noted = [one.said for one in faults(commondir) if one.at >= since]
    return next((one for one in reversed(noted) if one.startswith(_FAULT)), "")


def forget(commondir: str, host: str, session: str) -> None:
    """Take away the stamps of a session of which nothing is left to tell."""
    for end in (SEEN, ENDED, _TOLD, ".asked"):
        try_unlink(captured_file(commondir, host, session, end))


def _past(at: int) -> int:
    """Return a moment, 0 for one that a clock which went wrong put into the future."""
    return at if at <= machine_ms() + _CLOCK_MS else 0


ON, OFF = "on", "off"
#: So long before a transcript has a prompt its hook may have seen it.
_SLACK_MS = 2_000
#: So many silences are remembered, the newest, and a lock is waited for so long.
_KEPT, _PATIENCE_SECONDS = 1_000, 5.0


def hush(home: Home, switch: str, environment: Mapping[str, str], now: int) -> list[Silence]:
    """Begin or end a silence (`ON`, `OFF`, "" to look); return those of the work tree that last.

    Hosts name the session in `environment`; `now` is in milliseconds since 1970.

    Raises:
        StorageFailed: the disk refused.
    """
    from ledger.wal.atomic_files import Lock, make_folder, replace_file
    from ledger.wal.kept_asks import drop_asks
    from memory import HOST_VARIABLES, drop_briefs
    from rituals.hosts.silence import Silence, lasting, place_of, silences

    if not switch:
        return lasting(home)
    commondir, top = home.repository.commondir, os.path.realpath(place_of(home))
    session = next((environment[one] for one in HOST_VARIABLES if environment.get(one)), "")
    begun = Silence(top, session, _asked_at(commondir, session, now) if switch == ON else 0)
    if switch == ON:
        drop_briefs(home)
    path = f"{commondir}/{SILENCES_FILE}"
    make_folder(os.path.dirname(path))
    with Lock(f"{path}.lock", _PATIENCE_SECONDS):
        known = list(silences(commondir))
        if switch == ON and not any(not one.until and one[:2] == begun[:2] for one in known):
            known.append(begun)
        for place, one in enumerate(known):
            meant = one.top == top or (session and one.session == session)
            if switch == OFF and meant and not one.until:
                known[place] = one._replace(until=now)
        rows = [fields_of(one) for one in known[-_KEPT:]]
        replace_file(path, write_object({"silences": rows}).encode(), 0o600, durable=True)
    if switch == ON:
        begun = begun._replace(since=0)
        drop_asks(commondir, lambda one: begun.holds(one.session, one.folder, one.at))
    return lasting(home)


def _asked_at(commondir: str, session: str, now: int) -> int:
    """Return when the request was made in which a session asks for silence: it says what is private."""
    from rituals.hosts.transcripts.slices import newest_turns

    for one in sessions(commondir) if session else ():
        if one.session == session and one.transcript:
            turns = newest_turns(one.host, one.transcript)
            asked = [turn.when for turn in turns if turn.role == "user"]
            return min(now, (asked[-1] or now) - _SLACK_MS) if asked else now
    return now
