"""A command that dies, or is answered with an error, at one of the boundaries where it changes something.

`python -m tests.doomed HOW AT COMMAND …` counts what this process is about to do to files in its folder, and
which gits it starts, and at the AT-th it is killed (`kill`), or what it asks for fails (`ENOSPC`, `EIO`,
`EACCES`). It knows nothing of Diurna: the interpreter tells every audit hook what is asked of the system.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from typing import Any

#: Asked by path: which of the arguments it is.
_PATHS = {
    "os.rename": 1, "os.link": 1, "os.symlink": 1, "os.remove": 0, "os.mkdir": 0, "os.rmdir": 0,
    "os.truncate": 0, "os.chmod": 0, "tests.flush": 0,
}  # fmt: skip
_STARTS = ("subprocess.Popen", "os.posix_spawn", "os.exec")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def arm(how: str, at: int) -> None:
    """Let the `at`-th boundary from here on be the last one, or fail."""
    top, left = os.getcwd(), [at]

    def met(event: str, arguments: tuple[Any, ...]) -> None:
        if not _changes(event, arguments, top):
            return
        left[0] -= 1
        if left[0]:
            return
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        code = getattr(errno, how)
        raise OSError(code, os.strerror(code))

    for name in ("fsync", "fdatasync"):
        setattr(os, name, _told(getattr(os, name)))
    sys.addaudithook(met)


def _told(flush: Any) -> Any:
    def flushed(file: int) -> None:
        sys.audit("tests.flush", os.readlink(f"/proc/self/fd/{file}"))
        flush(file)

    return flushed


def _changes(event: str, arguments: tuple[Any, ...], top: str) -> bool:
    if event in _STARTS:
        return True
    if event == "open":
        path, _, flags = arguments
        if not flags & _WRITES:
            return False
    elif event in _PATHS:
        path = arguments[_PATHS[event]]
    else:
        return False
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    return os.path.abspath(os.fsdecode(path)).startswith(f"{top}/")


if __name__ == "__main__":
    from rituals.cli.app import main

    arm(sys.argv[1], int(sys.argv[2]))
    sys.exit(main(sys.argv[3:]))
