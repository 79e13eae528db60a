"""Verify: all checks of the ledger, its history and its checkout, on what git has."""

from __future__ import annotations

from ledger.findings import severe
from rituals.verify.rewritten import Checkpoint, remember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.findings import Finding
    from memory.api import Memory

    Progress = Callable[[int, int], None]


def verify(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check the whole ledger; return what is wrong, errors first.

    Remembers the tip when no error is found, so that a later rewriting of the history shows.

    Args:
        memory: the home, open.
        progress: told how far it is, as (done, total).
    """
    from rituals.checks.registry import VERIFY, chosen, findings_of, in_order
    from rituals.checks.survey import HISTORY, READING, Survey

    survey = Survey(
        memory.home, memory, memory.occasion().now_ms,
        cold=True, progress=progress, parts=(READING, HISTORY),
    )  # fmt: skip
    found = in_order(findings_of(survey, chosen(VERIFY)))
    if survey.tip and not severe(found):
        summary = survey.state.summary
        remember(memory.home, Checkpoint(survey.tip, len(survey.logs[0]), summary.digest))
    return found
