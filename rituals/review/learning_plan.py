"""Plan what to learn of what has a form: findings that came back, verdicts, facts worth a place in a file.

No clock takes part: the same ledger and code give the same proposals. A proposal is a question as those of
a review are, and known by its key for good once it was answered (R9).

What a person answered is one log of type `edit`: it moves no clock and counts as no use. Without a person,
proposals are listed; only who asks for it raises them as open threads, each once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ledger.codec.fact_blocks import order_meta, tidy, write_fact
from ledger.errors import DiurnaError
from ledger.home import code_of
from ledger.model.event import Event, FactCreated, ThreadClosed
from ledger.model.findings import Finding as Noticed
from ledger.model.logset import LogRef
from ledger.model.record import Record
from ledger.model.session import Entry
from memory.api import Memory
from memory.cache.cache_file import Cache
from memory.query.log_lines import LogLine, lines_of
from memory.redaction.withheld_lines import telling_of
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.read_logs import read_bytes
from memory.replay.replayed_state import state_of
from memory.write.draft import Receipt
from memory.write.draft_checks import footer_value
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.lifecycle.promotion import paragraphs_of, undocumented, words
from projection.lifecycle.review_due import Raised, key_of, raised_threads
from projection.policy.model import PATTERN_KIND
from projection.work.finding_facts import REGRESSED, Finding, finding_of
from rituals.decide.decision import Decision, record
from rituals.hosts.capture.composition import sentence_of
from rituals.record.draft_composer import id_of_text, taken_in, words_for
from rituals.review.promotions import Promotion, documents_of, promotions, put_back, write_file
from rituals.review.questions import LEARN, Question, answered_keys, threads_for

#: So many proposals are made at once, and the headers of so many logs read, the newest.
PROPOSALS, LOGS = 7, 500
#: The footer by which a fact is known as the answer to a proposal, whatever becomes of its text.
LEARNED_KEY = "learned"
#: So many findings of one rule, or failed verdicts on one fact, are a habit.
_HABIT = 3
#: How a verdict begins that is none in favour; a header is no longer.
_FAILED, _HEADER_BYTES = "fail", 8_000
_SHOWN = 3
FINDING, VERDICT = "finding", "verdict"
ACCEPT, REJECT = "accept", "reject"


class Habit(Record):
    """Something that auditors or validators meet again and again."""

    source: str  #: `FINDING` or `VERDICT`
    about: str  #: the rule, or the id of the fact
    text: str  #: the pattern that would be recorded
    how: str  #: how often it was met
    places: tuple[str, ...]  #: facts or logs that show it, the newest first
    weight: int

    @property
    def key(self) -> str:
        """By which it is known for good: however often it is met again, it is one habit."""
        return key_of(LEARN, self.source, self.about)


class Proposal(Record):
    """What a person is asked."""

    habit: Habit  #: what would be learned
    question: Question  #: by which it is asked, answered and remembered, as those of a review are
    diff: tuple[str, ...]  #: what accepting it adds, a line each, as a diff has them

    @property
    def key(self) -> str:
        """By which it is known for good."""
        return self.question.key


class Plan(Record):
    """What could be learned."""

    tip: str  #: the commit of the ledger that it was made from
    code: str  #: the commit of the code that was asked, "" for none
    proposals: tuple[Proposal, ...]  #: at most `PROPOSALS`, best first
    more: int  #: how many there are beside them
    promotions: tuple[Promotion, ...]  #: facts that are worth a place in a file for agents
    raised: tuple[Raised, ...]  #: the threads that ask what was proposed, or did

    @property
    def steps(self) -> tuple[Proposal | Promotion, ...]:
        """All that a person is asked, in order."""
        return (*self.proposals, *self.promotions)


def plan_learning(memory: Memory) -> Plan:
    """Make the plan of what a home could learn as it stands now. Nothing is written."""

    def read(cache: Cache) -> tuple[str, State, list[tuple[LogRef, Entry]], frozenset[str]]:
        logs = [(ref, entry) for _, ref, entry in cache.entries()]
        return cache.commit, state_of(cache), logs, redacted_logs(cache)

    home, ledger = memory.home, memory.snapshot.ledger
    tip, state, logs, withheld = ledger.ask(read)
    logs.sort(key=lambda log: log[0].key)
    telling = ledger.ask(lambda cache: telling_of(home, cache))
    newest = [ref for ref, entry in logs if entry.uses and ref.stem not in withheld][-LOGS:]
    judging = [
        ref.key for ref, data in read_bytes(home, newest) if b"\nverdict:" in data[:_HEADER_BYTES]
    ]
    code, top = code_of(home), home.repository.top
    paragraphs = paragraphs_of((documents_of(code) or {}).values())
    facts = [standing.fact for standing in state.standings()]
    raised = tuple([one for one in raised_threads(facts) if one.rule == LEARN])
    learned = {value for fact in facts for key, value in fact.meta if key == LEARNED_KEY}
    answered = learned | answered_keys(raised)
    habits = [
        habit
        for habit in (
            *_found_again(state, facts),
            *_failed_again(state, lines_of(ledger, judging).values()),
        )
        if habit.key not in answered
        and undocumented(words(habit.text), paragraphs)
        and not (telling is not None and telling.repeats(habit.text))
    ]
    habits.sort(key=lambda habit: (-habit.weight, habit.key))
    offered: list[Promotion] = []
    if code and top:
        entries = [entry for _, entry in logs]
        offered = promotions(top, state, entries, code, paragraphs, answered)
    proposals = tuple(_proposals(memory, habits[:PROPOSALS]))
    more, commit = len(habits[PROPOSALS:]), code.commit if code is not None else ""
    return Plan(tip, commit, proposals, more, tuple(offered), raised)


def _found_again(state: State, facts: Iterable[Fact]) -> Iterator[Habit]:
    """Yield what auditors find again and again: a rule with three findings, or a bug that came back."""
    by_rule: dict[str, list[tuple[Fact, Finding]]] = {}
    for fact in facts:
        finding = finding_of(fact, state.histories[fact.id])
        if finding is not None and finding.rule and not (fact.false or fact.redacted):
            by_rule.setdefault(finding.rule, []).append((fact, finding))
    for rule, findings in by_rule.items():
        again = sum([finding.times_regressed for _, finding in findings])
        if len(findings) < _HABIT and not again:
            continue
        findings.sort(key=lambda one: (one[0].born, one[0].id), reverse=True)
        paths = [path for path in dict.fromkeys([one.path for _, one in findings]) if path]
        named = ", ".join([f"`{path}`" for path in paths[:_SHOWN]])
        where = f" (at first look in {named})" if named else ""
        newest = findings[0][0].text.split("\n")[0].removeprefix(f"{rule}: ")
        text = f"Before handing in, check for {rule}: {newest}{where}"
        counts = [
            f"{verb} {count} times"
            for verb, count in (("found", len(findings)), (REGRESSED, again))
            if count
        ]
        how = ", ".join(counts).replace(" 1 times", " once")
        places = tuple([fact.id for fact, _ in findings])
        yield Habit(FINDING, rule, text, how, places, len(findings) + 2 * again)


def _failed_again(state: State, judged: Iterable[LogLine]) -> Iterator[Habit]:
    """Yield what validators called failed three times; `judged` has the logs with a verdict, in order."""
    failed: dict[str, list[LogLine]] = {}
    for log in judged:
        if log.verdict.startswith(_FAILED) and log.role in state.policy.learning.validators:
            for name in log.about:
                failed.setdefault(name, []).append(log)
    for name, times in failed.items():
        fact = state.fact(name)
        if len(times) < _HABIT or fact is None or fact.false or fact.redacted:
            continue
        what = fact.text.split("\n")[0]
        text = f"Look twice at `{name}` before handing it in ({what}): {times[-1].title}"
        stems = tuple([one.stem for one in reversed(times)])
        yield Habit(VERDICT, name, text, f"failed {len(times)} times", stems, len(times))


def _proposals(memory: Memory, habits: Iterable[Habit]) -> Iterator[Proposal]:
    taken, known, used = taken_in(memory), words_for(memory), set[str]()
    for one in habits:
        text = sentence_of(one.text)
        name = id_of_text(text, used, taken, known)
        used.add(name)
        meta = (
            ("kind", PATTERN_KIND), ("tags", one.source),
            ("source", footer_value(f"{one.source} {one.places[0]}")), (LEARNED_KEY, one.key),
        )  # fmt: skip
        birth = FactCreated(name, text, "", order_meta(meta))
        shown = f"{one.how}: {', '.join(one.places[:_SHOWN])}"
        said, does = f"Worth keeping? {text}", f"record it as the pattern `{name}`"
        lines = write_fact(name, text, "", birth.meta).split("\n")
        question = Question(LEARN, one.key, (), said, (shown,), does, (birth,))
        yield Proposal(one, question, tuple([f"+ {line}" for line in lines]))


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
    findings: tuple[Noticed, ...] = ()  #: what was noticed


def record_answers(
    memory: Memory, plan: Plan, given: Mapping[str, Answer], agent: str = ""
) -> Outcome:
    """Record the answers of a person, by key; what is left out is asked again.

    Raises:
        WriteRefused: a file for agents can not be written; nothing changed.
        DiurnaError: the log could not be recorded; nothing changed.
    """
    said = {step.key: given[step.key].word for step in plan.steps if step.key in given}
    accepted = [one for one in plan.proposals if said.get(one.key) == ACCEPT]
    promoted = [one for one in plan.promotions if said.get(one.key) == ACCEPT]
    rejected = [one for one in plan.steps if said.get(one.key) == REJECT]
    raised = {thread.id: thread.closed for thread in plan.raised}
    events: list[Event] = []
    facts = []
    for proposal in accepted:
        (birth,) = proposal.question.accept
        text = given[proposal.key].text
        if text and isinstance(birth, FactCreated):
            birth = birth._replace(text=tidy(text))
        facts.append(birth.id)
        events += [birth, *_done(proposal.question, raised, "")]
    for promotion in promoted:
        into = f"Written into {promotion.path}: {promotion.fact}"
        events += [*promotion.question.accept, *_done(promotion.question, raised, into)]
    for other in rejected:
        text = other.habit.text if isinstance(other, Proposal) else other.question.said
        events += _done(other.question, raised, f"Not worth keeping: {text}")
    receipt: Receipt | None = None
    written: tuple[str, ...] = ()
    if events:
        parts = ((accepted, "learned"), (promoted, "promoted"), (rejected, "rejected"))
        title = f"Learn: {', '.join([f'{len(some)} {what}' for some, what in parts if some])}"
        decision = Decision(title, (), tuple(events))
        receipt, written = _written(memory, promoted, given, decision, agent)
    keys = tuple([one.key for one in rejected])
    findings = receipt.findings if receipt else ()
    return Outcome(plan, receipt, tuple(facts), keys, (), written, findings)


def raise_threads(memory: Memory, plan: Plan, agent: str = "", *, dry_run: bool = False) -> Outcome:
    """Raise proposals as open threads, those that none asks yet. No fact is written.

    Raises:
        DiurnaError: the log could not be recorded; nothing changed.
    """
    known = {key for thread in plan.raised for key in thread.keys}
    threads = threads_for([one.question for one in plan.steps if one.key not in known])
    if not threads:
        return Outcome(plan)
    decision = Decision(f"Ask about {len(threads)} proposals to learn", (), threads)
    receipt = record(memory, decision, agent, dry_run=dry_run)
    ids = tuple([thread.id for thread in threads])
    return Outcome(plan, receipt, raised=ids, findings=receipt.findings if receipt else ())


def _done(question: Question, raised: Mapping[str, bool], said: str) -> list[Event]:
    """Return how a question is known as answered: its thread is closed, or born closed.

    A fact that is born bears the key itself, so no thread is needed where none asked.
    """
    thread = question.answered(said)
    if thread.id in raised:
        return [] if raised[thread.id] else [ThreadClosed(thread.id)]
    return [thread] if said else []


def _written(
    memory: Memory, promoted: Sequence[Promotion], given: Mapping[str, Answer], decision: Decision,
    agent: str,
) -> tuple[Receipt | None, tuple[str, ...]]:  # fmt: skip
    """Write the file, then the log; where the log can not be recorded the file is as it was."""
    if not promoted:
        return record(memory, decision, agent), ()
    top, path, before = memory.home.repository.top, promoted[0].path, promoted[0].before
    data = before
    try:
        for one in promoted:
            data = write_file(top, path, data, given[one.key].text or one.text)
        receipt = record(memory, decision, agent)
    except DiurnaError:
        if data is not None and data != before:
            put_back(top, path, before, data)
        raise
    return receipt, (path,) if data != before else ()
