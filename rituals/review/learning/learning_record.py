"""Record what a person answered to proposals: one log, and the files of promotions; nothing unanswered.

The log is of type `edit`: it moves no clock and counts as no use. Without a person, proposals are listed;
only who asks for it raises them as open threads, each once. So neither a pipe nor CI ever writes a fact.
"""

from __future__ import annotations

from collections.abc import Mapping

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError
from ledger.model.event import Event, FactCreated, ThreadClosed
from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.api import Memory
from memory.write.draft import Receipt
from projection.lifecycle.review_threads import Raised, raised_threads
from rituals.decide.decision import Author, Decision, record
from rituals.review.learning.agents_file import Promotion, after_others, put_back, write
from rituals.review.learning.learning_plan import Plan, Proposal
from rituals.review.review_question import LEARN, Question, answered_thread, threads_for

ACCEPT, REJECT = "accept", "reject"
_NOBODY = Author()


class Answer(Record):
    """What a person said to a proposal: `ACCEPT` or `REJECT`, and in which words, "" for its own."""

    word: str
    text: str = ""


class Outcome(Record):
    """What was recorded."""

    plan: Plan  #: that was asked about
    receipt: Receipt | None = None  #: of the log, None where there is none
    facts: tuple[str, ...] = ()  #: ids of the facts that were born
    rejected: tuple[str, ...] = ()  #: keys of what was rejected
    raised: tuple[str, ...] = ()  #: ids of the threads that were raised
    written: tuple[str, ...] = ()  #: files for agents that were written
    findings: tuple[Finding, ...] = ()  #: what was noticed


def record_answers(
    memory: Memory, plan: Plan, given: Mapping[str, Answer], author: Author = _NOBODY
) -> Outcome:
    """Record the answers of a person, by key; what is left out is asked again.

    Raises:
        WriteRefused: a file for agents can not be written; nothing changed.
        DiurnaError: the log could not be recorded; nothing changed.
    """
    steps: list[Proposal | Promotion] = [*plan.proposals, *plan.promotions]
    words = {one.key: given[one.key].word for one in steps if one.key in given}
    accepted = [one for one in plan.proposals if words.get(one.key) == ACCEPT]
    promoted = [one for one in plan.promotions if words.get(one.key) == ACCEPT]
    rejected = [one for one in steps if words.get(one.key) == REJECT]
    raised = {one.id: one.closed for one in _asked(plan) if one.rule == LEARN}
    events: list[Event] = []
    for proposal in accepted:
        events += _accepted(proposal, given[proposal.key].text)
        events += _done(proposal.question, raised, "")
    for promotion in promoted:
        events += promotion.question.accept
        said = f"Written into {promotion.path}: {promotion.fact}"
        events += _done(promotion.question, raised, said)
    for other in rejected:
        text = other.habit.text if isinstance(other, Proposal) else other.question.said
        events += _done(other.question, raised, f"Not worth keeping: {text}")
    facts = tuple([one.question.accept[0].id for one in accepted])
    receipt: Receipt | None = None
    written: tuple[str, ...] = ()
    if events:
        parts = ((accepted, "learned"), (promoted, "promoted"), (rejected, "rejected"))
        title = f"Learn: {', '.join([f'{len(some)} {what}' for some, what in parts if some])}"
        decision = Decision(title, (), tuple(events))
        receipt, written = _written(memory, promoted, given, decision, author)
    keys = tuple([one.key for one in rejected])
    return Outcome(plan, receipt, facts, keys, (), written, receipt.findings if receipt else ())


def raise_threads(
    memory: Memory, plan: Plan, author: Author = _NOBODY, *, dry_run: bool = False
) -> Outcome:
    """Raise proposals as open threads, those that none asks yet. No fact is written.

    Raises:
        DiurnaError: the log could not be recorded; nothing changed.
    """
    known = {key for one in _asked(plan) for key in one.keys}
    steps: list[Proposal | Promotion] = [*plan.proposals, *plan.promotions]
    threads = threads_for([one.question for one in steps if one.key not in known])
    if not threads:
        return Outcome(plan)
    decision = Decision(f"Ask about {len(threads)} proposals to learn", (), threads)
    receipt = record(memory, decision, author, dry_run=dry_run)
    ids = tuple([thread.id for thread in threads])
    return Outcome(plan, receipt, raised=ids, findings=receipt.findings if receipt else ())


def _asked(plan: Plan) -> tuple[Raised, ...]:
    return raised_threads(one.fact for one in plan.state.standings())


def _accepted(proposal: Proposal, text: str) -> list[Event]:
    """Return the events of a proposal, in a person's words where there are some."""
    (birth,) = proposal.question.accept
    return [birth._replace(text=tidy(text)) if text and isinstance(birth, FactCreated) else birth]


def _done(question: Question, raised: Mapping[str, bool], said: str) -> list[Event]:
    """Return how a question is known as answered: its thread is closed, or born closed.

    A fact that is born bears the key itself, so no thread is needed where none asked.
    """
    thread = answered_thread(question, said)
    if thread.id in raised:
        return [] if raised[thread.id] else [ThreadClosed(thread.id)]
    return [thread] if said else []


def _written(
    memory: Memory,
    promoted: list[Promotion],
    given: Mapping[str, Answer],
    decision: Decision,
    author: Author,
) -> tuple[Receipt | None, tuple[str, ...]]:
    """Write the files, then the log; where the log can not be recorded the files are as they were."""
    top = memory.home.repository.top
    done: list[tuple[Promotion, bytes]] = []
    try:
        for promotion in promoted:
            others = [data for one, data in done if one.path == promotion.path]
            now = after_others(promotion, others[-1]) if others else promotion
            done.append((now, write(top, now, given[promotion.key].text)))
        receipt = record(memory, decision, author)
    except DiurnaError:
        for promotion, written in reversed(done):
            put_back(top, promotion, written)
        raise
    paths = [one.path for one, written in done if written != one.before]
    return receipt, tuple(dict.fromkeys(paths))
