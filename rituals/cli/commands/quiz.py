"""Run `diurna quiz`: ask memory what the project has to know, and say what it does not answer."""

from __future__ import annotations

from rituals.answers.record_fields import fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import Output
from rituals.report.quiz.quiz_findings import missing, tallied
from rituals.report.quiz.score import ARCHIVED, Result, Score, score
from rituals.report.quiz.suggest import Suggestion


def quiz(call: Invocation, suggest: bool) -> None:
    """Run `diurna quiz`."""
    from rituals.report.quiz.suggest import suggestions

    memory, out = call.memory(), call.out
    found = score(memory, out.progress)
    proposed = suggestions(memory, found) if suggest else ()
    if call.json:
        said = {"suggestions": [_suggestion_object(one) for one in proposed]} if suggest else {}
        return out.answer({**_score_object(found), **said})
    if suggest:
        return _print_suggestions(proposed, out)
    _print_score(found, out)


def _print_score(found: Score, out: Output) -> None:
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


def _print_suggestions(proposed: tuple[Suggestion, ...], out: Output) -> None:
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


def _score_object(found: Score) -> dict[str, object]:
    return {
        **fields_of(found, "asked answered"),
        "general": fields_of(found.general, "asked answered"),
        "questions": [_result_object(one) for one in found.results],
    }


def _suggestion_object(one: Suggestion) -> dict[str, object]:
    return fields_of(one, "expect text line answered")


def _result_object(one: Result) -> dict[str, object]:
    return {
        **fields_of(one.asked, "name text general expect kinds"),
        "answered": bool(one.place),
        **fields_of(one, "place given"),
        "lacks": [fields_of(lack, "id why place instead") for lack in one.lacks],
    }
