"""The objects of `diurna review --json`: the plan, its questions and what became of them."""

from __future__ import annotations

from ledger.model.event import VERB_OF
from projection.lifecycle.promotion import Score
from rituals.answers.objects import event_line, finding_objects, summary_object
from rituals.review.tally import OF_REVIEW, counts, severities

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.review.apply import Outcome
    from rituals.review.question import Question

_MARKS = ("undocumented", "reusable", "specific", "used", "unlike")


def review_object(outcome: Outcome, dry_run: bool) -> dict[str, object]:
    """Describe a review and its plan."""
    plan = outcome.plan
    fresh = {question.key for question in plan.fresh}
    aged = plan.ageing
    return {
        **summary_object(plan.summary),
        "tip": plan.tip,
        "code": plan.code,
        "since": plan.summary.last_review,
        "sessions_since": plan.sessions_since,
        "due": list(plan.due),
        "size": dict(zip(plan.size._fields, plan.size, strict=True)),
        "tiers": dict(plan.tiers),
        "changed": [{"id": c.id, "before": c.before, "after": c.after} for c in aged.changed],
        "born": list(aged.born),
        "faded": list(aged.faded),
        "swept": list(aged.swept),
        "false": list(aged.false),
        "returned": list(aged.returned),
        "fading": [{"id": one.id, "left": one.left} for one in aged.fading],
        "pace": {
            "days": plan.pace.days,
            "sessions": plan.pace.sessions,
            "agents": dict(plan.pace.agents),
        },
        "promotions": [_score_object(score) for score in plan.scores],
        "questions": [
            {**_question_object(question), "fresh": question.key in fresh}
            for question in plan.questions
        ],
        "settled": [one.id for one in plan.settled],
        "stem": outcome.stem,
        "commit": outcome.commit,
        "events": [{"event": VERB_OF[type(one)], "id": one.id} for one in outcome.events],
        "raised": list(outcome.raised),
        "published": list(outcome.published),
        "nothing_new": plan.nothing_new,
        "verified": finding_objects(outcome.verified),
        "findings": finding_objects(outcome.findings),
        "dry_run": dry_run,
    }


def _score_object(score: Score) -> dict[str, object]:
    marks = {name: getattr(score, name) for name in _MARKS}
    return {"id": score.id, "total": score.total, **marks, "proposal": score.proposal}


def _question_object(question: Question) -> dict[str, object]:
    return {
        "key": question.key,
        "rule": question.rule,
        "facts": list(question.facts),
        "said": question.said,
        "evidence": list(question.evidence),
        "proposal": question.proposal,
    }


def verified_line(outcome: Outcome) -> str:
    """Say how much was wrong before the review, "" for nothing; what is due stands in its answer."""
    found = [one.code for one in outcome.verified if one.code not in OF_REVIEW]
    return f"Checked     {severities(counts(found))}; `diurna verify` names them" if found else ""


def answer_lines(outcome: Outcome) -> list[str]:
    """Say what a review's log says happened, a line each: answers first, then what it raises."""
    raised = set(outcome.raised)
    lines = [event_line(event) for event in outcome.events if event.id not in raised]
    for thread in outcome.plan.threads:
        if thread.id in raised:
            lines.append(f"Raised      {thread.id}: {(thread.text or '').split(chr(10))[0]}")
    return lines
