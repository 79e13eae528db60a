"""Check whether memory answers the questions that the ledger asks of it."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.model.findings import Finding
from rituals.check.survey import Survey
from rituals.report.quiz.quiz_findings import missing
from rituals.report.quiz.score import score

_MISSED_HINT = "`diurna review --quiz` shows the questions, as people ask them, and what is missing"
_GENERAL_HINT = "`diurna review --quiz` says which kinds of facts are missing"


def unanswered(survey: Survey) -> Iterator[Finding]:
    """Name each question of the ledger that memory does not answer, and the general ones together."""
    found = score(survey.memory)
    for one in found.own.missed:
        said = f"{one.asked.name} is not answered: {'; '.join(missing(one))}"
        yield Finding("quiz-missed", said, hint=_MISSED_HINT)
    general = found.general
    if general.missed:
        names = ", ".join(one.asked.name for one in general.missed)
        many = f"{len(general.missed)} of {general.asked} general questions"
        yield Finding("quiz-general", f"{many} are not answered: {names}", hint=_GENERAL_HINT)
