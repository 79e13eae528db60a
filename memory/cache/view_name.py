"""Name what a home shows: the tip of its branch, and the logs that wait beside it (W14, W20)."""

from __future__ import annotations

import os

from ledger.home import IN_TREE, Home
from ledger.wal.user_key import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from projection.policy.model import Policy

#: Stands between the tip and what tells the logs that wait.
AND = "+"


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
