"""Ask an agent, when it stops, what the next session must know: at most so often as the policy says.

What it reports is counted as it is said, in one small file a session. The file says that a session was
asked before the agent hears it, so whoever is killed in between is not asked twice. A note or an append of
the session is an answer, asked for or not. Standard library only: hooks read this.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from zlib import crc32

from ledger.environment import now_ms
from ledger.model.record import Record
from rituals.hosts.adapters import HOSTS
from rituals.hosts.moments import REQUEST, Moment, captured_file
from rituals.hosts.payloads import (
    fields_of,
    open_file,
    read_object,
    read_start,
    record_of,
    write_object,
)

#: How many characters of reports make a session worth the first question, each further one, and one before
#: what was said is out of sight.
FIRST, LATER, LEAST = 1_500, 2_000, 800
#: So many times in a row `nothing` ends it.
_NOTHINGS = 2
END = ".asked"
#: Two hooks of one stop are no further apart, and of a report so many last lines may ask the person.
_ONCE_MS, _LAST_LINES = 2_000, 6
#: How much of a transcript's end holds its last report, and of its beginning what began it.
_TAIL_BYTES, _HEAD_BYTES = 64 << 10, 4_096
#: What all numbers of a talk take at most.
_FILE_BYTES = 256
#: How programs are told to answer one prompt and end.
_ALONE = frozenset(
    ("-p", "--prompt", "--print", "exec", "--acp", "--experimental-acp", "--non-interactive")
)


class Talk(Record):
    """What was asked and answered in a session."""

    asked: int = 0  #: how often
    answered: int = 0  #: how often it answered that
    chars: int = 0  #: of its reports since the last of both
    wait: int = FIRST  #: so many of them, and it is asked
    nothings: int = 0  #: how many answers in a row said that there is nothing
    due: int = 0  #: it was asked, and has not answered
    last: int = 0  #: a sum of its last report
    at: int = 0  #: when that was, milliseconds since 1970

    def stopped(self, report: str, now: int, limit: int, *, final: bool) -> tuple[Talk, bool]:
        """Count a report; return what is known then, and whether to ask.

        Args:
            report: the last thing that the agent said.
            now: milliseconds since 1970.
            limit: how often a session may be asked.
            final: the agent stops by itself, and could act.
        """
        sum_ = crc32(report.encode("utf-8", "replace"))
        if sum_ == self.last and now - self.at < _ONCE_MS:
            return self, False
        talk = self._replace(chars=self.chars + len(report), last=sum_, at=now)
        if not (final and talk.may(limit) and talk.chars >= talk.wait) or asks_person(report):
            return talk, False
        return talk.asked_now(), True

    def may(self, limit: int) -> bool:
        """Tell whether the session may be asked at all."""
        return self.asked < limit and self.nothings < _NOTHINGS

    def asked_now(self) -> Talk:
        """Return what is known once it is asked."""
        return self._replace(asked=self.asked + 1, chars=0, wait=LATER << self.nothings, due=1)

    def told(self, *, nothing: bool) -> Talk:
        """Return what is known once it recorded something, or said that there is nothing."""
        nothings = self.nothings + (1 if self.due else 0) if nothing else 0
        wait = LATER << nothings if self.asked else FIRST
        answered = self.answered + self.due
        return self._replace(answered=answered, chars=0, wait=wait, nothings=nothings, due=0)


def request(said: Moment, commondir: str, environment: Mapping[str, str], limit: int) -> str:
    """Count what an agent reports at a stop; return the question where it is to be asked, else "".

    A session is asked `limit` times at most, by the policy.
    """
    if limit <= 0 or not said.session or said.agent or not HOSTS[said.host].asks:
        return ""
    report = said.message or _last_report(said)
    asks = False

    def count(talk: Talk) -> Talk:
        nonlocal asks
        talk, asks = talk.stopped(report, now_ms(), limit, final=said.final)
        if asks and not is_attended(said, environment):
            asks = False
            return talk._replace(asked=talk.asked - 1, nothings=_NOTHINGS, due=0)
        return talk

    if report and not _change(
        captured_file(commondir, said.host, said.session, END), count, new=True
    ):
        return ""
    return REQUEST if asks else ""


def note_answer(commondir: str, session: str, *, nothing: bool = False) -> None:
    """Note that a session ("" for none) recorded something, or said that there is nothing (`nothing`)."""
    for host in HOSTS if session else ():
        _change(
            captured_file(commondir, host, session, END), lambda talk: talk.told(nothing=nothing)
        )


def before_leaving(commondir: str, session: str, limit: int) -> str:
    """Return the question for a session that hands over or was compacted with much unsaid, else ""."""
    asks = False

    def ask(talk: Talk) -> Talk:
        nonlocal asks
        asks = talk.may(limit) and talk.chars >= LEAST
        return talk.asked_now() if asks else talk

    told = any(
        _change(captured_file(commondir, host, session, END), ask) and asks for host in HOSTS
    )
    return REQUEST if told else ""


def when_compacted(said: Moment, commondir: str, environment: Mapping[str, str]) -> str:
    """Return the question for a session whose words were compacted, at the start that follows, else ""."""
    from rituals.hosts.observed.admission import observing
    from rituals.hosts.silence import is_silent

    known = observing(commondir)
    mute = known.off or not HOSTS[said.host].asks or not is_attended(said, environment)
    if mute or is_silent(commondir, said.session, said.folder):
        return ""
    return before_leaving(commondir, said.session, known.ask)


def counts(commondir: str, host: str, session: str) -> tuple[int, int]:
    """Return how often a session was asked, and answered."""
    talk = _talk(read_start(captured_file(commondir, host, session, END), _HEAD_BYTES))
    return talk.asked, talk.answered


def asks_person(report: str) -> bool:
    """Tell whether a report ends in a question to the person."""
    lines = [line for line in report[-1_000:].split("\n") if line.strip()][-_LAST_LINES:]
    return any(line.rstrip(" \t\r*_`\"')»”").endswith(("?", "\uff1f", "\u061f")) for line in lines)


def is_attended(said: Moment, environment: Mapping[str, str]) -> bool:
    """Tell whether a person looks on at a stop; not where nobody tells."""
    if said.host == "claude":
        begun = environment.get("CLAUDE_CODE_ENTRYPOINT", "")
        attended = environment.get("CLAUDE_CODE_SESSION_ATTENDED") != "0"
        return begun != "" and begun[:3] != "sdk" and attended
    if said.host == "codex":
        head = read_start(said.transcript, _HEAD_BYTES).replace(b'": ', b'":')
        return b'"source":' in head and not any(
            mark in head for mark in (b'"source":"exec"', b'"codex_exec"', b'"source":{"subagent"')
        )
    from rituals.hosts.processes import host_process

    process = host_process()
    place = f"/proc/{process.number}" if process else ""
    try:
        stream = os.readlink(f"{place}/fd/0") if place else ""
    except OSError:
        return False
    words = read_start(f"{place}/cmdline", _HEAD_BYTES).decode("utf-8", "replace") if place else ""
    alone = any(word.partition("=")[0] in _ALONE for word in words.split("\0")[1:])
    return stream.startswith(("/dev/pts/", "/dev/tty")) and not alone


def _last_report(said: Moment) -> str:
    from rituals.hosts.transcripts.slices import newest_turns

    turns = newest_turns(said.host, said.transcript, _TAIL_BYTES)
    return next((one.text for one in reversed(turns) if one.role == "assistant" and one.text), "")


def _talk(data: bytes) -> Talk:
    return record_of(Talk(), read_object(data)) or Talk()


def _change(path: str, change: Callable[[Talk], Talk], *, new: bool = False) -> bool:
    """Change what is known of a session, under its lock; tell whether that could be done."""
    import fcntl

    try:
        file = open_file(path, os.O_RDWR | (os.O_CREAT if new else 0))
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            talk = change(_talk(os.pread(file, _HEAD_BYTES, 0)))
            data = write_object(fields_of(talk)).encode()
            # of one length, so that whoever is killed leaves the old or the new, and nothing beside
            os.pwrite(file, data.ljust(_FILE_BYTES), 0)
        finally:
            os.close(file)
    except OSError:
        return False
    return True
