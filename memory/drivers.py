"""The local side of the merge rules: a plain `git pull` leaves projections as they are here.

`.gitattributes` (in the home) keeps git from merging them anywhere. Where Diurna writes, both sides change
them, and git would call that a conflict; so the first write sets a driver that keeps ours, in files that
never leave this clone. The next command recomputes.
"""

from __future__ import annotations

import os

from ledger.disk import make_folder, replace_file
from ledger.home import OWN_BRANCH, Home
from ledger.layout import ARCHIVE_DIR, CONTINUITY_FILE

DRIVER = "diurna-ours"


def ensure_drivers(home: Home, *, again: bool = False) -> bool:
    """Set the driver and its attribute once for each clone and prefix; tell whether it was needed.

    Args:
        home: the home.
        again: also where they were set before, and somebody took them away.
    """
    if home.kind == OWN_BRANCH:
        return False  # never checked out, so git never merges it in a work tree
    common = home.repository.commondir
    marker = f"{common}/diurna/merge-driver@{home.prefix.replace('/', '%2F')}"
    if os.path.exists(marker) and not again:
        return False
    path = f"{common}/info/attributes"
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    lines = [
        f"/{home.prefix}{CONTINUITY_FILE} merge={DRIVER}",
        f"/{home.prefix}{ARCHIVE_DIR}/** merge={DRIVER}",
    ]
    missing = [line for line in lines if line not in text.split("\n")]
    if missing:
        if text and not text.endswith("\n"):
            text += "\n"
        make_folder(os.path.dirname(path), 0o777)
        text += "".join(line + "\n" for line in missing)
        replace_file(path, text.encode("utf-8", "surrogateescape"))
    git = home.repository.git()
    git.configure("config", "--local", f"merge.{DRIVER}.name", "keep ours; Diurna recomputes")
    git.configure("config", "--local", f"merge.{DRIVER}.driver", "true")
    make_folder(os.path.dirname(marker))
    replace_file(marker, b"", 0o600)
    return bool(missing)
