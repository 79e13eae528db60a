"""Start what nobody waits for: a process in a session of its own, which outlives who started it.

A host kills what its hook leaves behind, waits for streams that are still open, and may run the hooks of
its own extractor: so the process has its own session, no stream of the hook's, and hooks that are off.
Only the standard library is loaded; the agent waits for the hook.
"""

from __future__ import annotations

import os
import sys

from ledger.environment import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rituals.hosts.moments import Moment

#: How much the process gives way to what the agent and its user run.
_NICENESS = 10
#: Descriptors that a host may have left open in its hook.
_DESCRIPTORS = 256


def spawn(moment: Moment, *, catch_up: bool = False) -> None:
    """Fold a session of a host into a log, in a process of its own; return at once.

    `catch_up` folds sessions that are over, and not this one.
    """
    said = ["--host", moment.host, f"--session={moment.session}", f"--why={moment.event}"]
    if catch_up:
        said.append("--catch-up")
    elif moment.transcript:
        said.append(f"--transcript={moment.transcript}")
    run(["capture", *said], moment.folder)


def run(arguments: Sequence[str], folder: str, module: str = "rituals") -> None:
    """Run a command of Diurna's in a process that nobody waits for.

    `arguments` come without the program's name; `module` runs, where it is not the command line.
    """
    command = [sys.executable, "-P", "-m", module, *arguments]
    environment = {**variables(), "DIURNA_HOOKS": "off"}

    def become() -> None:
        os.closerange(3, _DESCRIPTORS)
        os.chdir(folder)
        os.nice(_NICENESS)
        os.execve(sys.executable, command, environment)  # noqa: S606 - ourselves, without a shell

    apart(become)


def apart(doing: Callable[[], None]) -> None:
    """Do something in a process of its own, without a stream of this one's; return at once."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)  # it is gone at once, and a server keeps no dead
        return
    try:
        if not os.fork():
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nowhere, stream)
            doing()
    finally:
        os._exit(0)
