"""Answer a hook of a host (`diurna hook HOST EVENT`): one JSON object and exit code 0, whatever comes.

The agent waits for the answer, so there is a limit to the time: that of the processor counts, so that a
busy machine alone keeps no memory from a session, up to what a host waits by the clock. A start for which
a new brief is late is told the last one that was made; where there is none, the first call that reaches
the model tells it. A call is answered first; what is left to do (a stamp of the session, a child that
folds it into a log) follows, and none of it waits for anything.
Where Claude is about to compact, the answer is plain text, which its summary is made by. A stop is
answered where the agent is to be asked (`rituals.hosts.stop_request`).
"""

from __future__ import annotations

import os

from ledger.environment import TookTooLong, allow, limited, monotonic
from rituals.hosts import adapters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from rituals.hosts.host_events import Moment

    _Done = TypeVar("_Done")

#: The answer where there is nothing to say.
NOTHING = b"{}\n"
#: How long an answer may take of the processor, and by the clock. A host waits for 5 seconds of it, which
#: are not all ours: Python has to start. A tool is held for little, and a compaction takes long by itself.
START_SECONDS, OTHER_SECONDS, COMPACT_SECONDS = (0.3, 3.0), (0.1, 0.3), (1.5, 1.5)
#: A prompt that tells what the start did not.
BEHIND_SECONDS = (0.3, 1.5)
#: What a stamp is given after an answer that took all of its time.
_LEAST_SECONDS = 0.05
PAYLOAD_BYTES = 10 << 20
#: Events in which something may have been done; those that wait for a brief, and those that
#: tell one that was missed; and those that may end a part of a session.
_OBSERVED = (adapters.PROMPT, adapters.TOOL, adapters.FAILURE, adapters.TASK)
_BRIEFED = (adapters.START, adapters.SUBAGENT_START)
_TELLING = (adapters.PROMPT, adapters.TOOL, adapters.FAILURE)
_STAMPED = (
    *(adapters.START, adapters.PRECOMPACT, adapters.STOP, adapters.END),
    adapters.SUBAGENT_STOP,
)


def run(host: str, event: str, environment: Mapping[str, str]) -> int:
    """Answer a hook on standard output; return the exit code, which is always 0."""
    call = Call(host, event, environment)
    answer = call.answer()
    try:
        while answer:
            answer = answer[os.write(1, answer) :]
    except OSError:
        pass  # nobody listens any more
    else:
        call.was_heard()
    call.follow_up()
    return 0


