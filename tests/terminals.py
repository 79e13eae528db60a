"""Run a command on a real terminal, type into it, and read what it shows."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.campaigns import forks

_PATIENCE = 60.0
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")


class Terminal:
    """A process whose standard streams are a pseudo-terminal.

    Args:
        command: to run; one of this interpreter is forked from a process that has all loaded.
        folder: where.
        environment: of the process.
    """

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._end, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._process: forks.Forked | subprocess.Popen[bytes]
        if command[0] == sys.executable:
            self._process = forks.Forked(command[1:], folder, environment, terminal=inner)
        else:
            self._process = subprocess.Popen(
                command, cwd=folder, env=dict(environment), stdin=inner, stdout=inner, stderr=inner,
                start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # Ctrl-C reaches it
            )  # fmt: skip
        os.close(inner)
        #: All that was shown, without escapes.
        self.shown = ""

    def expect(self, text: str) -> str:
        """Read until a text is shown, behind what was expected before; return all that came with it."""
        start, end = len(self.shown), time.monotonic() + _PATIENCE
        while text not in self.shown[start:]:
            assert self._read(end), f"{text!r} never came; shown was\n{self.shown[start:]}"
        return self.shown[start:]

    def answer(self, prompt: str, typed: str) -> str:
        """Wait for a prompt and type a line; return what was shown up to it."""
        found = self.expect(prompt)
        os.write(self._end, f"{typed}\n".encode())
        return found

    def press(self, keys: str) -> None:
        """Type without Enter."""
        os.write(self._end, keys.encode())

    def finish(self, keys: str = "") -> int:
        """Read to the end, with `keys` pressed again and again until then; return the exit code."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            if keys and self._process.poll() is None:
                self.press(keys)
            if (
                not self._read(min(end, time.monotonic() + 0.5))
                and self._process.poll() is not None
            ):
                break
        self._process.kill()  # nothing, where it has ended
        code = self._process.wait()
        os.close(self._end)
        return code

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._end], [], [], max(end - time.monotonic(), 0))
        try:
            data = os.read(self._end, 65536) if ready else b""
        except OSError:  # Linux says so when the other side is closed
            data = b""
        self.shown += _ESCAPES.sub("", data.decode("utf-8", "replace"))
        return bool(data)
