"""Print what `quiz` found, and build the objects of its `--json`."""

from __future__ import annotations

from rituals.answers.record_fields import fields_of
from rituals.report.quiz.quiz_findings import missing, tallied
from rituals.report.quiz.score import ARCHIVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.output import Output
    from rituals.report.quiz.score import Result, Score
    from rituals.report.quiz.suggest import Suggestion


def print_score(found: Score, out: Output) -> None:
    """Print the score, and what is missing in each question that memory does not answer."""
    out.line(f"{tallied(found)} answered")
    for one in found.missed:
        out.line("")
        general = "general, " if one.asked.general else ""
        out.line((one.asked.text, "bold"), (f"  ({general}{one.asked.name})", "dim"))
        for line in missing(one):
            out.line(f"  {line}")
    if not found.own.asked:
        out.hint("`diurna review --quiz --suggest` proposes questions about what this ledger knows")
    if any(lack.why == ARCHIVED for one in found.own.missed for lack in one.lacks):
        out.hint(
            "what is in the archive comes back when work relies on it: `diurna append --ref ID`"
        )
    if found.own.missed:
        out.hint("reword the question as people ask it, or the fact so that it answers; one that"
                 " nobody asks any more: `diurna forget ID --archive --reason TEXT`")  # fmt: skip


def print_suggestions(proposed: tuple[Suggestion, ...], out: Output) -> None:
    """Print proposed questions, each as what `diurna note` takes."""
    for one in proposed:
        out.line(f'diurna note "{one.line}"')
    if not proposed:
        return out.talk("a question reaches every fact that is live")
    late = sum(not one.answered for one in proposed)
    if late:
        out.talk(f"recall does not answer {late} of them yet as they stand")
    out.hint("reword them as people ask; `diurna review --quiz` says which of them memory answers")


def quiz_row(found: Score) -> dict[str, object]:
    """Describe a score in short."""
    return {
        **fields_of(found, "asked answered"),
        "missed": [one.asked.name for one in found.missed],
    }


def score_object(found: Score) -> dict[str, object]:
    """Describe a score."""
    return {
        **fields_of(found, "asked answered"),
        "general": fields_of(found.general, "asked answered"),
        "questions": [_result_object(one) for one in found.results],
    }


def suggestion_object(one: Suggestion) -> dict[str, object]:
    """Describe a proposed question."""
    return fields_of(one, "expect text line answered")


def _result_object(one: Result) -> dict[str, object]:
    return {
        **fields_of(one.asked, "name text general expect kinds"),
        "answered": bool(one.place),
        **fields_of(one, "place given"),
        "lacks": [fields_of(lack, "id why place instead") for lack in one.lacks],
    }