class Call:
    """One call of a hook."""

    def __init__(self, host: str, event: str, environment: Mapping[str, str]) -> None:
        self._host, self._event, self._environment = host, event, environment
        self._kind = adapters.meaning(host, event)
        self._said: Moment | None = None
        self._commondir = self._top = ""
        self._late = self._silent = self._outdated = self._behindhand = False
        self._observed = self._kind not in _OBSERVED
        self._heard: Callable[[], None] | None = None
        limits = dict.fromkeys(_BRIEFED, START_SECONDS) | {adapters.PRECOMPACT: COMPACT_SECONDS}
        self._seconds, clock = limits.get(self._kind, OTHER_SECONDS)
        self._until = monotonic() + clock

    def answer(self) -> bytes:
        """Return the answer, within the limit of time."""
        said = self._guarded(self._answer, self._until - monotonic())
        if self._late:
            self._heard = None
        return said or NOTHING

    def was_heard(self) -> None:
        """Keep that the session heard what the answer tells it."""
        if self._heard is not None:
            self._guarded(self._heard)

    def follow_up(self) -> None:
        """Do what nobody waits for, in what is left of the time, or behind it in another process."""
        said = self._said
        if not (said and said.session):
            return  # whoever calls without one may remove the repository at once
        if not self._late:
            rest = max(_LEAST_SECONDS, self._until - monotonic())
            self._guarded(lambda: self._follow_up(said), rest)
        elif self._kind in (*_BRIEFED, *_STAMPED, adapters.PROMPT) or not self._observed:
            from rituals.hosts.session_start import make_ready

            self._guarded(lambda: make_ready(said, self._commondir, lambda: self._keep(said)))

    def _guarded(self, doing: Callable[[], _Done], clock: float = 0.0) -> _Done | None:
        """Do something, in so much time by the clock; 0 for no limit.

        An agent neither waits for a fault of ours nor sees it.
        """
        try:
            return limited(self._seconds, clock, doing) if clock else doing()
        except TookTooLong:
            self._late = True
        except Exception as problem:  # noqa: BLE001 - as above
            if self._commondir:
                from rituals.hosts.session_files import note_fault

                note_fault(self._commondir, f"hook {self._host} {self._event}: {problem!r}")
        return None

    def _keep(self, said: Moment) -> None:
        """Keep what is worth it of an event, and follow it up, where that was not done in time."""
        known = self._commondir
        self._find(said.folder)
        if not known and self._commondir:
            self._mark(said)
        self._observe(said)
        self._follow_up(said)

    def _follow_up(self, said: Moment) -> None:
        """Stamp the session, and start who folds it into a log."""
        if not self._commondir:
            return
        if self._outdated:
            from rituals.hosts.session_start import make_moments

            make_moments(said, self._commondir)
        if self._kind == adapters.STOP or self._behindhand:
            from rituals.hosts.session_start import make_ready

            make_ready(said, self._commondir)
        starts = self._kind == adapters.START
        ends = self._kind in _STAMPED and (starts or not self._silent)
        handed = (ends or self._silent) and bool(said.given.get("messages"))
        if handed:
            from rituals.hosts.handed_messages import keep_messages, kept_in

            said = said._replace(transcript=kept_in(self._commondir, said))
        if ends and not self._silent:
            from rituals.hosts.capture.session_marks import stamp

            stamp(self._commondir, said)
        if handed:  # behind the stamp: without one nobody would look for them
            keep_messages(self._commondir, said)
        if not ends:
            return
        from rituals.hosts.capture.session_marks import is_due

        if is_due(self._commondir, said):
            from rituals.hosts.capture.detached_process import spawn

            spawn(said, catch_up=starts)
        if starts and not self._late:
            from rituals.hosts.session_start import prepare

            prepare(said, self._commondir)

    def _answer(self) -> bytes:
        # also where nothing is asked: a host may fail that can not hand over what it says
        data = _read()
        if self._kind == adapters.OTHER or self._environment.get("DIURNA_HOOKS") == "off":
            return NOTHING
        from rituals.hosts.host_events import moment
        from rituals.hosts.session_files import read_object

        payload = read_object(data)
        if payload is None:
            return NOTHING
        said = moment(self._host, self._event, payload, self._environment)
        if said.event == adapters.OTHER or (said.host != self._host and _is_told_otherwise(said)):
            return NOTHING
        self._said = said
        self._find(said.folder)
        if self._commondir:
            self._mark(said)
            from ledger.wal.atomic_files import died

            if said.session and died(self._commondir):  # any command finishes what it left
                from rituals.hosts.capture.detached_process import run

                run(["status"], said.folder)
        self._observe(said)
        self._observed = True
        if said.event == adapters.START or (said.event in _BRIEFED and self._commondir):
            return self._form(said, self._brief(said))
        return self._form(said, self._behind(said) or self._text(said))

    def _mark(self, said: Moment) -> None:
        """Note, before anything else, that a session ends, or that it or its subagent is owed a brief."""
        from rituals.hosts.host_events import owe

        if not said.session:
            return
        if said.event == adapters.END and not self._silent:
            from rituals.hosts.capture.session_marks import note_end

            note_end(self._commondir, said)
        owe(self._commondir, said)

    def _brief(self, said: Moment, which: str = "") -> str:
        """Return a brief, the last one perhaps; "" where there is none."""
        from rituals.hosts.host_events import COMPACT, settle
        from rituals.hosts.session_start import context

        text, heard, self._behindhand = context(said, which)
        self._find(said.folder)  # a fresh clone has it from now on
        in_time = self._kind == adapters.START and said.source != COMPACT

        def settled() -> None:
            if heard:
                heard()
                settle(self._commondir, said, in_time=in_time)

        self._heard = settled if text else None
        return text

    def _behind(self, said: Moment) -> str:
        """Return the brief that a start did not tell; "" where none is owed."""
        hears = said.event in _TELLING and said.event not in adapters.HOSTS[said.host].deaf
        if not (hears and said.session and self._commondir):
            return ""
        from rituals.hosts.host_events import claim

        source, fd = claim(self._commondir, said)
        if not source:
            return ""
        from rituals.hosts.session_start import ANY, LAST

        which = ANY if said.event == adapters.PROMPT else LAST  # a tool waits for none to be made
        if which == ANY:
            allow(*BEHIND_SECONDS)
        event = adapters.SUBAGENT_START if said.agent else adapters.START
        try:
            return self._brief(said._replace(event=event, source=source), which)
        finally:
            if self._heard is None:
                self._behindhand = True
                os.close(fd)

    def _find(self, folder: str) -> None:
        """Find the repository; it is none of ours where Diurna keeps nothing there."""
        from ledger.git.repository import find_repository
        from ledger.model.layout import SILENCES_FILE, STATE_DIR

        repository = keeper = find_repository(folder, fit=False)
        if repository and not self._environment.get("DIURNA_HOME"):
            from ledger.git.config_files import home_setting

            named = home_setting(repository.commondir, repository.where)
            if not (named or os.path.isdir(f"{repository.commondir}/{STATE_DIR}")):
                named = home_setting("", "")
            if named:
                keeper = find_repository(named) if os.path.isdir(named) else None
        if repository and keeper and os.path.isdir(f"{keeper.commondir}/{STATE_DIR}"):
            self._commondir, self._top = keeper.commondir, repository.top
            if self._said is not None and os.path.exists(f"{self._commondir}/{SILENCES_FILE}"):
                from rituals.hosts.silence import is_silent

                self._silent = is_silent(self._commondir, self._said.session, self._top or folder)

    def _observe(self, said: Moment) -> None:
        """Keep what is worth it of an event, where there is a home, and nobody asked for silence."""
        if self._silent or self._observed or not (self._commondir and said.session):
            return
        from rituals.hosts.observation_filter import (
            admitted,
            is_candidate,
            observing,
            without_withheld,
        )

        if not is_candidate(said) or observing(self._commondir).stopped:
            return
        found = admitted(said, self._top)
        if found is not None:
            from ledger.home import discover
            from rituals.hosts.observation_spool import spool_of

            home = discover(said.folder)
            if os.path.exists(f"{home.cache_file}.redacted"):
                found = without_withheld(found, home)
            spool_of(self._commondir, said.host, said.session).add(found, self._top)

    def _text(self, said: Moment) -> str:
        """Return what the agent is to know."""
        if not (self._commondir and said.session):
            return ""
        if said.event in _TELLING:
            from rituals.hosts.context.moment_answer import needed_at
            from rituals.hosts.context.session_cursor import has_news

            needed, self._outdated = needed_at(said, self._commondir, self._top)
            prompt = said.event == adapters.PROMPT
            news = has_news(self._commondir, said.files, prompt=prompt)
            if not (needed or news):
                return ""
            from rituals.hosts.context.session_news import telling

            text, self._heard = telling(said, self._commondir, needed, news=news)
            return text
        if said.event == adapters.STOP and not self._silent:
            from rituals.hosts.stop_request import request

            return request(said, self._commondir, self._environment)
        if said.event == adapters.PRECOMPACT and not self._silent:
            from ledger.home import discover
            from rituals.hosts.context.compaction_checkpoint import save

            return save(said, discover(said.folder))
        return ""

    def _form(self, said: Moment, text: str) -> bytes:
        """Put what the agent is to know into the form that its host takes."""
        if not text or said.event == adapters.END:
            return NOTHING
        if said.event == adapters.PRECOMPACT and said.host != "opencode":
            return text.encode("utf-8", "replace") + b"\n" if said.host == "claude" else NOTHING
        from rituals.hosts.session_files import write_object

        answer = adapters.envelope(adapters.HOSTS[said.host], self._event, text)
        if said.event == adapters.STOP:  # it begins another turn
            answer = {"decision": "block", "reason": text}
        return write_object(answer).encode() + b"\n"


def _read() -> bytes:
    """Read what the host says; nothing where that is too much."""
    data = b""
    try:
        while len(data) <= PAYLOAD_BYTES and not os.isatty(0) and (part := os.read(0, 1 << 20)):
            data += part
    except OSError:
        return b""  # it is closed
    return data if len(data) <= PAYLOAD_BYTES else b""


def _is_told_otherwise(said: Moment) -> bool:
    """Tell whether a host that runs the hooks of another one has its own, so that it is told once."""
    from ledger.environment import user_folder

    places = zip((said.folder, user_folder()), adapters.HOSTS[said.host].own, strict=False)
    return any(os.path.isfile(f"{place}/{path}") for place, path in places)
