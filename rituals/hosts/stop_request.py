"""Ask an agent, when it stops, what the next session must know: at most so often as the policy says.

What it reports is counted as it is said, in one small file a session. The file says that a session was
asked before the agent hears it, so whoever is killed in between is not asked twice. A note or an append of
the session is an answer, asked for or not. The last question is kept for what may be the end: a stop
behind a commit, a pull request, or some turns. Standard library only: hooks read this.
"""

from __future__ import annotations

import os
from zlib import crc32

from ledger.environment import TookTooLong, allow, now_ms
from ledger.model.record import TYPE_CHECKING, Record
from rituals.hosts.adapters import HOSTS
from rituals.hosts.host_events import BEGINS, Moment, captured_file
from rituals.hosts.session_files import changed, read_record, read_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory import Cache

#: How many characters of reports make a session worth the first question, each further one, and one where
#: something ended or was taken back, or the session hands over.
FIRST, LATER, LEAST = 1_500, 6_000, 800
#: So many times in a row `nothing` ends it.
_NOTHINGS = 2
#: A stop so long, or the stop so many, behind the last question, or its answer, may be the last one.
_WHILE_MS, _STOPS = 20 * 60_000, 3
END = ".asked"
#: Two hooks of one stop are no further apart, and of a report so many last lines may ask the person.
_ONCE_MS, _LAST_LINES = 2_000, 6
#: How much of a transcript's end holds its last report, and of its beginning what began it.
_TAIL_BYTES, _HEAD_BYTES = 64 << 10, 4_096
#: What ends a piece of work, and what takes one back.
_ENDS, _REVERT = frozenset(("git commit", "gh pr create", "glab mr create")), "git revert"
#: How many open threads are named beside the question, in how many characters each, and how long they are
#: looked for, of the processor and by the clock; and how long what is left may take.
_OPEN, _OPEN_CHARS, _OPEN_SECONDS, _REST_SECONDS = 3, 60, (0.3, 1.0), (0.05, 0.3)
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
    since: int = 0  #: when it was asked last or answered, likewise
    stops: int = 0  #: how often it stopped since then
    ended: int = 0  #: since then something came to an end, as a commit does
    seen: int = 0  #: up to which byte of its spool it was looked for that
    unseen: int = 0  #: it was not asked, since nobody tells whether a person looks on

    def stopped(self, report: str, now: int, limit: int, *, final: bool) -> tuple[Talk, bool]:
        """Count a report; return what is known then, and whether to ask.

        Args:
            report: the last thing that the agent said.
            now: milliseconds since 1970.
            limit: how many questions may stay without an answer.
            final: the agent stops by itself, and could act.
        """
        sum_ = crc32(report.encode("utf-8", "replace"))
        if sum_ == self.last and now - self.at < _ONCE_MS:
            return self, False
        chars, since, stops = self.chars + len(report), self.since or now, self.stops + final
        talk = self._replace(chars=chars, last=sum_, at=now, since=since, stops=stops)
        early = chars >= self.wait and talk.may(limit - 1)
        late = self.ended or since <= now - _WHILE_MS or (self.asked and stops >= _STOPS)
        late = late and chars >= LEAST and talk.may(limit)
        if not (final and (early or late)) or asks_person(report):
            return talk, False
        wait = LATER << talk.nothings
        return talk._begun(asked=talk.asked + 1, wait=wait, due=1), True

    def may(self, limit: int) -> bool:
        """Tell whether the session may be asked at all: so many questions without an answer end it."""
        return self.asked - self.answered < limit and self.nothings < _NOTHINGS

    def told(self, *, nothing: bool, corrects: bool) -> Talk:
        """Return what is known once it recorded something, or said that there is nothing.

        `corrects`: it took something back, and what comes of that is worth a question soon.
        """
        nothings = self.nothings + (1 if self.due else 0) if nothing else 0
        wait = LEAST if corrects else LATER << nothings if self.asked else FIRST
        answered = self.answered + self.due
        return self._begun(answered=answered, wait=wait, nothings=nothings, due=0)

    def _begun(self, **more: int) -> Talk:
        return self._replace(chars=0, since=now_ms(), ended=0, stops=0, **more)


def request(said: Moment, commondir: str, environment: Mapping[str, str]) -> str:
    """Count what an agent reports at a stop; return the question where it is to be asked, else ""."""
    from rituals.hosts.observation_filter import observing

    known = observing(commondir)
    limit = 0 if known.stopped else known.ask
    if limit <= 0 or not said.session or said.agent or not HOSTS[said.host].asks:
        return ""
    report = said.message or _last_report(said)
    asks = False

    def count(talk: Talk) -> Talk:
        nonlocal asks
        talk = _with_deeds(talk, said, commondir, len(report))
        talk, asks = talk.stopped(report, now_ms(), limit, final=said.final)
        attended = is_attended(said, environment) if asks else True
        if not attended:
            asks, unseen = False, int(attended is None)
            return talk._replace(asked=talk.asked - 1, nothings=_NOTHINGS, due=0, unseen=unseen)
        return talk

    file = captured_file(commondir, said.host, said.session, END)
    if not (report and changed(file, Talk(), count) is not None and asks):
        return ""
    allow(*_OPEN_SECONDS)
    try:
        return _question(said.host, _open_ends(said.folder, said.session))
    except TookTooLong:
        allow(*_REST_SECONDS)
        return _question(said.host)


