"""Do what only a terminal can: page long output as git does, and draw a bar while work takes long.

The pager is `$DIURNA_PAGER`, `$PAGER`, or `less -FRX`; the bar is one line of stderr.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable
from typing import TextIO

from ledger.environment import variables

_DEFAULT = "less"
#: What less does unless `$LESS` says otherwise: end where all fits, show colours, clear no screen.
_LESS = "FRX"
#: What a shell ends with where it can not run a command.
_NOT_RUN = (126, 127)


def page(text: str, stream: TextIO) -> bool:
    """Show a text in a pager if it has more lines than the terminal; return whether it was shown.

    Whoever quits has seen enough.
    """
    environment = variables()
    command = environment.get("DIURNA_PAGER", environment.get("PAGER", _DEFAULT)).strip()
    if command in ("", "cat") or environment.get("TERM", "dumb") == "dumb":
        return False
    short = text.count("\n") < shutil.get_terminal_size().lines
    if short or (command == _DEFAULT and shutil.which(command) is None):
        return False
    stream.flush()
    pager = subprocess.Popen(  # noqa: S602 - it is a line for the shell, as in every program that has one
        command, shell=True, stdin=subprocess.PIPE, env={"LESS": _LESS, "LV": "-c", **environment}
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager
    try:
        pager.communicate(text.encode(stream.encoding or "utf-8", "backslashreplace"))
    finally:
        signal.signal(signal.SIGINT, before)
    return pager.returncode not in _NOT_RUN


_PATIENCE_SECONDS = 0.5
_WIDTH = 30


class Progress:
    """Draws how far something is, once it has taken half a second.

    Args:
        stream: a terminal.
        monotonic: gives seconds.
    """

    def __init__(self, stream: TextIO, monotonic: Callable[[], float]) -> None:
        self._stream = stream
        self._monotonic = monotonic
        self._since = 0.0
        self._drawn = False

    def draw(self, done: int, total: int, what: str = "reading logs") -> None:
        """Draw `done` of `total`."""
        now = self._monotonic()
        if not self._since:
            self._since = now
        if now - self._since < _PATIENCE_SECONDS or total <= 0:
            return
        filled = _WIDTH * min(done, total) // total
        bar = "#" * filled + "." * (_WIDTH - filled)
        self._stream.write(f"\r\x1b[K{what} [{bar}] {done}/{total}")
        self._stream.flush()
        self._drawn = True

    def clear(self) -> None:
        """Take the bar away, before anything else is written."""
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._drawn = False
