"""Answer a hook of a host (`diurna hook HOST EVENT`): one JSON object and exit code 0, whatever comes.

Only the start of a session has something to say, which is the brief; anything else is answered at once.
The agent waits for the answer, so there is a limit to the time; a brief that takes longer is made ready
by what is left of this process, for the next session.
"""

from __future__ import annotations

import os

from ledger.environment import monotonic, user_folder, working_directory
from rituals.hosts.adapters import HOSTS, Host, caller, envelope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

#: The answer where there is nothing to say.
NOTHING = b"{}\n"
START_SECONDS, OTHER_SECONDS = 0.3, 0.1
#: How long a brief may take that nobody waits for.
_READY_SECONDS = 60
PAYLOAD_BYTES = 10 << 20
#: The least that any host takes of one hook.
CONTEXT_CHARS, CONTEXT_BYTES = 7_500, 9_500
RULE = (
    "Project memory lives in Diurna; your own lessons stay in your own memory. `diurna recall WORDS` "
    'before you assume; `diurna note "decision: …"` for what others have to know; `diurna append` at the '
    "end."
)


class TookTooLong(BaseException):
    """The time for a hook is up.

    Args:
        making: for which host, of which folder, a brief was being made.
    """

    def __init__(self, making: tuple[Host, str] | None = None) -> None:
        super().__init__()
        self.making = making


def run(host: str, event: str, environment: Mapping[str, str]) -> int:
    """Answer a hook on standard output; return the exit code, which is always 0.

    Args:
        host: one of `HOSTS`.
        event: the host's own name of it.
        environment: of the process.
    """
    late: tuple[Host, str] | None = None
    try:
        answer = _answer(host, event, environment)
    except TookTooLong as over:
        answer, late = NOTHING, over.making
    except Exception as problem:  # noqa: BLE001 - an agent never waits for a fault of ours, nor sees it
        answer = NOTHING
        _note(environment, f"hook {host} {event}: {problem!r}")
    try:
        while answer:
            answer = answer[os.write(1, answer) :]
    except OSError:
        pass  # nobody listens any more
    if late:
        _make_ready(*late, environment)
    return 0


def _answer(host: str, event: str, environment: Mapping[str, str]) -> bytes:
    """Return the answer to a hook.

    Raises:
        TookTooLong: the start of a session has its limit.
    """
    starts = event.lower() == HOSTS[host].start.lower()
    if not starts or not event or environment.get("DIURNA_HOOKS") == "off":
        _read(
            monotonic() + OTHER_SECONDS
        )  # a host may fail that can not hand over what it has to say
        return NOTHING
    import signal

    signal.signal(signal.SIGALRM, _over)
    signal.setitimer(signal.ITIMER_REAL, START_SECONDS)
    try:
        payload = _payload(_read(monotonic() + START_SECONDS))
        if payload is None:
            return NOTHING
        calling = caller(host, environment, payload)
        folder = _folder(calling, environment, payload)
        if calling is not HOSTS[host] and _is_told_otherwise(calling, folder):
            return NOTHING
        try:
            text = _context(calling, folder, environment)
        except TookTooLong:
            raise TookTooLong((calling, folder)) from None
        if not text:
            return NOTHING
        import json

        return json.dumps(envelope(calling, event, text)).encode() + b"\n"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _over(number: int, frame: FrameType | None) -> None:
    raise TookTooLong


def _read(deadline: float) -> bytes:
    """Read what the host says; nothing where that is too much, or does not end in time."""
    import select

    parts: list[bytes] = []
    size = 0
    try:
        while size <= PAYLOAD_BYTES and not os.isatty(0):
            if not select.select([0], [], [], max(0.0, deadline - monotonic()))[0]:
                break
            part = os.read(0, 1 << 20)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
    except OSError:
        pass  # it is closed
    return b""


def _payload(data: bytes) -> dict[str, object] | None:
    """Return the object that a host says; None where it is none."""
    import json

    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _folder(host: Host, environment: Mapping[str, str], payload: Mapping[str, object]) -> str:
    """Return where the session works: the project that the host names, else where it stands."""
    named = environment.get("DIURNA_HOME") or environment.get(host.folder) or payload.get("cwd")
    return named if isinstance(named, str) and os.path.isdir(named) else working_directory()


def _is_told_otherwise(host: Host, folder: str) -> bool:
    """Tell whether a host that runs the hooks of another one has its own, so that it is told once."""
    places = zip((folder, user_folder()), host.own, strict=False)
    return any(os.path.isfile(f"{place}/{path}") for place, path in places)


def _context(host: Host, folder: str, environment: Mapping[str, str]) -> str:
    """Return what the agent is to know: the brief and the ground rule; "" where there is no memory."""
    from ledger.errors import HomeNotFound
    from ledger.escape import visible

    room = CONTEXT_CHARS - len(RULE) - 2
    budget = room
    try:
        text = visible(_brief(folder, host, environment, budget))
        while len(text.encode("utf-8", "replace")) > CONTEXT_BYTES - len(RULE.encode()) - 2:
            budget = budget * 3 // 4
            text = visible(_brief(folder, host, environment, budget))
    except HomeNotFound:
        return ""
    return f"{text.rstrip()}\n\n{RULE}"


def _brief(folder: str, host: Host, environment: Mapping[str, str], budget: int) -> str:
    from memory.brief.place import Wish
    from memory.query.last_answers import brief

    agent = environment.get("DIURNA_AGENT") or host.agent
    kept = brief(folder, Wish(agent, budget_chars=budget))
    if kept is not None:
        return kept.decode("utf-8", "surrogateescape")
    from ledger.home import discover
    from memory.query.reader import Reader

    reader = Reader(discover(folder))  # there is more to be said, which other commands say
    try:
        return reader.brief(agent=agent, budget_chars=budget).text
    finally:
        reader.close()


def _make_ready(host: Host, folder: str, environment: Mapping[str, str]) -> None:
    """Make the brief that took too long in a process of its own, where it is kept for the next session."""
    import signal

    if os.fork():
        return
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_READY_SECONDS)
        _context(host, folder, environment)
    finally:
        os._exit(0)


def _note(environment: Mapping[str, str], said: str) -> None:
    """Note a fault in Diurna's own log file of the repository, where there is one."""
    try:
        from ledger.home import discover
        from ledger.wal.locks import journal

        folder = environment.get("DIURNA_HOME") or working_directory()
        journal(discover(folder).repository.commondir, said)
    except Exception:  # noqa: BLE001, S110 - it was only a note
        pass