def note_answer(
    commondir: str, session: str, *, nothing: bool = False, corrects: bool = False
) -> None:
    """Note that a session ("" for none) recorded something, or said that there is nothing (`nothing`).

    `corrects`: it said of something that it is wrong, or put another text in its place.
    """
    for host in HOSTS if session else ():
        file = captured_file(commondir, host, session, END)
        if os.path.isfile(file):  # it stopped before
            changed(file, Talk(), lambda talk: talk.told(nothing=nothing, corrects=corrects))


def counts(commondir: str, host: str, session: str) -> tuple[int, int]:
    """Return how often a session was asked, and answered."""
    talk = read_record(captured_file(commondir, host, session, END), Talk())
    return talk.asked, talk.answered


def is_unasked(commondir: str, host: str, session: str) -> bool:
    """Tell whether a session could not be asked: its host takes no question, or tells of no person."""
    known = read_record(captured_file(commondir, host, session, END), Talk())
    return not HOSTS[host].asks or bool(known.unseen)


def asks_person(report: str) -> bool:
    """Tell whether a report ends in a question to the person."""
    lines = [line for line in report[-1_000:].split("\n") if line.strip()][-_LAST_LINES:]
    return any(line.rstrip(" \t\r*_`\"')»”").endswith(("?", "\uff1f", "\u061f")) for line in lines)


def is_attended(said: Moment, environment: Mapping[str, str]) -> bool | None:
    """Tell whether a person looks on at a stop; None where nobody tells."""
    if said.host == "claude":
        begun = environment.get("CLAUDE_CODE_ENTRYPOINT", "")
        attended = environment.get("CLAUDE_CODE_SESSION_ATTENDED") != "0"
        return (begun[:3] != "sdk" and attended) if begun else None
    if said.host == "codex":
        head = read_start(said.transcript, _HEAD_BYTES).replace(b'": ', b'":')
        alone = (b'"source":"exec"', b'"codex_exec"', b'"source":{"subagent"')
        return not any(mark in head for mark in alone) if b'"source":' in head else None
    from rituals.hosts.processes import host_process

    process = host_process()
    place = f"/proc/{process.partition('-')[0]}" if process else ""
    try:
        stream = os.readlink(f"{place}/fd/0") if place else ""
    except OSError:
        return None
    words = read_start(f"{place}/cmdline", _HEAD_BYTES).decode("utf-8", "replace") if place else ""
    prompted = any(word.partition("=")[0] in _ALONE for word in words.split("\0")[1:])
    return (stream.startswith(("/dev/pts/", "/dev/tty")) and not prompted) if place else None


_FORM = """\
diurna note --agent {} <<'END'
title: what was done
lesson: …, because …
ID -> decision: …
done ID
used ID, ID
END
"""


def _question(host: str, open_ends: Iterable[str] = ()) -> str:
    named = " · ".join(open_ends)
    still = f"Still open? {named}   -> `done ID` or leave\n" if named else ""
    return (
        f"{BEGINS} or the person time had you known it at the start? (decision and why; lesson; how this "
        f"person wants to work; what is open.) At most 3 lines that stand alone, or `nothing`.\n"
        f"{still}{_FORM.format(HOSTS[host].agent)}"
    )


def _open_ends(folder: str, session: str) -> list[str]:
    """Return what stands open in the home of a folder: a session's own first, then the oldest."""
    from ledger.errors import DiurnaError
    from ledger.home import discover
    from ledger.model.session import says_personal
    from memory import open_snapshot
    from projection.brief.inert_text import plain, shortened
    from projection.policy.model import THREAD_KIND

    def listed(cache: Cache) -> list[str]:
        found = []
        for one in cache.facts_of_kind(THREAD_KIND, unsettled=True):
            hidden = one.false or one.redacted or one.archived_at or says_personal(one.meta)
            if one.open and not (hidden or one.raised):
                logs = map(cache.entry, {version.stem for version in one.heads})
                own = any(log and log.session == session for log in logs)
                found.append((not own, one.born, one.id, shortened(plain(one.text), _OPEN_CHARS)))
        return [f"{id}: {text}" for *_, id, text in sorted(found)[:_OPEN]]

    try:
        return open_snapshot(discover(folder)).ask(listed)
    except DiurnaError:
        return []


def _with_deeds(talk: Talk, said: Moment, commondir: str, chars: int) -> Talk:
    """Return what is known once it was looked at what the session did since the last stop."""
    from rituals.hosts.observation_spool import spool_of

    newest, seen = spool_of(commondir, said.host, said.session).since(talk.seen)
    done = {why for one in newest for why in one.why.split(", ")}
    talk = talk._replace(seen=seen, ended=int(talk.ended or not _ENDS.isdisjoint(done)))
    near = LEAST <= talk.chars + chars < talk.wait
    if _REVERT in done or (near and _answered_anew(said, talk.since)):
        return talk._replace(wait=min(talk.wait, LEAST))
    return talk


def _answered_anew(said: Moment, since: int) -> bool:
    """Tell whether a question of a dialog got another answer since a moment than it had."""
    from rituals.hosts.transcripts.slices import newest_turns

    answers: dict[str, str] = {}
    for one in newest_turns(said.host, said.transcript, _TAIL_BYTES):
        if one.asked and answers.setdefault(one.asked, one.text) != one.text:
            if one.when > since:
                return True
            answers[one.asked] = one.text
    return False


def _last_report(said: Moment) -> str:
    from rituals.hosts.transcripts.slices import newest_turns

    turns = newest_turns(said.host, said.transcript, _TAIL_BYTES)
    return next((one.text for one in reversed(turns) if one.role == "assistant" and one.text), "")
