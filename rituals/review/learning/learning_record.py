"""Record what a person answered to proposals: one log, and the files of promotions; nothing unanswered.

The log is of type `edit`: it moves no clock and counts as no use. Without a person, proposals are listed;
only who asks for it raises them as open threads, each once. So neither a pipe nor CI ever writes a fact.
"""

from __future__ import annotations

from collections.abc import Mapping

from ledger.codec.fact_blocks import tidy
from ledger.errors import DiurnaError
from ledger.model.event import Event, FactCreated, FactUpdated, ThreadClosed
from ledger.model.findings import Finding
from ledger.model.record import Record
from memory.api import Memory
from memory.write.draft import Receipt
from projection.lifecycle.review_threads import raised_threads
from rituals.decide.decision import Author, Decision, record
from rituals.review.learning.agents_file import Promotion, after_others, put_back, write
from rituals.review.learning.learned_questions import in_words
from rituals.review.learning.learning_candidates import refuse
from rituals.review.learning.learning_plan import Plan
from rituals.review.learning.offer import ASKED, CANDIDATE, Proposal
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
    accepted = [one for one in plan.proposals if _word(given, one.key) == ACCEPT]
    promoted = [one for one in plan.promotions if _word(given, one.key) == ACCEPT]
    steps: list[Proposal | Promotion] = [*plan.proposals, *plan.promotions]
    rejected = [one for one in steps if _word(given, one.key) == REJECT]
    raised = {
        one.id: one.closed
        for one in raised_threads(each.fact for each in plan.state.standings())
        if one.rule == LEARN
    }
    events: list[Event] = []
    for one in accepted:
        events += _accepted(one, given[one.key].text)
        events += _done(one.question, raised, "")
    for promotion in promoted:
        events += promotion.question.accept
        events += _done(
            promotion.question, raised, f"Written into {promotion.path}: {promotion.fact}"
        )
    refused = {one.key for one in rejected if _is_candidate(one)}
    for other in [one for one in rejected if one.key not in refused]:
        events += _done(other.question, raised, f"Not worth keeping: {_of(other)}")
    keys = tuple([each.key for each in rejected])
    facts = tuple([one.question.accept[0].id for one in accepted])
    receipt: Receipt | None = None
    written: tuple[str, ...] = ()
    if events:
        named = [one for one in rejected if one.key not in refused]
        decision = Decision(_title(facts, promoted, named), (), tuple(events))
        receipt, written = _written(memory, promoted, given, decision, author)
    if refused:
        refuse(memory.home.repository.commondir, refused)
    return Outcome(plan, receipt, facts, keys, (), written, receipt.findings if receipt else ())


def raise_threads(
    memory: Memory, plan: Plan, author: Author = _NOBODY, *, dry_run: bool = False
) -> Outcome:
    """Raise proposals as open threads, those that none asks yet. No fact is written.

    Raises:
        DiurnaError: the log could not be recorded; nothing changed.
    """
    known = {
        key
        for one in raised_threads(each.fact for each in plan.state.standings())
        for key in one.keys
    }
    steps: list[Proposal | Promotion] = [*plan.proposals, *plan.promotions]
    steps = [one for one in steps if not _is_candidate(one)]  # they stand nowhere but in their log
    asked = [one.question for one in steps if one.key not in known]
    threads = threads_for(asked)
    ids = tuple([thread.id for thread in threads])
    if not threads:
        return Outcome(plan)
    decision = Decision(f"Ask about {len(ids)} proposals to learn", (), threads)
    receipt = record(memory, decision, author, dry_run=dry_run)
    return Outcome(plan, receipt, raised=ids, findings=receipt.findings if receipt else ())


def _word(given: Mapping[str, Answer], key: str) -> str:
    return given[key].word if key in given else ""


def _accepted(proposal: Proposal, text: str) -> list[Event]:
    """Return the events of a proposal, in a person's words where there are some."""
    first, *more = proposal.question.accept
    if text and isinstance(first, FactCreated):
        first = first._replace(text=tidy(text))
    elif text and isinstance(first, FactUpdated):
        first = in_words(first, " ".join(text.split()))
    return [first, *more]


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
            now = _as_written(promotion, done)
            done.append((now, write(top, now, given[promotion.key].text)))
        receipt = record(memory, decision, author)
    except DiurnaError:
        for promotion, written in reversed(done):
            put_back(top, promotion, written)
        raise
    paths = [one.path for one, written in done if written != one.before]
    return receipt, tuple(dict.fromkeys(paths))


def _as_written(promotion: Promotion, done: list[tuple[Promotion, bytes]]) -> Promotion:
    """Return a promotion on top of what was written for others into the same file."""
    before = [written for one, written in done if one.path == promotion.path]
    return after_others(promotion, before[-1]) if before else promotion


def _is_candidate(step: Proposal | Promotion) -> bool:
    return isinstance(step, Proposal) and step.offer.source in (ASKED, CANDIDATE)


def _of(step: Proposal | Promotion) -> str:
    return step.offer.item.text if isinstance(step, Proposal) else step.question.said


def _title(
    facts: tuple[str, ...], promoted: list[Promotion], rejected: list[Proposal | Promotion]
) -> str:
    parts = [
        f"{len(listed)} {what}"
        for listed, what in ((facts, "learned"), (promoted, "promoted"), (rejected, "rejected"))
        if listed
    ]
    return f"Learn: {', '.join(parts)}"
