"""Show long output in a pager, as git does: `$DIURNA_PAGER`, `$PAGER`, or `less -FRX`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from typing import TextIO

from ledger.environment import variables

_DEFAULT = "less"
#: What less does unless `$LESS` says otherwise: end where all fits, show colours, clear no screen.
_LESS = "FRX"
_STYLE = re.compile(r"\x1b\[\d+m")
#: What a shell ends with where it can not run a command.
_NOT_RUN = (126, 127)


def page(text: str, stream: TextIO) -> bool:
    """Show a text in a pager if it is longer than the terminal; return whether it was shown.

    Whoever quits has seen enough.
    """
    environment = variables()
    command = environment.get("DIURNA_PAGER", environment.get("PAGER", _DEFAULT)).strip()
    if command in ("", "cat") or environment.get("TERM", "dumb") == "dumb" or _fits(text, stream):
        return False
    if command == _DEFAULT and shutil.which(_DEFAULT) is None:
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


def _fits(text: str, stream: TextIO) -> bool:
    """Tell whether a text, with the lines that the terminal breaks, leaves a line for what comes next."""
    try:
        columns, lines = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return True  # there is no terminal behind it
    columns, lines = columns or 80, lines or 24
    shown = 0
    for line in text.splitlines():
        shown += max(1, -(-len(_STYLE.sub("", line)) // columns))
        if shown >= lines:
            return False
    return True
