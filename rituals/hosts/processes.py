"""Know the host's process: which session it is in, for its MCP server, and whether it ended.

A host may pass its MCP servers no environment that names the session (Codex passes none). The hooks of a
session and the server have the same process above them, the host's, apart from shells between; the hooks
stamp it (`rituals.hosts.capture.session_marks`). A process is known by its number and by when it began,
so that a number that is used again is another one. Where /proc tells nothing of processes nothing is
known.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms, variables, working_directory
from ledger.model.layout import CAPTURED_DIR
from rituals.hosts.session_files import SEEN, files_in, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.home import Home

_SHELLS = frozenset(
    (b"sh", b"bash", b"dash", b"zsh", b"ksh", b"ash", b"fish", b"busybox", b"env", b"timeout")
)
#: What stands between a host and what it starts.
_ABOVE = 8
#: So many of the sessions that were seen last are looked at.
_LOOKED = 16


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
    number, _, began = name.partition("-")
    known = where and where == _machine() and _stat(os.getpid()) is not None
    if not known or not number.isdigit():
        return False
    found = _stat(int(number))
    return found is None or str(found[2]) != began


def host_session_here(commondir: str) -> str:
    """Return the host's session that this process is in, as variables or its hooks say, "" for none."""
    from memory import host_session

    named = host_session(variables())
    place = "" if named else here()
    folder = f"{commondir}/{CAPTURED_DIR}"
    seen = files_in(folder, SEEN) if place else ()
    for name, _, _ in sorted(seen, key=lambda one: -one[2])[:_LOOKED]:
        said = read_file(f"{folder}/{name}")
        if said.get("process") == place:
            return str(said.get("session"))
    return named


def note_opening(home: Home, ids: Iterable[str], session: str = "") -> None:
    """Note that facts were opened by their ids, unless no host's session asked, or a silent one.

    That is a use of them (FORMAT.md, W13).

    What is no id is passed over; `session` is the one that asked, "" for the one of this process.
    """
    from memory import note_opened
    from rituals.hosts.silence import is_silent

    named, commondir = tuple(ids), home.repository.commondir
    if not named or variables().get("DIURNA_HOOKS") == "off":
        return
    session = session or host_session_here(commondir)
    if session and not is_silent(commondir, session, working_directory()):
        note_opened(home, session, named, now_ms())


def _machine() -> str:
    """Return where the numbers of processes mean the same: a part of a machine, since it started."""
    try:
        part = os.readlink("/proc/self/ns/pid")
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return f"{part} {file.read().strip()}"
    except (OSError, ValueError):
        return ""


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
