"""Tell whether a process died at its work: asked before every answer, so it loads nothing."""

from __future__ import annotations

import os

from ledger.model.layout import LOCK_FILE


def died(commondir: str) -> bool:
    """Tell whether a process died while it held Diurna's lock, or left it something to finish.

    That is a look at the size of one file, and where somebody may hold the lock, a try to take it.
    """
    path = os.path.join(commondir, LOCK_FILE)
    try:
        if not os.stat(path).st_size:
            return False
        import fcntl  # most files are empty

        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return bool(os.fstat(file.fileno()).st_size)
    except OSError:
        return False  # it lives, or there is no lock here
