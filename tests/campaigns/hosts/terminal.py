"""Run a program on a terminal, as a person does: it draws, asks what the terminal is, and waits for keys."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from pathlib import Path

from tests.campaigns.hosts.programs import Start

#: What a program asks of a terminal, and what a plain one answers.
_ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?1;2c",
    b"\x1b[>c": b"\x1b[>0;0;0c",
    b"\x1b[?u": b"\x1b[?0u",
}
#: What stands before the prompt where a person looks on.
_BEFORE = {
    "claude": ("--permission-mode", "default"),
    "codex": ("-c", 'model="played"'),
    **dict.fromkeys(("gemini", "qwen", "copilot"), ("-i",)),
}
_ALONE = ("--trust-folder", "-p", "--json", "--verbose", "exec", "--skip-git-repo-check")


def seen(host: str, start: Start) -> Start:
    """Return a start without a person as one with a person."""
    words: list[str] = []
    given = list(start.arguments)
    while given:
        word = given.pop(0)
        if word == "--output-format":
            given.pop(0)
        elif word not in _ALONE:
            words.append(word)
    return start._replace(arguments=(*words[:-1], *_BEFORE.get(host, ()), words[-1]))


def on_terminal(start: Start, top: Path, out: Path) -> tuple[subprocess.Popen[bytes]]:
    """Start a program on a terminal of its own; what it draws stands in `stdout`."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
    process = subprocess.Popen(
        start.arguments, cwd=top, env=dict(start.environment), start_new_session=True, stdin=theirs,
        stdout=theirs, stderr=theirs, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(theirs)
    (out / "stderr").touch()
    threading.Thread(target=_look, args=(ours, out / "stdout"), daemon=True).start()
    return (process,)


def _look(ours: int, path: Path) -> None:
    """Keep what a program draws, and answer what it asks of its terminal."""
    with open(path, "wb") as screen:
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:
                return  # it has ended
            screen.write(part)
            screen.flush()
            for asked, answer in _ANSWERS.items():
                if asked in part:
                    os.write(ours, answer)
