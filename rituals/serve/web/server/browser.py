"""Open a person's browser at the first page, without showing the token to others of the machine.

Whoever lists processes sees the arguments of all of them, and a browser is started with an address. So it
is started with the name of a file that only this user can read, and that leads on to the address.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path

from ledger.errors import DiurnaError
from ledger.wal.atomic_files import make_folder, replace_file

#: Without one of these a browser of the terminal would be found, if any.
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
_LEADING_ON = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Diurna</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url={0}">
<p><a href="{0}">Open this memory</a></p></html>
"""


def has_browser(environment: Mapping[str, str]) -> bool:
    """Tell whether a browser with windows can be there."""
    return sys.platform == "darwin" or any(environment.get(name) for name in _DISPLAYS)


class Opening:
    """A browser that is on its way, and the file that leads it on.

    Args:
        address: with the token.
        folder: of this user, for the file.
        name: of the file.
    """

    def __init__(self, address: str, folder: str, name: str) -> None:
        self._address, self._folder = address, folder
        self._path = os.path.join(folder, name)

    def begin(self) -> None:
        """Start the browser, and wait for nothing; where it can not be, the terminal has the address."""
        try:
            make_folder(self._folder)
            replace_file(self._path, _LEADING_ON.format(escape(self._address)).encode(), 0o600)
            subprocess.Popen(  # noqa: S603 - our own interpreter, and a path of ours
                [sys.executable, "-P", "-m", "webbrowser", Path(self._path).absolute().as_uri()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        except (OSError, DiurnaError):
            return

    def end(self) -> None:
        """Take the file away: what it leads to is gone."""
        try:
            os.unlink(self._path)
        except OSError:
            return
