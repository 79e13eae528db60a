"""Apply a review: one log of type `review` on the very commit it was made from, then the projection.

What a person answered becomes the ordinary events that say so. Whatever nobody answered is raised as an
open thread, once. When another writer was faster, the plan is made again on what stands there then
(FORMAT.md, R6).
"""

from __future__ import annotations

import re

from ledger.errors import EditNotUnderstood, Outrun
from ledger.model.event import Event, FactInvalidated, FactUpdated, ThreadClosed
from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.worktree.publish import refuse_edited, refuse_incomplete, refuse_unwritable
from memory.write.draft import SessionDraft
from rituals.check.registry import REVIEW
from rituals.check.run import made
from rituals.review.lock import alone
from rituals.review.plan import Plan, plan_review
from rituals.review.question import Question, answered_thread, threads_for
from rituals.review.report import TITLE, body
from rituals.review.tally import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory.api import Memory

ACCEPT, REJECT, LATER = "accept", "reject", "later"
#: How often a plan is made anew because another writer was faster.
_TRIES = 8


class Outcome(Record):
    """What a review did, or would do.

    Args:
        plan: that was applied.
        stem: of its log, "" when there is none.
        commit: that has it.
        events: what the log says.
        published: projection files that were written.
        findings: what was noticed.
        verified: what was wrong before anything else was done.
    """

    plan: Plan
    stem: str = ""
    commit: str = ""
    events: tuple[Event, ...] = ()
    published: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    verified: tuple[Finding, ...] = ()

    @property
    def raised(self) -> tuple[str, ...]:
        """The ids of the threads that were raised, in order."""
        threads = {thread.id for thread in self.plan.threads}
        return tuple(event.id for event in self.events if event.id in threads)


def review(
    memory: Memory,
    code_path: str = "",
    *,
    ask: Callable[[Plan], Mapping[str, str]] | None = None,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Review a ledger: verify it, then plan, ask and apply. What is wrong is said and stops nothing.

    Args:
        memory: the home, open.
        code_path: a folder in the code repository, "" for the home's own.
        ask: answers the questions of a plan: their keys, and the ids of settled threads, with `ACCEPT`,
            `REJECT` or `LATER`. None answers none.
        dry_run: change nothing; say what would be.
        progress: told how far a long comparing of facts is.

    Raises:
        ReviewRuns: another review is under way.
        EditNotUnderstood: somebody edited `continuity.md`, and no event can say it; nothing changed.
        HandEdited: another projection file was edited; nothing changed.
        WriteRefused: the repository is in no state to be committed to.
        Outrun: other writers were faster, again and again; nothing changed.
    """
    if dry_run:
        verified = made(memory, REVIEW, progress).findings
        edits = memory.absorb_first(dry_run=True)
        plan = _planned(memory, code_path, progress)
        events = () if plan.nothing_new else events_of(plan, {})
        return Outcome(plan, events=events, findings=edits, verified=verified)
    home, occasion = memory.home, memory.occasion()
    refuse_unwritable(home)
    with alone(home, occasion.agent, occasion.now_ms):
        refuse_incomplete(memory.snapshot.ask(lambda cache: cache.unread()))
        refuse_edited(tuple(path for path in memory.edited() if not path.endswith("continuity.md")))
        verified = made(memory, REVIEW, progress).findings
        given: dict[str, str] = {}
        findings: tuple[Finding, ...] = ()
        for left in reversed(range(_TRIES)):
            memory.drain()
            findings += memory.absorb_first()
            plan = _planned(memory, code_path, progress)
            if ask is not None:
                given.update(ask(plan._replace(questions=_open(plan, given))))
            outcome = Outcome(plan, findings=findings, verified=verified)
            if plan.nothing_new and not _answers(given):
                break
            try:
                outcome = _append(memory, outcome, given)
                break
            except Outrun:
                if not left:
                    raise
        try:
            files, _ = memory.publish()
        except EditNotUnderstood as problem:  # a commit by hand; the review itself is recorded
            said = (*outcome.findings, *problem.findings)
            return outcome._replace(findings=said)
        return outcome._replace(published=files)


def _planned(memory: Memory, code_path: str, progress: Callable[[int, int], None] | None) -> Plan:
    """Make a plan; how many questions the home's own code raises is kept for `status`."""
    plan = plan_review(memory, code_path, progress)
    if not code_path:
        keep(memory, plan)
    return plan


def _open(plan: Plan, given: Mapping[str, str]) -> tuple[Question, ...]:
    """Leave out what was answered before another writer made the plan be made again."""
    return tuple(one for one in plan.unanswered if one.key not in given)


def _answers(given: Mapping[str, str]) -> bool:
    return any(answer != LATER for answer in given.values())


def _append(memory: Memory, outcome: Outcome, given: Mapping[str, str]) -> Outcome:
    events = events_of(outcome.plan, given)
    draft = SessionDraft(TITLE, body(outcome.plan), events, type="review", anyway=True)
    receipt = memory.append(draft, again=True, on=outcome.plan.tip)
    return outcome._replace(
        stem=receipt.stem,
        commit=receipt.commit,
        events=events,
        findings=(*outcome.findings, *receipt.findings),
    )


def events_of(plan: Plan, given: Mapping[str, str]) -> tuple[Event, ...]:
    """Return what the log of a review says.

    Args:
        plan: of the review.
        given: answers, by key of a question or id of a settled thread.
    """
    answered = {key for key, answer in given.items() if answer != LATER}
    accepted = [one for one in plan.unanswered if given.get(one.key) == ACCEPT]
    rejected = [one for one in plan.unanswered if given.get(one.key) == REJECT]
    found: list[Event] = [*_accepted(plan, accepted)]
    done = answered | {key for one in plan.raised if one.closed for key in one.keys}
    arising = {question.key for question in plan.questions}
    closing = {event.id for event in found if isinstance(event, ThreadClosed)}
    covered: set[str] = set()
    for thread in plan.raised:
        if thread.closed or thread.id in closing:
            continue
        asked = set(thread.keys)
        if given.get(thread.id) == ACCEPT or (asked & answered and asked & arising <= done):
            found.append(ThreadClosed(thread.id))
            covered.update(thread.keys)
    found += [answered_thread(one) for one in rejected if one.key not in covered]
    # an accepted question whose cause its events do not take away must not be asked again either
    fresh = tuple(question for question in plan.fresh if question.key not in answered)
    return (*found, *threads_for(fresh))


def _accepted(plan: Plan, accepted: list[Question]) -> list[Event]:
    """Return the events of accepted questions; several changes of one text become one."""
    swaps: dict[str, list[tuple[str, str]]] = {}
    found: dict[tuple[type[Event], str], Event] = {}
    for question in accepted:
        for event in question.accept:
            found.setdefault((type(event), event.id), event)
        if question.swaps:
            swaps.setdefault(question.facts[0], []).extend(question.swaps)
    false = {event.id for event in found.values() if isinstance(event, FactInvalidated)}
    for name, pairs in swaps.items():
        fact = plan.state.fact(name)
        if fact is None or name in false or (FactUpdated, name) in found:
            continue
        text = fact.text
        for old, new in pairs:
            whole = rf"(?<![\w/.-]){re.escape(old)}(?![\w/-])"
            text = re.sub(whole, new.replace("\\", r"\\"), text)
        found[FactUpdated, name] = FactUpdated(name, text)
    return list(found.values())
