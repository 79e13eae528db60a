"""Note that the user was told what captured logs tell: before, a policy of former times goes on meaning less."""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.wal.atomic_files import make_folder, replace_file
from memory.cache.key import state_folder

#: Its presence says so, in the folder where programs keep what is theirs.
_FILE = "diurna/informed"


def is_informed() -> bool:
    """Tell whether the user was told."""
    folder = state_folder()
    return bool(folder) and os.path.exists(f"{folder}/{_FILE}")


def note_informed() -> None:
    """Note that the user was told; a disk that refuses is no reason to fail."""
    folder = state_folder()
    try:
        if folder:
            make_folder(f"{folder}/diurna")
            replace_file(f"{folder}/{_FILE}", b"", 0o600)
    except (DiurnaError, OSError):
        pass
