"""Start what nobody has to wait for: a process in a session of its own, which outlives who started it.

A host kills what its hook leaves behind, waits for streams that are still open, and may run the hooks of
its own extractor: so the process has its own session, no stream of the hook's, and hooks that are off.
Only the standard library is loaded; the agent waits for the hook.
"""

from __future__ import annotations

import marshal
import os
import sys

from ledger.environment import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from rituals.hosts.host_events import Moment

#: How much the process gives way to what the agent and its user run.
_NICENESS = 10
#: How long a command may take that nobody waits for, whatever it hangs on.
_SECONDS = 180
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
        os.chdir(folder)
        os.nice(_NICENESS)
        os.execve(sys.executable, command, environment)  # noqa: S606 - ourselves, without a shell

    apart(become, seconds=_SECONDS)


def apart(doing: Callable[[], object], *, seconds: int = 0, kept: Collection[int] = ()) -> None:
    """Do something in a process of its own, without a stream or file of this one's; return at once.

    Args:
        doing: what it does.
        seconds: it ends after so many at the latest; 0 for when it is done.
        kept: descriptors that it keeps.
    """
    child = os.fork()
    if child:
        os.waitpid(child, 0)  # it is gone at once, and a server keeps no dead
        return
    try:
        if not os.fork():
            import _signal  # type: ignore[import-not-found]  # `signal` without its enumerations

            os.setsid()
            _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
            _signal.alarm(seconds)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nowhere, stream)
            for other in range(3, _DESCRIPTORS):
                if other not in kept:
                    os.closerange(other, other + 1)
            doing()
    finally:
        os._exit(0)


def made_apart(doing: Callable[[], Any], *, seconds: int, held: int) -> Any:
    """Return what something makes apart, which goes on where its time is up for who waits for it.

    `marshal` takes what it makes, and it is short; None where it fails. `held` is a descriptor, whose lock
    lasts as long; the rest is as for `apart`.
    """
    out, into = os.pipe()
    with os.fdopen(out, "rb") as pipe:
        try:
            apart(
                lambda: os.write(into, marshal.dumps(doing())), seconds=seconds, kept=(held, into)
            )
        finally:
            os.close(into)
        data = pipe.read()
    return marshal.loads(data) if data else None  # noqa: S302 - our own child's
