"""Name what a home shows: the tip of its branch, and the captured logs that wait beside it (W14)."""

from __future__ import annotations

import os

from memory.cache.key import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home

#: Stands between the tip and what tells the logs that wait.
AND = "+"


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


def tip_of(name: str) -> str:
    """Return the commit that a view is of."""
    return name.partition(AND)[0]
