"""Lint of a whole home: what `verify` finds, what stands in the texts, and what is due."""

from __future__ import annotations

from rituals.check.registry import LINT
from rituals.check.run import made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.model.findings import Finding
    from memory.api import Memory

    Progress = Callable[[int, int], None]


def lint(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check a home; return what is wrong, errors first.

    Args:
        memory: the home, open.
        progress: told how far it is, as (done, total).
    """
    return made(memory, LINT, progress).findings
