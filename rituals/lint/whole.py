"""Lint of a whole home: what `verify` finds, what stands in the texts, and what is due."""

from __future__ import annotations

from rituals.checks.registry import LINT, chosen, findings_of, in_order
from rituals.checks.survey import PARTS, Survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.findings import Finding
    from memory.api import Memory

    Progress = Callable[[int, int], None]


def lint(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check a home; return what is wrong, errors first.

    Args:
        memory: the home, open.
        progress: told how far it is, as (done, total).
    """
    now_ms = memory.occasion().now_ms
    survey = Survey(memory.home, memory, now_ms, cold=True, progress=progress, parts=PARTS)
    return in_order(findings_of(survey, chosen(LINT)))
