"""Put the questions about all facts together to git in one batch."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.git.code_history import Code
from projection.fold.projection_state import Standing
from rituals.review.evidence.audit_subjects import named_by
from rituals.review.evidence.changed_files import churn_questions, commit_questions
from rituals.review.evidence.manifests import manifest_questions
from rituals.review.evidence.paths import name_questions, path_questions
from rituals.review.review_question import Question


def evidence_questions(standings: Iterable[Standing], code: Code) -> list[Question]:
    """Ask about everything that live facts name and that is no longer there."""
    named = named_by(standings)
    if not named:
        return []
    files = code.files()
    return [
        *path_questions(named, code, files),
        *name_questions(named, code),
        *manifest_questions(named, code, files),
        *commit_questions(named, code),
        *churn_questions(named, code, files),
    ]
