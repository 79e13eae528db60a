"""Plan what to learn of what has a form: findings that came back, and facts worth a place in a file.

No clock takes part: the same ledger and code give the same proposals. A proposal is a question as those of
a review are, and known by its key for good once it was answered (R9).

What a person answered is one log of type `edit`: it moves no clock and counts as no use. Without a person,
proposals are listed; only who asks for it raises them as open threads, each once.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from ledger.codec.fact_blocks import order_meta, tidy, write_fact
from ledger.errors import DiurnaError
from ledger.git.code_history import Code
from ledger.home import code_of
from ledger.model.event import Event, FactCreated, FactPromoted, ThreadClosed
from ledger.model.record import Record
from ledger.model.session import Entry
from ledger.wal.atomic_files import replace_file, try_unlink
from memory import Cache, Memory, Receipt, footer_value, state_of, withheld_of
from projection.fold.fact_history import Fact
from projection.fold.full_replay import State
from projection.lifecycle.promotion import is_documented
from projection.lifecycle.review_due import Raised, key_of, raised_threads
from projection.policy.model import PATTERN_KIND
from projection.work.reported_findings import REGRESSED, Finding, finding_of
from rituals.decide.decision import Decision, record
from rituals.hosts.capture.log_composition import sentence_of
from rituals.record.draft_composer import free_id, taken_in, words_for
from rituals.review.code_questions import evidence_questions
from rituals.review.questions import (
    LEARN,
    PROMOTION,
    Question,
    answered_keys,
    question,
    threads_for,
)
from rituals.review.rules_file_facts import (
    READ_FIRST,
    paragraphs_in,
    promotion_questions,
    read_file,
    target_file,
    with_fact,
    worth_a_place,
    write_file,
)

#: So many patterns are proposed at once, and so many facts for a file.
PROPOSALS, _PROMOTIONS = 7, 3
#: The footer by which a fact is known as the answer to a proposal, whatever becomes of its text.
LEARNED_KEY = "learned"
#: So many findings of one rule are a habit.
_HABIT = 3
_SHOWN = 3
FINDING = "finding"
ACCEPT, REJECT = "accept", "reject"


class Step(Record):
    """What a person is asked: whether something is to be a pattern, or to stand in a file for agents."""

    source: str  #: `FINDING`, or `PROMOTION`
    question: Question  #: by which it is asked, answered and remembered, as those of a review are
    text: str  #: that would be recorded, or written
    places: tuple[str, ...]  #: facts that show it, the newest first; of a promotion the fact
    diff: tuple[str, ...]  #: what accepting it adds, a line each, as a diff has them
    path: str = ""  #: of the file, from the top of the work tree; "" for a pattern
    before: bytes | None = None  #: the bytes of the file; None where there is none
    refused: str = ""  #: why it can not be written, "" where it can


class Plan(Record):
    """What could be learned."""

    tip: str  #: the commit of the ledger that it was made from
    code: str  #: the commit of the code that was asked, "" for none
    proposals: tuple[Step, ...]  #: patterns, at most `PROPOSALS`, best first
    more: int  #: how many there are beside them
    promotions: tuple[Step, ...]  #: facts that are worth a place in a file for agents
    raised: tuple[Raised, ...]  #: the threads that ask what was proposed, or did

    @property
    def steps(self) -> tuple[Step, ...]:
        """All that a person is asked, in order."""
        return (*self.proposals, *self.promotions)


def plan_learning(memory: Memory) -> Plan:
    """Make the plan of what a home could learn as it stands now. Nothing is written."""

    def read(cache: Cache) -> tuple[str, State, list[Entry]]:
        return cache.commit, state_of(cache), [entry for _, entry in cache.entries()]

    home, ledger = memory.home, memory.snapshot.ledger
    tip, state, entries = ledger.ask(read)
    telling = ledger.ask(lambda cache: withheld_of(home, cache))
    code, top = code_of(home), home.repository.top
    paragraphs = paragraphs_in(code)
    facts = [standing.fact for standing in state.standings()]
    raised = tuple([one for one in raised_threads(facts) if one.rule == LEARN])
    learned = {value for fact in facts for key, value in fact.meta if key == LEARNED_KEY}
    answered = learned | answered_keys(raised)
    habits = sorted(
        one
        for one in _found_again(state, facts)
        if one[1] not in answered
        and not is_documented(one[2], paragraphs)
        and not (telling is not None and telling.repeats(one[2]))
    )
    offered: Iterable[Step] = ()
    if code and top:
        offered = _promotions(top, state, entries, code, paragraphs, answered)
    return Plan(
        tip, code.commit if code else "", tuple(_proposals(memory, habits[:PROPOSALS])),
        len(habits[PROPOSALS:]), tuple(islice(offered, _PROMOTIONS)), raised,
    )  # fmt: skip


#: What auditors find again and again: its weight, below 0; the key, which stays however often it is met;
#: the pattern that would be recorded; how often it was met; and the facts that show it, newest first.
_Habit = tuple[int, str, str, str, tuple[str, ...]]


def _found_again(state: State, facts: Iterable[Fact]) -> Iterator[_Habit]:
    """Yield each rule with three findings, and each bug that came back."""
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
        text = sentence_of(f"Before handing in, check for {rule}: {newest}{where}")
        counts = (("found", len(findings)), (REGRESSED, again))
        how = ", ".join([f"{verb} {count} times" for verb, count in counts if count])
        how, key = how.replace(" 1 times", " once"), key_of(LEARN, FINDING, rule)
        places = tuple([fact.id for fact, _ in findings])
        yield -len(findings) - 2 * again, key, text, how, places


def _proposals(memory: Memory, habits: Iterable[_Habit]) -> Iterator[Step]:
    taken, known, used = taken_in(memory), words_for(memory), set[str]()
    for _, key, text, how, places in habits:
        name = free_id(text, used, taken, known)
        used.add(name)
        source = footer_value(f"{FINDING} {places[0]}")
        meta = (("kind", PATTERN_KIND), ("tags", FINDING), ("source", source), (LEARNED_KEY, key))
        birth = FactCreated(name, text, "", order_meta(meta))
        shown = f"{how}: {', '.join(places[:_SHOWN])}"
        said, does = f"Worth keeping? {text}", f"record it as the pattern `{name}`"
        diff = [f"+ {line}" for line in write_fact(name, text, "", birth.meta).split("\n")]
        asked = Question(LEARN, key, (), said, (shown,), does, (birth,))
        yield Step(FINDING, asked, text, places, tuple(diff))


def _promotions(
    top: str,
    state: State,
    entries: Sequence[Entry],
    code: Code,
    paragraphs: Sequence[frozenset[str]],
    answered: Collection[str],
) -> Iterator[Step]:
    """Offer the facts that a review found worth promoting, or that were, and that no document has.

    None that the code belies by now is offered. `top` is of the work tree, `paragraphs` are the words of
    the documents of the code, `answered` the keys of what was answered.
    """
    standings = tuple(state.standings())
    found = worth_a_place(state, standings, entries, lambda: paragraphs)
    likely = {one.id for one in found}
    promoted = {one.fact.id for one in standings if one.fact.promoted}
    looked_at = [one for one in standings if one.fact.id in likely | promoted]
    if not looked_at:
        return
    out = {name for one in evidence_questions(looked_at, code) for name in one.facts}
    for thread in raised_threads(one.fact for one in standings):
        if thread.rule == PROMOTION and thread.closed:  # rejected, as none that was accepted is
            out.update(set(thread.about) - promoted)
    worth = {one.facts[0]: one.evidence for one in promotion_questions(found, state, out, ())}
    for one in looked_at:
        if one.live and one.fact.promoted and one.fact.id not in out:
            worth.setdefault(one.fact.id, ("it was promoted, and no document has it",))
    path = target_file([name for name in READ_FIRST if os.path.lexists(f"{top}/{name}")])
    before, refused = read_file(f"{top}/{path}")
    for name, evidence in worth.items():
        fact = state.fact(name)
        if fact is None or fact.redacted or fact.false or len(fact.heads) != 1:
            continue
        if key_of(LEARN, PROMOTION, name) in answered or is_documented(fact.text, paragraphs):
            continue
        after = before or b"" if refused else with_fact(before, fact.text)
        old, new = [
            [line.decode("utf-8", "replace") for line in data.splitlines()]
            for data in (before or b"", after)
        ]
        was = path if before is not None else "/dev/null"
        said = question(
            LEARN, PROMOTION, name, facts=(name,), said=f"{name} is worth a place in {path}.",
            evidence=evidence, proposal=f"write it into {path}, and keep it as core",
            accept=() if fact.promoted else (FactPromoted(name),),
        )  # fmt: skip
        diff = tuple(difflib.unified_diff(old, new, was, path, lineterm="", n=1))
        yield Step(PROMOTION, said, fact.text, (name,), diff, path, before, refused)


class Outcome(Record):
    """What was recorded."""

    receipt: Receipt | None = None  #: of the log, None where there is none
    facts: tuple[str, ...] = ()  #: ids of the facts that were born
    rejected: tuple[str, ...] = ()  #: keys of what was rejected
    raised: tuple[str, ...] = ()  #: ids of the threads that were raised
    written: str = ""  #: the file for agents that was written, "" for none


def record_answers(
    memory: Memory, plan: Plan, given: Mapping[str, tuple[str, str]], agent: str = ""
) -> Outcome:
    """Record the answers of a person, by key; what is left out is asked again.

    An answer is `ACCEPT` or `REJECT`, and in which words, "" for those that were proposed.

    Raises:
        WriteRefused: a file for agents can not be written; nothing changed.
        DiurnaError: the log could not be recorded; nothing changed.
    """
    raised = {thread.id: thread.closed for thread in plan.raised}
    events: list[Event] = []
    learned: list[str] = []
    promoted: list[Step] = []
    rejected: list[str] = []
    for step in plan.steps:
        word, text = given.get(step.question.key, ("", ""))
        if word == ACCEPT and step.path:
            promoted.append(step._replace(text=text or step.text))
            into = f"Written into {step.path}: {step.places[0]}"
            events += [*step.question.accept, *_done(step.question, raised, into)]
        elif word == ACCEPT:
            (birth,) = step.question.accept
            if text and isinstance(birth, FactCreated):
                birth = birth._replace(text=tidy(text))
            learned.append(birth.id)
            events += [birth, *_done(step.question, raised, "")]
        elif word:
            rejected.append(step.question.key)
            said = f"Not worth keeping: {step.question.said if step.path else step.text}"
            events += _done(step.question, raised, said)
    parts = ((learned, "learned"), (promoted, "promoted"), (rejected, "rejected"))
    title = f"Learn: {', '.join([f'{len(some)} {what}' for some, what in parts if some])}"
    decision = Decision(title, (), tuple(events))
    receipt, written = _written(memory, promoted, decision, agent)
    return Outcome(receipt, tuple(learned), tuple(rejected), (), written)


def raise_threads(memory: Memory, plan: Plan, agent: str = "", *, dry_run: bool = False) -> Outcome:
    """Raise proposals as open threads, those that none asks yet. No fact is written.

    Raises:
        DiurnaError: the log could not be recorded; nothing changed.
    """
    known = {key for thread in plan.raised for key in thread.keys}
    asked = [one.question for one in plan.steps]
    threads = threads_for([one for one in asked if one.key not in known])
    decision = Decision(f"Ask about {len(threads)} proposals to learn", (), threads)
    receipt = record(memory, decision, agent, dry_run=dry_run)
    return Outcome(receipt, raised=tuple([thread.id for thread in threads]))


def _done(question: Question, raised: Mapping[str, bool], said: str) -> list[Event]:
    """Return how a question is known as answered: its thread is closed, or born closed.

    A fact that is born bears the key itself, so no thread is needed where none asked.
    """
    thread = question.answered(said)
    if thread.id in raised:
        return [] if raised[thread.id] else [ThreadClosed(thread.id)]
    return [thread] if said else []


def _written(
    memory: Memory, promoted: Sequence[Step], decision: Decision, agent: str
) -> tuple[Receipt | None, str]:
    """Write the file, then the log; where the log can not be recorded the file is as it was."""
    if not promoted:
        return record(memory, decision, agent), ""
    path, before = promoted[0].path, promoted[0].before
    file = f"{memory.home.repository.top}/{path}"
    data = write_file(file, before, [one.text for one in promoted])
    try:
        receipt = record(memory, decision, agent)
    except DiurnaError:
        if data != before and read_file(file) == (data, ""):  # nobody wrote into it since
            if before is None:
                try_unlink(file)
            else:
                replace_file(file, before, stat.S_IMODE(os.lstat(file).st_mode))
        raise
    return receipt, path if data != before else ""
