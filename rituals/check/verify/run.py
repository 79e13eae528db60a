"""Verify: all checks of the ledger, its history and its checkout, on what git has."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.model.findings import Finding
    from memory.api import Memory

    Progress = Callable[[int, int], None]


def verify(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check the whole ledger; return what is wrong, errors first.

    Args:
        memory: the home, open.
        progress: told how far it is, as (done, total).
    """
    from rituals.check.registry import VERIFY
    from rituals.check.run import made

    return made(memory, VERIFY, progress).findings
