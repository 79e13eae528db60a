"""Tell what of sessions is kept, and note that the user knows it.

A policy of former times means what it meant until its user was told what captured logs tell by now.
"""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.home import IN_TREE
from ledger.wal.atomic_files import make_folder, replace_file
from ledger.wal.user_key import state_folder
from projection.policy.model import ASK, DIGEST, FORMERLY, SAID, TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.policy.model import Policy

#: Its presence says that the user was told, in the folder where programs keep what is theirs.
_FILE = "diurna/informed"


def kept_by(policy: Policy, kind: str, *, informed: bool = False) -> str:
    """Return what of a session is kept: `TOLD`, `DIGEST`, `OFF`; `FORMERLY` for what was observed alone.

    In-tree logs are read by everybody who reads the code; `informed`: the user saw what is going to be
    told.
    """
    keep = policy.capture.keep or (FORMERLY if kind == IN_TREE else DIGEST)
    return TOLD if keep == FORMERLY and (informed or is_informed()) else keep


def makes_facts(policy: Policy) -> bool:
    """Tell whether facts come in that nobody looked at: what a person asks for, what a model finds."""
    return policy.capture.facts == SAID and policy.capture.approve != ASK


def is_informed() -> bool:
    """Tell whether the user was told what captured logs tell."""
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
