"""Find the copy of `continuity.md`, or of a view, that people edit: in the work tree, or in the mirror."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ledger.home import OWN_BRANCH, Home
from ledger.model.ids import blob_id
from ledger.model.layout import CONTINUITY_FILE, MIRROR_DIR
from ledger.wal.atomic_files import plain_bytes
from memory.worktree.checkout import is_editable, read_written
from projection.policy.model import Policy


def copy_of(home: Home, path: str = CONTINUITY_FILE) -> tuple[str, str]:
    """Return what the copy of a projection file that people edit is called, and where it is.

    Both are "" in a bare repository.
    """
    if not home.repository.top:
        return "", ""
    if home.kind == OWN_BRANCH:
        name = f"{MIRROR_DIR}/{path}"
        return name, f"{home.repository.top}/{name}"
    return path, f"{home.folder}/{path}"


def differs(home: Home, path: str = CONTINUITY_FILE) -> bool:
    """Tell whether the copy is other than Diurna last wrote it: a question that git is not asked."""
    name, path = copy_of(home, path)
    data = read_copy(path) if path else None
    return data is not None and blob_id(data) not in read_written(home).get(name, ())


def edited_paths(home: Home, policy: Policy) -> tuple[str, ...]:
    """Return the files that can be edited, and whose copies are other than Diurna last wrote them.

    A file in the place of a view that Diurna never wrote here is a person's own.
    """
    found = [CONTINUITY_FILE] if differs(home) else []
    if policy.view_files:
        wrote = read_written(home)
        found += [
            path
            for path in policy.view_files
            if copy_of(home, path)[0] in wrote and differs(home, path)
        ]
    return tuple(found)


def unread(home: Home, edited: Iterable[str]) -> tuple[str, ...]:
    """Return those of the edited projection files that nobody reads back.

    A page of the archive is one, and a file in the place of a view that Diurna never wrote there.
    """
    wrote = read_written(home)
    return tuple(
        [
            path
            for path in edited
            if not is_editable(path)
            or (path.removeprefix(f"{MIRROR_DIR}/") != CONTINUITY_FILE and path not in wrote)
        ]
    )


def read_copy(path: str) -> bytes | None:
    """Return the bytes of the copy, None when there is none; a link is never ours, and holds none."""
    return None if os.path.isdir(path) and not os.path.islink(path) else plain_bytes(path)
