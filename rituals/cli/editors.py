"""Open a place in the editor that the environment names, at its line where the editor takes one."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping

from ledger.errors import DiurnaError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.query.memory_places import Place

_PLUS = frozenset(
    "vi vim nvim view ex gvim mvim vimx nano pico emacs emacsclient joe jed kak mg micro ne mcedit"
    " gedit kwrite".split()
)
_GOTO = frozenset("code code-insiders codium vscodium cursor windsurf".split())
_COLON = frozenset("subl sublime_text zed hx helix".split())


def editor_of(environment: Mapping[str, str]) -> list[str]:
    """Return the editor that the environment names as a command, [] for none.

    Raises:
        DiurnaError: its quotes are not closed.
    """
    for name in ("VISUAL", "EDITOR"):
        said = environment.get(name, "").strip()
        if said:
            try:
                return shlex.split(said)
            except ValueError as problem:
                raise DiurnaError(f"{said!r} is no command: {problem}", where=f"${name}") from None
    return []


def command_for(editor: list[str], place: Place) -> list[str]:
    """Return the command that opens a place: with its line where the editor is known to take one."""
    name = os.path.basename(editor[0]).removesuffix(".exe").lower()
    if name in _PLUS:
        return [*editor, f"+{place.line}", place.file]
    if name in _GOTO:
        return [*editor, "--goto", f"{place.file}:{place.line}"]
    if name in _COLON:
        return [*editor, f"{place.file}:{place.line}"]
    return [*editor, place.file]


def open_in(editor: list[str], place: Place) -> None:
    """Open a place, and wait until the editor is closed.

    Raises:
        DiurnaError: there is no such program, or it failed.
    """
    try:
        code = subprocess.run(command_for(editor, place), check=False).returncode  # noqa: S603 - the user's own
    except OSError as problem:
        raise DiurnaError(
            f"{editor[0]} can not be run: {problem.strerror}", where="$VISUAL or $EDITOR",
            hint=f"the place is {place.file}:{place.line}",
        ) from None  # fmt: skip
    if code:
        raise DiurnaError(f"{editor[0]} ended with {code}", where="$VISUAL or $EDITOR")
