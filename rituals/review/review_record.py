"""Apply a review: one log of type `review` on the very commit it was made from, then the projection.

What a person answered becomes the ordinary events that say so. Whatever nobody answered is raised as an
open thread, once. Whoever leaves before the last question leaves the answers behind, in a log that is no
review (R8), and so does what is too much for one log: the next review goes on. When another writer was
faster, the plan is made again on what stands there then (R6).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice

from ledger.codec.log import encode
from ledger.errors import Busy, EditNotUnderstood, Outrun
from ledger.git.repository import head
from ledger.home import Home
from ledger.model.event import Event
from ledger.model.finding_codes import Finding
from ledger.model.layout import REVIEW_LOCK_FILE
from ledger.model.record import Record
from ledger.model.session import IDS_LIMIT, LOG_LIMIT_BYTES, SessionLog
from ledger.wal.atomic_files import Lock, make_folder
from memory import (
    Memory,
    SessionDraft,
    is_edited,
    refuse_edited,
    refuse_incomplete,
    refuse_unwritable,
)
from rituals.check.check_registry import REVIEW, made
from rituals.decide.recorded_endings import ended_lines
from rituals.review.questions import is_raising
from rituals.review.review_answers import LATER, Answer, events_of
from rituals.review.review_plan import CUT_SHORT, TITLE, Plan, asked, body, cut_short, plan_review

#: How often a plan is made anew because another writer was faster.
_TRIES = 8
#: So much of a log is kept free for its header.
_HEADER_BYTES = 1 << 14


class Outcome(Record):
    """What a review did, or would do."""

    plan: Plan  #: that was applied
    stem: str = ""  #: of its log, "" when there is none
    commit: str = ""  #: that has it
    events: tuple[Event, ...] = ()  #: what the log says
    published: tuple[str, ...] = ()  #: projection files that were written
    findings: tuple[Finding, ...] = ()  #: what was noticed
    verified: tuple[Finding, ...] = ()  #: what was wrong before anything else was done
    #: what a person who left before the end did not answer, or what is too much for one log,
    #: counted by rule
    unasked: Mapping[str, int] = {}
    prose: str = ""  #: of its log
    ended: tuple[str, ...] = ()  #: facts that ended and are recorded so now, a line each

    @property
    def raised(self) -> tuple[str, ...]:
        """The ids of the threads that were raised, in order."""
        return tuple(event.id for event in self.events if is_raising(event))


def review(
    memory: Memory,
    code_path: str = "",
    *,
    ask: Callable[[Plan], Mapping[str, Answer]] | None = None,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
    kept: Plan | None = None,
) -> Outcome:
    """Review a ledger: verify it, then plan, ask and apply. What is wrong is said and stops nothing.

    Args:
        memory: the home, open.
        code_path: a folder in the code repository, "" for the home's own.
        ask: answers the questions of a plan: their keys, and the ids of settled threads. Whoever leaves
            some out has left before the end. None answers none, and raises all.
        dry_run: change nothing; say what would be.
        progress: told how far a long comparing of facts is.
        kept: a plan made before: its answers alone are recorded while it holds (`settle_answers`).

    Raises:
        Busy: another review is under way.
        HandEdited: a page was edited, and no event can say it (EditNotUnderstood); nothing changed.
        WriteRefused: the repository is in no state to be committed to.
        Outrun: other writers were faster, again and again; nothing changed.
    """
    if dry_run:
        return _previewed(memory, code_path, progress)
    home = memory.home
    refuse_unwritable(home)
    with alone(home):
        refuse_incomplete(memory.ask(lambda cache: cache.unread()))
        if kept and ask and (answered := _answered(memory, kept, ask)):
            return answered
        refuse_edited(tuple(path for path in memory.edited() if not path.endswith("continuity.md")))
        verified, ended = made(memory, REVIEW, progress), ended_lines(memory)
        given: dict[str, Answer] = {}
        unasked: Mapping[str, int] = {}
        findings: tuple[Finding, ...] = ()
        for left in reversed(range(_TRIES)):
            memory.drain()
            findings += memory.absorb_first()
            plan = plan_review(memory, code_path, progress)
            if ask is not None and not unasked:
                given.update(ask(_open(plan, given)))
                unasked = asked(_open(plan, given))
            outcome = Outcome(plan, findings=findings, verified=verified, unasked=unasked)
            outcome = _fitted(outcome, None if ask is None else given)
            if not outcome.events and (unasked or plan.nothing_new):
                break
            try:
                outcome = _append(memory, outcome)
                break
            except Outrun:
                if not left:
                    raise
        return _published(memory, outcome._replace(ended=ended))


def _answered(
    memory: Memory, kept: Plan, ask: Callable[[Plan], Mapping[str, Answer]]
) -> Outcome | None:
    """Record answers to a plan that holds still, None where it has to be made anew for them."""
    home = memory.home
    memory.drain()
    stands = home.tip() == kept.tip and kept.code in ("", head(home.repository)[1])
    if not stands or is_edited(home):
        return None
    given = dict(ask(_open(kept, {})))
    unasked = asked(_open(kept, given))
    outcome = _fitted(Outcome(kept, unasked=unasked), given)
    if not (unasked and outcome.events):
        return None
    try:
        return _append(memory, outcome)
    except Outrun:
        return None


def settle_answers(memory: Memory) -> None:
    """Do behind answers to a kept plan what else a review does: record what ended, publish the pages.

    Raises:
        DiurnaError: as `review`; what was answered is recorded whatever becomes of this.
    """
    ended_lines(memory)
    if _publishes(memory):
        memory.publish()


def _publishes(memory: Memory) -> bool:
    return memory.publishes(reviewing=True) and not memory.home.plain


def _previewed(
    memory: Memory, code_path: str, progress: Callable[[int, int], None] | None
) -> Outcome:
    """Say what a review would do."""
    verified = made(memory, REVIEW, progress)
    edits = memory.absorb_first(dry_run=True)
    plan = plan_review(memory, code_path, progress)
    ended = ended_lines(memory, dry_run=True)
    outcome = Outcome(plan, findings=edits, verified=verified, ended=ended)
    return outcome if plan.nothing_new else _fitted(outcome, None)


def _published(memory: Memory, outcome: Outcome) -> Outcome:
    """Publish what was reviewed; a commit by hand may be in the way, and the review is recorded by now."""
    try:
        return outcome._replace(published=memory.publish()[0]) if _publishes(memory) else outcome
    except EditNotUnderstood as problem:
        return outcome._replace(findings=(*outcome.findings, *problem.findings))


def _open(plan: Plan, given: Mapping[str, Answer]) -> Plan:
    """Leave out of a plan what is answered, before or now."""
    return plan._replace(
        questions=tuple(one for one in plan.unanswered if one.key not in given),
        settled=tuple(one for one in plan.settled if one.id not in given),
    )


def _fitted(outcome: Outcome, given: Mapping[str, Answer] | None) -> Outcome:
    """Say what the log of a review says, as far as one log has room: the first questions first.

    `outcome` has the plan, and what a person left unasked; `given` is None where nobody can be asked.
    """
    plan, unasked = outcome.plan, outcome.unasked
    prose = "" if unasked else body(plan)
    steps = dict.fromkeys([one.key for one in plan.fresh], LATER) if given is None else given
    taken, events = dict(steps), events_of(plan, given or {}, left=bool(unasked))

    def first(count: int) -> tuple[Event, ...]:
        return events_of(plan, dict(islice(steps.items(), count)), left=True)

    def too_much(events: tuple[Event, ...]) -> bool:
        log = SessionLog((), TITLE, prose, events)
        return len(events) > IDS_LIMIT or len(encode(log)) > LOG_LIMIT_BYTES - _HEADER_BYTES

    if too_much(events):
        counts = range(1, len(steps))
        fits = max(bisect_left(counts, True, key=lambda count: too_much(first(count))), 1)
        taken, events = dict(islice(steps.items(), fits)), first(fits)
        whole = plan._replace(questions=plan.fresh) if given is None else plan
        unasked = asked(_open(whole, taken))
    if unasked:
        verb = "Raised" if given is None else "Answered"
        prose = cut_short(verb, len(taken), sum(unasked.values()))
    return outcome._replace(events=events, unasked=unasked, prose=prose)


def _append(memory: Memory, outcome: Outcome) -> Outcome:
    plan = outcome.plan
    draft = SessionDraft(TITLE, outcome.prose, outcome.events, "", "review", anyway=True)
    if outcome.unasked:
        draft = draft._replace(title=CUT_SHORT, type="edit")
    receipt = memory.append(draft, again=True, on=plan.tip)
    return outcome._replace(
        stem=receipt.stem, commit=receipt.commit, findings=(*outcome.findings, *receipt.findings)
    )


@contextmanager
def alone(home: Home) -> Iterator[None]:
    """Keep other reviews of a repository out (R5); the kernel frees the lock with its process.

    Raises:
        Busy: another review is under way.
        StorageFailed: the lock file can not be made.
    """
    make_folder(home.state_dir)
    with ExitStack() as held:
        try:
            held.enter_context(Lock(f"{home.repository.commondir}/{REVIEW_LOCK_FILE}", 0.0))
        except Busy as problem:
            said = f"a review of this ledger is under way: {problem.message}"
            hint = "wait for its end; the plan alone can be seen with `diurna review --dry-run`"
            raise Busy(said, hint=hint) from None
        yield
