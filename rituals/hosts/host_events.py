"""Read what a host says of an event as one `Moment`, whichever host it was.

The plugin for opencode says it in Claude's words (`session_id`, `cwd`, `tool_name`, `tool_input`,
`tool_response`, `tool_use_id`, `prompt`, `last_assistant_message`, `agent_id`, `agent_type`, `source`).
Whatever has another type than it should is taken for not said.
"""

from __future__ import annotations

import os

from ledger.environment import local_day, now_ms, working_directory
from ledger.model.layout import CAPTURED_DIR
from ledger.model.record import TYPE_CHECKING, Record
from ledger.wal.atomic_files import take_lock
from rituals.hosts import adapters
from rituals.hosts.session_files import (
    files_in,
    open_file,
    read_object,
    read_record,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


#: How sessions started, and what each is owed: a file for each, and for each of its subagents.
STARTS_DIR = "diurna/starts"
#: What compactions would have lost: a file for each session.
CHECKPOINTS_DIR = "diurna/checkpoints"
#: A session was told its brief as it started, or not.
TOLD, MISSED = "told", "missed"
#: How what a compaction took is begun again.
COMPACT = "compact"
#: How a session began, by the host's word for it; any other word is a start.
_SOURCES = ("resume", "clear", COMPACT, "fork")
#: Where a host says a thing, first found: Claude's word, Copilot's, Cursor's.
_SESSION = ("session_id", "sessionId", "conversation_id")
_TRANSCRIPT = ("transcript_path", "transcriptPath")
_SUBAGENTS_OWN = ("agent_transcript_path", "agentTranscriptPath", "subagent_transcript_path")
_TOOL = ("tool_name", "toolName")
_GIVEN = ("tool_input", "toolArgs", "toolInput")
_ANSWER = ("tool_response", "tool_result", "toolResult", "tool_output", "error", "error_message")
#: Qwen has another `tool_use_id` for the same call in each event, and one `tool_call_id`.
_ONCE = ("tool_call_id", "tool_use_id", "toolUseId", "toolCallId")
_AGENT = ("agent_id", "agentId", "subagent_id")
_ROLE = ("agent_type", "agentType", "subagent_type")
_MESSAGE = ("last_assistant_message", "prompt_response", "response")
_STOPPED = ("stop_reason", "stopReason")
_CONTEXT = "<hook_context>", "</hook_context>"
_NAME_CHARS = 100
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
#: No host has a longer id of a session or of a call.
_ID_CHARS = 400


class Moment(Record):
    """An event of a host."""

    host: str  #: key of `HOSTS`, the one that really calls
    event: str  #: what it means (`rituals.hosts.adapters`)
    session: str = ""  #: the host's id of the session, "" where it says none
    folder: str = ""  #: the project: where the host says that it works, whatever its agent's `cd`
    transcript: str = ""  #: path, "" for none; a subagent's own where it has one
    source: str = ""  #: of a start: startup, resume, clear, compact or fork
    prompt: str = ""  #: what the user said
    tool: str = ""  #: the host's name of it
    given: Mapping[str, object] = {}  #: what the tool was given
    answer: object = None  #: what it answered, or the error
    once: str = ""  #: the host's id of the call
    agent: str = ""  #: the subagent's id, "" for the session's own
    role: str = ""  #: the subagent's type
    message: str = ""  #: the last thing that the agent said, where the host says it
    cwd: str = ""  #: where the agent stands
    #: the host's own time of it, "" for none: it tells two calls apart that have no id
    at: str = ""
    task: str = ""  #: what a completed task is called
    #: of a stop: the agent ended its turn by itself, no hook had it go on, and it may act
    final: bool = True

    @property
    def files(self) -> str:
        """What files of its session are called."""
        return file_name(self.host, self.session)


class Start(Record):
    """How a session, or a subagent, started."""

    how: str = ""  #: `TOLD` or `MISSED`; "" where nobody saw a session start
    at: int = 0  #: when that was, milliseconds since 1970
    owed: str = ""  #: how that began of which it was not told its brief yet (`Moment.source`)


def start_of(commondir: str, said: Moment) -> Start:
    """Return how the session of an event, or the subagent, started."""
    return read_record(_start_file(commondir, said), Start())


def claim(commondir: str, said: Moment) -> tuple[str, int]:
    """Return what it is owed, "" for nothing, and a file to close: of hooks at once one tells it."""
    if start_of(commondir, said).owed:
        try:
            fd = open_file(_start_file(commondir, said), os.O_RDWR)
            if take_lock(fd, 0.0):
                return start_of(commondir, said).owed, fd
        except OSError:
            pass  # another hook has it
    return "", -1


def owe(commondir: str, said: Moment) -> None:
    """Note that it is to be told its brief, before that is made: a killed hook leaves it to the next.

    It is owed at a start, behind a compaction, and where no hook of its start ever ran.
    """
    source = COMPACT if said.event == adapters.PRECOMPACT else said.source
    if said.event == adapters.SUBAGENT_START:
        source = source or adapters.SUBAGENT_START
    if not source:
        if said.event == adapters.HOSTS[said.host].ahead or os.path.isfile(
            _start_file(commondir, said)
        ):
            return
        source = "startup"
    begins = source not in (COMPACT, adapters.SUBAGENT_START) and not said.agent
    known = Start(MISSED, now_ms()) if begins else start_of(commondir, said)
    _note(commondir, said, known._replace(owed=source))


def settle(commondir: str, said: Moment, *, in_time: bool) -> None:
    """Note that it was told its brief; `in_time`: as it started."""
    known = start_of(commondir, said)
    _note(commondir, said, known._replace(how=TOLD if in_time else known.how, owed=""))


def starts(commondir: str) -> tuple[int, int]:
    """Return how many sessions started today, and how many of them without memory."""
    folder, today = f"{commondir}/{STARTS_DIR}", local_day(now_ms())
    read = [read_record(f"{folder}/{name}", Start()) for name, _, _ in files_in(folder)]
    hows = [one.how for one in read if one.how and local_day(one.at) == today]
    return len(hows), hows.count(MISSED)


def _note(commondir: str, said: Moment, start: Start) -> None:
    try:
        write_record(_start_file(commondir, said), start)
    except OSError:
        pass  # a disk that refuses: it is told now or never


def _start_file(commondir: str, said: Moment) -> str:
    whose = f"{said.session}+{said.agent}" if said.agent else said.session
    return f"{commondir}/{STARTS_DIR}/{file_name(said.host, whose)}"


def moment(
    host: str, event: str, payload: Mapping[str, object], environment: Mapping[str, str]
) -> Moment:
    """Read an event."""
    calling = adapters.caller(host, environment, payload)
    cwd = _text(payload, "cwd")
    named = environment.get("DIURNA_HOME") or environment.get(calling.variable) or cwd
    is_there = named and "\0" not in named and os.path.isdir(named)
    kind = adapters.meaning(host, event)
    if kind == adapters.SUBAGENT_STOP and payload.get("agent_type") == "":
        kind = adapters.OTHER  # a helper of Claude's own, which it runs to compact for instance
    agent, session = _text(payload, *_AGENT)[:_ID_CHARS], _text(payload, *_SESSION)[:_ID_CHARS]
    source, given = _text(payload, "source"), _first(payload, _GIVEN)
    if isinstance(given, str):  # JSON, or all that a tool takes, as a patch is
        given = read_object(given.encode("utf-8", "replace")) or {"input": given}
    stamp = payload.get("timestamp")
    from ledger.secrets.match import without_private

    asked = _text(payload, "prompt")
    if asked.startswith(_CONTEXT[0]):  # Gemini puts before the first prompt what its start was told
        asked = asked.partition(_CONTEXT[1])[2].lstrip()
    return Moment(
        host=calling.name,
        event=kind,
        session=session,
        folder=named if is_there else working_directory(),
        transcript=(agent and _text(payload, *_SUBAGENTS_OWN)) or _text(payload, *_TRANSCRIPT),
        source="" if kind != adapters.START else source if source in _SOURCES else "startup",
        prompt="" if asked.startswith(BEGINS) else without_private(asked),
        tool=_text(payload, *_TOOL),
        given=given if isinstance(given, dict) else {},
        answer=_first(payload, _ANSWER),
        once=_text(payload, *_ONCE)[:_ID_CHARS],
        agent=agent,
        role=_text(payload, *_ROLE),
        message=without_private(_text(payload, *_MESSAGE)),
        cwd=cwd,
        at=str(stamp) if isinstance(stamp, (str, int)) else "",
        task=without_private(_text(payload, "task_subject")),
        final=(
            payload.get("stop_hook_active") is not True
            and _text(payload, *_STOPPED) in ("", "end_turn")
            and payload.get("permission_mode") != "plan"
        ),
    )


def file_name(host: str, session: str) -> str:
    """Return what files of a session are called: readable where its id is, and never another one's."""
    if session and len(session) <= _NAME_CHARS and _PLAIN.issuperset(session):
        return f"{host}-{session}"
    from hashlib import blake2b

    plain = "".join([char if char in _PLAIN else "_" for char in session[:40]])
    sum_ = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{host}-{plain}~{sum_}"


def captured_file(commondir: str, host: str, session: str, end: str) -> str:
    """Return the path of a small file of a session, by how its name ends."""
    return f"{commondir}/{CAPTURED_DIR}/{file_name(host, session)}{end}"


def _first(payload: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((found for name in names if (found := payload.get(name)) is not None), None)


def _text(payload: Mapping[str, object], *names: str) -> str:
    for name in names:
        found = payload.get(name)
        if isinstance(found, str) and found:
            # half of a character is none: nothing could be written that has one
            return found if found.isascii() else found.encode("utf-8", "replace").decode()
    return ""


#: How the question at a stop begins, by which it is known where a host hands it on as a turn.
BEGINS = "Memory: what would have saved you"
