"""Make the checks of a command on what git has, without any cache."""

from __future__ import annotations

from collections.abc import Callable

from ledger.model.findings import Finding, severe
from memory.api import Memory
from rituals.check.check_registry import LINT, VERIFY, chosen, make
from rituals.check.survey import PARTS, Survey
from rituals.check.verify.branch_checkpoint import Checkpoint, remember

Progress = Callable[[int, int], None]


def made(memory: Memory, command: str, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Make the checks of `verify`, `lint` or `review`; return what is wrong, errors first.

    Remembers the tip when no error is found, so that a later rewriting of the history shows. Progress is
    told (done, total).
    """
    parts = PARTS if command == LINT else PARTS[:-1]
    now_ms = memory.occasion().now_ms
    survey = Survey(memory, now_ms, cold=True, progress=progress, parts=parts)
    found = make(survey, chosen(command))
    remember_sound(survey, found)
    return found


def remember_sound(survey: Survey, findings: tuple[Finding, ...]) -> None:
    """Remember the tip where no error is found, so that a later rewriting of the history shows."""
    if survey.tip and not severe(findings):
        summary = survey.state.summary
        remember(survey.home, Checkpoint(survey.tip, len(survey.logs[0]), summary.digest))


def verify(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check the ledger, its history and its checkout; return what is wrong, errors first."""
    return made(memory, VERIFY, progress)


def lint(memory: Memory, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Check a home and all its texts; return what is wrong, errors first."""
    return made(memory, LINT, progress)
