"""Plan a review: a value, made from one pinned commit of the ledger and one of the code; and tell of it.

No clock takes part: the same ledger, policy and code give the same plan on every machine (R1).
The section `## Memory Review` of its log has ids, numbers and evidence, and no fact's text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from ledger.git.code_history import Code
from ledger.home import code_of
from ledger.model.log_names import LogRef
from ledger.model.record import Record
from ledger.model.session import Entry
from memory import Cache, Memory, state_from, state_of
from projection.brief.choice import QUIET_DAYS, QUIET_SESSIONS, has_left, quiet_since
from projection.fold.full_replay import State
from projection.fold.live_view import TIERS, newest_dates
from projection.lifecycle.review_due import (
    NOTE_KEY,
    Raised,
    Size,
    raised_threads,
    reasons,
    remarks,
    size_of,
)
from projection.lifecycle.tier_changes import Ageing, ageing
from rituals.decide.open_contradictions import contested
from rituals.review.clone_questions import clone_questions
from rituals.review.code_questions import evidence_questions
from rituals.review.ledger_questions import (
    Ground,
    dangling_questions,
    invariant_questions,
    obsolete_questions,
    overruled_questions,
    pair_questions,
    thread_questions,
    wordy_questions,
)
from rituals.review.questions import (
    LEARN,
    LIST_LIMIT,
    RULES,
    Question,
    answered_keys,
    listed,
    ordered,
)
from rituals.review.rules_file_facts import paragraphs_in, promotion_questions, worth_a_place

TITLE, CUT_SHORT = "Memory review", "Memory review, left before the end"
HEADING = "## Memory Review"


class Plan(Record):
    """What a review found, and what it would write."""

    tip: str  #: the commit of the ledger that it was made from
    code: str  #: the commit of the code that was asked, "" for none
    sessions_since: int  #: how many `work` logs there are since the last review
    due: tuple[str, ...]  #: why a review is due; empty when none is
    size: Size  #: of `continuity.md`
    ageing: Ageing  #: what time did since the last review, and what fades next
    #: all that a person has to answer, in order, whether asked before or not
    questions: tuple[Question, ...]
    fresh: tuple[Question, ...]  #: those that no review asked before
    #: threads of earlier reviews that stand open, and whose questions do not arise any more
    settled: tuple[Raised, ...]
    raised: tuple[Raised, ...]  #: all threads of earlier reviews
    state: State  #: of the ledger

    @property
    def nothing_new(self) -> bool:
        """Whether there is nothing that the last review did not say: no log is written then (R7)."""
        summary = self.state.summary
        return summary.newest <= summary.last_review and not self.fresh

    @property
    def unanswered(self) -> tuple[Question, ...]:
        """The questions that nobody answered: the fresh ones, and those whose threads stand open."""
        answered = answered_keys(self.raised)
        return tuple([question for question in self.questions if question.key not in answered])


def asked(plan: Plan) -> dict[str, int]:
    """Count what a review asks a person, by rule."""
    return dict(Counter([question.rule for question in plan.unanswered]))


def plan_review(
    memory: Memory, code_path: str = "", progress: Callable[[int, int], None] | None = None
) -> Plan:
    """Make the plan of a review of a home as it stands now. Nothing is written.

    `code_path` is a folder in the code repository, "" for the home's own; `progress` is told how far a
    long comparing of facts is.

    Raises:
        NotFound: there is no repository at `code_path`.
    """

    def read(cache: Cache) -> tuple[str, State, list[tuple[LogRef, Entry]], list[Question]]:
        logs = cache.entries()
        return cache.commit, state_of(cache), logs, clone_questions(memory.home, cache)

    tip, state, logs, dropped = memory.snapshot.ledger.ask(read)
    code = code_of(memory.home, code_path)
    return plan_of(tip, state, sorted(logs, key=lambda log: log[0].key), code, progress, dropped)


def plan_of(
    tip: str,
    state: State,
    logs: list[tuple[LogRef, Entry]],
    code: Code | None,
    progress: Callable[[int, int], None] | None = None,
    more: Iterable[Question] = (),
) -> Plan:
    """Make the plan of a review.

    `tip` is the commit of the ledger; `logs` are in ledger order; `progress` is told how far a long
    comparing of facts is; `more` are questions that the clone gives.
    """
    entries = [entry for _, entry in logs]
    standings, size = tuple(state.standings()), size_of(state.view())
    last = state.summary.last_review
    until = [ref for ref, _ in logs if ref.key <= last]
    before = state_from(until, entries[: len(until)], state.policy) if last else None
    facts = tuple([one.fact for one in standings])
    live, raised = tuple([one.fact for one in standings if one.live]), raised_threads(facts)
    ground = Ground(state, facts, live, size, raised, {ref.key: one for ref, one in logs})
    scored = worth_a_place(state, standings, entries, lambda: paragraphs_in(code))
    aged = ageing(before, standings, state.decay, state.policy)
    pairs = pair_questions(ground, aged.returned, progress)
    evidence = evidence_questions(standings, code) if code is not None else []
    doubted = {name for question in (*evidence, *pairs) for name in question.facts}
    files = code.files() if code and scored else {}
    questions = ordered([
        *overruled_questions(ground), *invariant_questions(ground), *evidence, *pairs,
        *promotion_questions(scored, state, doubted, files), *thread_questions(ground),
        *wordy_questions(ground), *dangling_questions(ground),
        *obsolete_questions(ground, code=code is not None), *more,
    ])  # fmt: skip
    known = {key for one in raised for key in one.keys}
    fresh = tuple([question for question in questions if question.key not in known])
    arising = {question.key for question in questions}
    sessions_since = ground.sessions_since(last)
    return Plan(
        tip=tip,
        code=code.commit if code is not None else "",
        sessions_since=sessions_since,
        due=reasons(sessions_since, size, state.policy.review),
        size=size,
        ageing=aged,
        questions=questions,
        fresh=fresh,
        settled=tuple(
            [
                one
                for one in raised
                if not (one.closed or one.rule == LEARN or arising & {*one.keys})
            ]
        ),
        raised=raised,
        state=state,
    )


def body(plan: Plan) -> str:
    """Write the prose of the review's log: what is new in full, what an earlier one asked as a number."""
    lines = [HEADING, "", *[f"- {line}" for line in summary_lines(plan)]]
    if left := len(plan.unanswered) - len(plan.fresh):
        lines.append(f"- Asked before and left open: {left} question{'s' * (left > 1)}")
    for rule in dict.fromkeys(question.rule for question in plan.fresh):
        asked = [question for question in plan.fresh if question.rule == rule]
        lines += ["", f"### {RULES[rule].heading} ({len(asked)})", ""]
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
    state, summary, aged = plan.state, plan.state.summary, plan.ageing
    tiers = zip(TIERS, state.view().tiers, strict=True)
    since = f"since {summary.last_review}" if summary.last_review else "since the beginning"
    lines = [
        f"Ledger: {summary.sessions} work sessions in {summary.logs} logs; "
        f"digest {summary.digest[:16]}",
        f"Reviewed: {plan.sessions_since} work sessions {since}",
        f"Due: {'; '.join(plan.due) or 'no'}",
        f"Size: {plan.size.facts} facts and threads that can fade, {plan.size.lines} lines",
        f"Facts: {', '.join(f'{count} {tier}' for tier, count in tiers)}",
    ]
    moved = [f"{one.id} ({one.before} → {one.after})" for one in aged.changed]
    disputed = [
        f"{one['id']} ({', '.join(one['kinds'])})"
        for one in contested(state.view().contradicted, state.histories)
    ]
    next_out = [f"{one.id} ({one.left})" for one in aged.fading]
    standings, work = state.standings(), state.work
    quiet = quiet_since(work, newest_dates(work, len(work), QUIET_DAYS))
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
            [one.fact.id for one in standings if one.live and NOTE_KEY in remarks(one.fact)],
        ),
        ("Settled, and still open", [one.id for one in plan.settled]),
        (
            f"In no brief: unnamed for {QUIET_SESSIONS} work sessions and {QUIET_DAYS} work days",
            [one.fact.id for one in standings if has_left(one.fact, quiet)],
        ),
    ):
        if ids:
            lines.append(f"{label} ({len(ids)}): {listed(ids)}")
    return lines
