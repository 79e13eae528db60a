"""Have marked what facts name and the code no longer has, in a process that nobody waits for."""

from __future__ import annotations

import os

from ledger.environment import variables
from ledger.git.repository import head
from memory.cache.truth import has_code, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home


def look_after(home: Home) -> None:
    """Start who makes the marks of a home, where code or ledger moved since; return at once.

    A failure is none of the caller's: an append is recorded, whatever becomes of the marks. Under a clock
    that was set by hand nothing is started: it does not tell what was written before a commit.
    """
    if not has_code(home) or "DIURNA_NOW" in variables() or not _is_work(home):
        return
    kept = read(home)
    if kept is not None and (kept.code, kept.tip) == (head(home.repository)[1], home.tip()):
        return
    from rituals.hosts.capture.detached import run

    folder = home.folder if home.checked_out else home.repository.top
    try:
        child = os.fork()
        if not child:
            try:
                run([], folder, module="rituals.review.truth")
            finally:
                os._exit(0)
        os.waitpid(
            child, 0
        )  # which does not wait for its own: a long-running process keeps no dead
    except OSError:
        pass


def _is_work(home: Home) -> bool:
    """Tell whether the work tree has anything beside the memory."""
    own = home.prefix.partition("/")[0] if home.checked_out else ""
    names = os.listdir(home.repository.top)
    return any(name[:1] != "." and name != own for name in names)
