"""Write the score of a quiz into the header of a review's log, and read it there."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.model.record import Record
from rituals.report.quiz.score import Score

QUIZ_KEY, UNANSWERED_KEY = "quiz", "unanswered"
#: The most questions that a header names.
_NAMED = 100


class Row(Record):
    """The score that a review noted."""

    stem: str  #: of its log
    answered: int  #: how many questions memory answered then
    asked: int  #: how many there were
    unanswered: tuple[str, ...]  #: names of those that it did not answer, the first hundred


def score_header(found: Score) -> tuple[tuple[str, str], ...]:
    """Write a score as pairs of a header: `quiz: 24/28`, and `unanswered: q-a, q-b` where some were."""
    names = [one.asked.name for one in found.missed][:_NAMED]
    pairs = ((QUIZ_KEY, f"{found.answered}/{found.asked}"), (UNANSWERED_KEY, ", ".join(names)))
    return pairs if names else pairs[:1]


def row_of(stem: str, header: Mapping[str, str]) -> Row | None:
    """Read a score from pairs of a header; None where there is none."""
    answered, _, asked = header.get(QUIZ_KEY, "").partition("/")
    if not all(one.isascii() and one.isdigit() and len(one) < 10 for one in (answered, asked)):
        return None
    names = [one.strip() for one in header.get(UNANSWERED_KEY, "").split(",")]
    return Row(stem, int(answered), int(asked), tuple([one for one in names if one]))
