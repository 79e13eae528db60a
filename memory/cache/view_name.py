"""Name what a home shows: the tip of its branch, and the logs that wait beside it (W14, W20)."""

from __future__ import annotations

import os

from ledger.home import IN_TREE, Home
from ledger.model.layout import CACHE_DIR, HIDDEN_FILE
from ledger.wal.user_key import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.policy.model import Policy

#: Stands between the tip and what tells the logs that wait.
AND = "+"
#: Ends the names of the files in which the last briefs are kept.
BRIEFS = ".briefs"


def rides(home: Home, policy: Policy) -> bool:
    """Tell whether logs wait for a person's own next commit, and go with that (W20)."""
    return home.kind == IN_TREE and home.checked_out and not policy.commit.own


def beside(home: Home) -> str:
    """Return what the name of the view has behind that of the tip: "" where nothing waits.

    Ask before looking where the branch stands: what is gone from here meanwhile is on a branch by then. A
    log that is being written has another size when it is whole.
    """
    try:
        with os.scandir(home.held_folder) as files:
            waiting = sorted([(file.name, file.stat().st_size) for file in files if file.is_file()])
    except OSError:
        return ""
    said = [f"{name} {size}".encode("utf-8", "surrogateescape") for name, size in waiting]
    return f"{AND}{digest(*said)}" if said else ""


def seen(home: Home) -> str:
    """Name what a home shows at this moment."""
    waits = beside(home)
    return home.tip() + waits


def tip_of(name: str) -> str:
    """Return the commit that a view is of."""
    return name.partition(AND)[0]


def waiting(home: Home) -> tuple[str, ...]:
    """Return the stems of the logs that wait for the branch."""
    folder = home.spool_folder
    if not any(_has_files(one) for one in (folder, f"{folder}/held")):
        return ()
    from ledger.wal.spool import Spool

    spool = Spool(folder)
    return (*spool.waiting(), *spool.held())


def _has_files(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(entry.is_file() for entry in entries)
    except OSError:
        return False


def hidden(home: Home) -> bytes:
    """Return what changes in a clone whenever something is hidden there."""
    try:
        with open(f"{home.repository.commondir}/{HIDDEN_FILE}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def drop_briefs(home: Home) -> None:
    """Let go of the briefs that are kept or being made for starts: something is hidden.

    Raises:
        StorageFailed: the disk refused.
    """
    from ledger.wal.atomic_files import make_folder, replace_file

    make_folder(home.state_dir)
    replace_file(f"{home.repository.commondir}/{HIDDEN_FILE}", os.urandom(16), 0o600)
    folder = f"{home.repository.commondir}/{CACHE_DIR}"
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(BRIEFS):
            os.unlink(f"{folder}/{name}")
