"""Know the host's process: which session it is in, for its MCP server, and whether it ended.

A host may pass its MCP servers no environment that names the session (Codex passes none). The hook that
begins a session and the server have the same process above them, the host's, apart from shells between.
A process is known by its number and by when it began, so that a number that is used again is another one.
Where /proc does not tell of processes nothing is noted.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms, variables, working_directory
from ledger.model.layout import STATE_DIR
from ledger.wal.atomic_files import try_unlink
from rituals.hosts.payloads import read_start, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.home import Home

_FOLDER = f"{STATE_DIR}/processes"
_SHELLS = frozenset(
    (b"sh", b"bash", b"dash", b"zsh", b"ksh", b"ash", b"fish", b"busybox", b"env", b"timeout")
)
#: What stands between a host and what it starts.
_ABOVE = 8
_FILE_BYTES = 4096


def host_process() -> str:
    """Return the nearest process above this one that is no shell, as `NUMBER-BEGAN`; "" for unknown.

    It began so many ticks after the machine was started.
    """
    number = os.getppid()
    for _ in range(_ABOVE):
        found = _stat(number)
        if found is None or number <= 1:
            break
        name, above, began = found
        if name not in _SHELLS:
            return f"{number}-{began}"
        number = above
    return ""


def here() -> str:
    """Return what the host's process is called here until the machine restarts, "" for unknown."""
    process, where = host_process(), _machine()
    return f"{process} {where}" if process and where else ""


def is_gone(called: str) -> bool:
    """Tell whether a process has surely ended; one of elsewhere, or from before a restart, is unknown."""
    name, _, where = called.partition(" ")
    known = where and where == _machine() and _stat(os.getpid()) is not None
    return bool(known) and not _runs(name)


def note_session(commondir: str, host: str, session: str) -> None:
    """Note that the host's process above this one is in a session from now on.

    Raises:
        OSError: the disk refused.
    """
    process = host_process()
    if not (process and session):
        return
    folder = f"{commondir}/{_FOLDER}"
    write_file(f"{folder}/{process}", f"{host}\n{session}".encode("utf-8", "surrogatepass"))
    for name in os.listdir(folder):  # the notes of processes that are gone are taken away
        if not _runs(name):
            try_unlink(f"{folder}/{name}")  # another start may be faster


def host_session_here(commondir: str) -> str:
    """Return the host's session that this process is in, as variables or a hook say, "" for none."""
    from memory.write.host_session import host_session

    named = host_session(variables())
    process = "" if named else host_process()
    if not process:
        return named
    said = read_start(f"{commondir}/{_FOLDER}/{process}", _FILE_BYTES)
    return said.decode("utf-8", "replace").partition("\n")[2]


def note_opening(home: Home, ids: Iterable[str], session: str = "") -> None:
    """Note that facts were opened by their ids, unless no host's session asked, or a silent one.

    That is a use of them (FORMAT.md, W13).

    What is no id is passed over; `session` is the one that asked, "" for the one of this process.
    """
    from memory.write.opened_facts import note_opened
    from rituals.hosts.silence import is_silent

    named, commondir = tuple(ids), home.repository.commondir
    if not named:
        return
    session = session or host_session_here(commondir)
    off = variables().get("DIURNA_HOOKS") == "off"
    if session and not off and not is_silent(commondir, session, working_directory()):
        note_opened(home, session, named, now_ms())


def _machine() -> str:
    """Return where the numbers of processes mean the same: a part of a machine, since it started."""
    try:
        part = os.readlink("/proc/self/ns/pid")
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{part} {file.read().strip()}"
    except (OSError, ValueError):
        return ""


def _runs(name: str) -> bool:
    """Tell whether a process runs that began then, or its name is none."""
    number, _, began = name.partition("-")
    found = _stat(int(number)) if number.isdigit() else (b"", 0, began)
    return found is not None and str(found[2]) == began


def _stat(number: int) -> tuple[bytes, int, int] | None:
    """Return name, parent and beginning of a process, None where it is gone or nobody tells."""
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            said = file.read()
        name, rest = said[said.index(b"(") + 1 : said.rindex(b")")], said[said.rindex(b")") + 2 :]
        words = rest.split()
        return name, int(words[1]), int(words[19])  # the fourth and the 22nd, proc(5)
    except (OSError, ValueError, IndexError):
        return None
