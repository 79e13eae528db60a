"""Write the section `## Memory Review` of a review's log: ids, numbers and evidence, no fact's text."""

from __future__ import annotations

from projection.lifecycle.footer_remarks import NOTE_KEY, remarks
from rituals.decide.open_contradictions import kinds_of
from rituals.review.review_plan import Plan
from rituals.review.review_question import LIST_LIMIT, RULES, listed

TITLE, CUT_SHORT = "Memory review", "Memory review, left before the end"
HEADING = "## Memory Review"
_FADING_LIMIT = 10


def body(plan: Plan) -> str:
    """Write the prose of the review's log: what is new in full, what an earlier one asked as a number."""
    lines = [HEADING, "", *[f"- {line}" for line in summary_lines(plan)]]
    if left := len(plan.unanswered) - len(plan.fresh):
        lines.append(f"- Asked before and left open: {left} question{'s' * (left > 1)}")
    for rule in dict.fromkeys(question.rule for question in plan.fresh):
        asked = [question for question in plan.fresh if question.rule == rule]
        lines += ["", f"### {RULES[rule]} ({len(asked)})", ""]
        for question in asked[:LIST_LIMIT]:
            lines.append(f"- {question.said}")
            lines += [f"  - {line}" for line in question.evidence]
        if len(asked) > LIST_LIMIT:
            lines.append(f"- and {len(asked) - LIST_LIMIT} more")
    return "\n".join(lines)


def cut_short(verb: str, done: int, left: int) -> str:
    """Write the prose of the log of a review that was left before the end."""
    asked = f"{left} questions were" if left > 1 else "One question was"
    return f"{HEADING}\n\n- {verb}: {done} of {done + left}. {asked} not asked."


def summary_lines(plan: Plan) -> list[str]:
    """Say where the ledger stands, and what time did to it, a line each."""
    summary, aged = plan.summary, plan.ageing
    since = f"since {summary.last_review}" if summary.last_review else "since the beginning"
    lines = [
        f"Ledger: {summary.sessions} work sessions in {summary.logs} logs; "
        f"digest {summary.digest[:16]}",
        f"Reviewed: {plan.sessions_since} work sessions {since}",
        f"Due: {'; '.join(plan.due) or 'no'}",
        f"Size: {plan.size.facts} facts and threads that can fade, {plan.size.lines} lines",
        f"Facts: {', '.join(f'{count} {tier}' for tier, count in plan.tiers)}",
    ]
    tenths = plan.pace.weekly_tenths
    if plan.pace.sessions:
        agents = ", ".join(f"{name} {count}" for name, count in plan.pace.agents[:_FADING_LIMIT])
        weekly = f"{tenths // 10}.{tenths % 10} work sessions a week"
        lines.append(f"Pace: {weekly} over {plan.pace.days} days ({agents})")
    moved = [f"{one.id} ({one.before} → {one.after})" for one in aged.changed]
    disputed = [
        f"{fact.id} ({', '.join(kinds_of(fact, plan.state.histories[fact.id]))})"
        for fact in plan.state.view().contradicted
    ]
    next_out = [f"{one.id} ({one.left})" for one in aged.fading]
    for label, ids in (
        ("Contradicted, see `diurna conflicts`", disputed),
        ("Born", aged.born),
        ("Tier changed", moved),
        ("Faded to the archive", aged.faded),
        ("Threads swept to the archive", aged.swept),
        ("False now", aged.false),
        ("Came back", aged.returned),
        ("Fade next, after so many sessions unused", next_out),
        (
            "With a note",
            [
                one.fact.id
                for one in plan.state.standings()
                if one.live and NOTE_KEY in remarks(one.fact)
            ],
        ),
        ("Settled, and still open", [one.id for one in plan.settled]),
    ):
        if ids:
            lines.append(f"{label} ({len(ids)}): {listed(ids)}")
    if plan.scores:
        scored = [f"{one.id} {one.total} ({one.proposal})" for one in plan.scores]
        lines.append(f"Scored for promotion, of 10 ({len(scored)}): {listed(scored)}")
    return lines
