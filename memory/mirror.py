"""The mirror of an own-branch home: its projection files in `.memory/`, outside git's view."""

from __future__ import annotations

import os

from ledger.disk import make_folder, replace_file
from ledger.errors import DiurnaError
from ledger.findings import Finding
from ledger.home import Home
from ledger.layout import MIRROR_DIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def mirror(home: Home, files: Iterable[tuple[str, bytes | None]]) -> list[Finding]:
    """Write projection files to the mirror; None takes a page out.

    Args:
        home: an own-branch home with a work tree.
        files: (path relative to the home, bytes).
    """
    findings: list[Finding] = []
    folder = f"{home.repository.top}/{MIRROR_DIR}"
    for path, data in files:
        full = f"{folder}/{path}"
        try:
            if data is None:
                if os.path.isfile(full) and not os.path.islink(full):
                    os.unlink(full)
                continue
            if os.path.islink(folder):
                raise OSError("the mirror folder is a link")
            make_folder(os.path.dirname(full), 0o777)
            replace_file(full, data)
        except (DiurnaError, OSError) as problem:
            findings.append(Finding("drift", f"the mirror {full} was not written: {problem}", path))
    return findings


def keep_out_of_status(home: Home) -> bool:
    """Put the mirror into `.git/info/exclude`; tell whether that was needed."""
    path = f"{home.repository.commondir}/info/exclude"
    line = f"/{MIRROR_DIR}/"
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    if line in text.split("\n"):
        return False
    make_folder(os.path.dirname(path), 0o777)
    if text and not text.endswith("\n"):
        text += "\n"
    replace_file(path, (text + line + "\n").encode("utf-8", "surrogateescape"))
    return True
