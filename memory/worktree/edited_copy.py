"""Find the copy of `continuity.md` that people edit: in the work tree, or in the mirror."""

from __future__ import annotations

import os

from ledger.home import OWN_BRANCH, Home
from ledger.model.digest import blob_id
from ledger.model.layout import CONTINUITY_FILE, MIRROR_DIR
from memory.worktree.checkout import read_written


def copy_of(home: Home) -> tuple[str, str]:
    """Return what the copy of `continuity.md` that people edit is called, and where it is.

    Both are "" in a bare repository.
    """
    if not home.repository.top:
        return "", ""
    if home.kind == OWN_BRANCH:
        name = f"{MIRROR_DIR}/{CONTINUITY_FILE}"
        return name, f"{home.repository.top}/{name}"
    return CONTINUITY_FILE, f"{home.folder}/{CONTINUITY_FILE}"


def differs(home: Home) -> bool:
    """Tell whether the copy is other than Diurna last wrote it: a question that git is not asked."""
    name, path = copy_of(home)
    data = read_copy(path) if path else None
    return data is not None and read_written(home).get(name) != blob_id(data)


def read_copy(path: str) -> bytes | None:
    """Return the bytes of the copy, None when there is none; a link is never ours, and holds none."""
    try:
        if os.path.islink(path):
            return b""
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
