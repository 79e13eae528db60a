"""Move a task: claim it, finish it, hand it over; say why where that is refused.

A handover is its move to handoff-ready, and the fact that says what the next one has to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ledger.errors import DiurnaError, DraftRefused, NotFound, Outrun, WrongUsage
from ledger.model.event import Event, FactMoved, FactUpdated
from ledger.model.finding_codes import Finding
from ledger.model.ids import ID_LIMIT_CHARS
from ledger.model.record import Record
from ledger.model.session import EDIT
from ledger.model.verbs import DONE, HANDOFF_READY, IN_PROGRESS, TODO
from memory import ANYWAY, Memory, Receipt, SessionDraft, handoffs_in, task_in, tasks_in
from projection.brief.inert_text import shortened
from projection.policy.model import ATTEMPT_KIND, DEFAULT_KIND, HANDOFF_KIND, TASK_KIND, THREAD_KIND
from projection.work.tracked_tasks import Task, failed_before, handed_elsewhere, pick
from rituals.record.draft_composer import draft_of_request, free_id, taken_in, words_for
from rituals.record.option_values import parse_ids
from rituals.record.request import NewFact, Request, because

_TITLE_CHARS = 90


#: What a new task has beside its text, in the order of its footers.
_FOOTERS = ("serves", "priority", "owner", "goal", "workstream", "depends")
#: What comes with it, a fact each: the value, its kind, its tags.
_BESIDE = (
    ("criterion", DEFAULT_KIND, ("criterion",)), ("question", THREAD_KIND, ()),
    ("risk", DEFAULT_KIND, ("risk",)),
)  # fmt: skip


def adding(
    memory: Memory, text: str, given: Mapping[str, Any], author: Request
) -> tuple[SessionDraft, tuple[Finding, ...]]:
    """Make the draft of a log that adds a task; say what is odd about it.

    `given` may have its `id`; `priority`, `owner`, `goal` and `workstream`; ids of what it `depends` on
    and what it `serves`; texts of each `criterion`, `question` and `risk`; and `anyway`: ids that nobody
    knows are meant. `author` says who records, in a header.

    Raises:
        DraftRefused: it names something that nobody knows.
    """
    anyway, id = given.get("anyway", False), given.get("id", "")
    said = {key: given.get(key, "") for key in _FOOTERS}
    for key in ("depends", "serves"):
        some = parse_ids(tuple(said[key]))
        said[key] = ", ".join(some if anyway else _known(memory, some))
    made = id or free_id(text, (), taken_in(memory), words_for(memory, [NewFact(text)]))
    footers = tuple([(key, value) for key, value in said.items() if value])
    beside = [
        NewFact(one, kind=kind, tags=tags, footers=(("serves", made),))
        for key, kind, tags in _BESIDE
        for one in given.get(key, ())
    ]
    title = f"Task: {shortened(' '.join(text.split()), _TITLE_CHARS)}"
    new = (NewFact(text, made, TASK_KIND, footers=footers), *beside)
    draft, odd = draft_of_request(memory, author._replace(title=title, new=new, anyway=anyway))
    if not (author.session or memory.occasion().session):
        # who plans moves no clock; in a session it is part of that
        draft = draft._replace(type=EDIT)
    return draft if id else draft._replace(made=(made, *draft.made)), odd


def _known(memory: Memory, ids: Iterable[str]) -> tuple[str, ...]:
    """Return ids whole; refuse those that nobody knows."""
    found, cache = tuple(map(memory.named, ids)), memory.cache()
    wrong = []
    for id in dict.fromkeys([one for one in found if cache.fact(one) is None]):
        hint = memory.near_hint(id)
        hint = f"{hint}{' ' if hint.endswith('?') else '; '}{ANYWAY}"
        wrong.append(Finding("unknown-id", f"there is no fact {id}", hint=hint))
    if wrong:
        raise DraftRefused(tuple(wrong))
    return found


#: How often a claim is looked at again because somebody wrote meanwhile.
_TRIES = 20
#: How many attempts are named.
_NAMED = 5


class Change(Record):
    """What is to be recorded of a task, before it is."""

    task: Task | None  #: as it stands; None where none is free
    draft: SessionDraft | None = None  #: of the log; None where there is nothing to record
    already: str = ""  #: why there is nothing, "" if there is something
    notes: tuple[str, ...] = ()  #: what whoever does this should know


def _starting(memory: Memory, task: Task, author: Request, *, take_over: bool = False) -> Change:
    """Plan to claim a task: it is in progress then, and its claimant is the author.

    `take_over` does so also where somebody else has it, which the author knows.

    Raises:
        DiurnaError: it is closed, or somebody else has it.
    """
    id, name, fact = task.id, author.agent or memory.asker(), task.standing.fact
    session = author.session or memory.occasion().session
    if not task.open:
        if fact.false:
            by = " and ".join(fact.superseded_by)
            raise DiurnaError(f"{id} was {f'superseded by {by}' if by else 'invalidated'}")
        said = task.state if fact.closed else "in the archive"
        back = f"append --reopen {id}" if fact.closed else f"forget {id} --back"
        raise DiurnaError(
            f"{id} is {said}, since {task.when}", hint=f"`diurna {back}` opens it again"
        )
    failed = _failed_before(memory, id)
    moves = [one.session for one in fact.moves if one.agent == name]
    claims = [one for one in moves if one and session]  # in this session, as far as both are known
    own = task.claimant == name and (not claims or session in claims)
    if task.state == IN_PROGRESS and not task.contradicted and own:
        return Change(task, already=f"you have {id}, since {task.when}", notes=failed)
    own = task.state == TODO and task.claimant == name
    if task.claimant and not own and not take_over:
        said = f"{task.claimant} {'has' if task.state != TODO else 'is to do'} {id}"
        raise DiurnaError(
            f"{said}, since {task.when}",
            hint="`diurna task pick` gives another one; `--take-over` claims it if you agreed on that",
        )
    notes = [f"{id} waits for {wait.id} ({wait.why})" for wait in task.waits]
    elsewhere = handed_elsewhere(memory.ask(handoffs_in), name, author.role)
    if id in elsewhere:
        notes.append(f"{id} was handed to {elsewhere[id]}")
    events: tuple[Event, ...] = (FactMoved(id, IN_PROGRESS),)
    if task.owner not in ("", name) and not fact.redacted and len(fact.heads) == 1:
        # somebody else's by its footer is the author's then; its text stays as it is
        events = (FactUpdated(id, fact.text, meta=(("owner", name),)), *events)
    draft = _draft(f"Start {id}", author, events)
    if task.state == IN_PROGRESS:  # it stays where it is; whose it is, is a decision
        draft = _draft(f"Take over {id}", author._replace(session=session), events)
        draft = draft._replace(type=EDIT)
    return Change(task, draft, notes=(*notes, *failed))


def _picking(memory: Memory, author: Request, *, start: bool) -> Change:
    """Choose the task to begin next; with `start` plan to claim it."""
    name = author.agent or memory.asker()
    elsewhere = handed_elsewhere(memory.ask(handoffs_in), name, author.role)
    listed = memory.ask(tasks_in)
    task = pick(listed, name, elsewhere)
    if task is None:
        waiting = sum(1 for one in listed if one.waits)
        had = sum(1 for one in listed if one.claimant)
        others = f": of {len(listed)} open ones {waiting} wait for others, {had} are claimed"
        return Change(None, already=f"no task is free{others if listed else ''}")
    if start:
        return _starting(memory, task, author)
    return Change(task, notes=_failed_before(memory, task.id))


def step(memory: Memory, action: str, id: str, author: Request, given: Mapping[str, Any]) -> Change:
    """Plan what an action does with a task: `start`, `handoff`, `pick`, `move` or `done`.

    `given` has `start`, `take_over`, `state`, `why`, and what `_handing_over` takes, each of some of them.

    Raises:
        NotFound: there is no such task.
        WrongUsage: nothing is said for the next one.
        DiurnaError: it is closed, or somebody else has it.
    """
    if action == "pick":
        return _picking(memory, author, start=given["start"])
    task = found(memory, id)
    if action == "start":
        return _starting(memory, task, author, take_over=given["take_over"])
    if action == "handoff":
        return _handing_over(memory, task, given, author)
    state, why = DONE if action == "done" else given["state"], given["why"]
    if task.state == state and not task.contradicted:
        return Change(task, already=f"{task.id} is {state}, since {task.when}")
    event: Event = FactMoved(task.id, state)
    said = because(event, why) if why else event
    return Change(task, _draft(f"Move {task.id} to {state}", author, (said,), why))


def carried_out(
    memory: Memory, plan: Callable[[], Change], *, dry_run: bool = False
) -> tuple[Change, Receipt | None]:
    """Record a change as it was planned, or plan it again where somebody wrote in between.

    So of two who claim one task in a clone, one is refused; in two clones both claims stand, and the task
    is contradicted until somebody decides.

    Raises:
        Outrun: other writers were faster, again and again; nothing changed.
        DiurnaError: as of the plan and `Memory.append`.
    """
    for left in reversed(range(_TRIES)):
        if not dry_run:
            memory.drain()
        tip = memory.snapshot.seen()
        change = plan()
        if change.draft is None:
            break
        try:
            on = None if dry_run else tip
            receipt = memory.append(change.draft, again=True, dry_run=dry_run, on=on)
            return change, receipt
        except Outrun:
            if not left:
                raise
    return change, None


def found(memory: Memory, id: str) -> Task:
    """Return a task by its id or the start of it.

    Raises:
        NotFound: there is none of this id, or several facts begin so.
    """
    id = memory.named(id)
    task = memory.ask(lambda cache: task_in(cache, id))
    if task is None:
        fact = memory.fact(id)
        said = f"{id} is of kind {fact.kind}" if fact else f"there is no task {id}"
        raise NotFound(
            said, hint=memory.near_hint(id) if fact is None else "`diurna task` lists tasks"
        )
    return task


def _failed_before(memory: Memory, id: str) -> tuple[str, ...]:
    """Name what failed before at a task."""
    attempts = memory.ask(lambda cache: failed_before(cache.facts_of_kind(ATTEMPT_KIND), id))
    names = [f"{one.fact.id} ({one.said})" for one in attempts]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (f"tried before at {id}: {', '.join(names[:_NAMED])}{more}",) if names else ()


def _draft(title: str, author: Request, events: tuple[Event, ...], prose: str = "") -> SessionDraft:
    return SessionDraft(title, prose, events, author.agent, header=tuple(author.header.items()))


#: What the next one has to know, in the order of its text: the value, and what stands before each line.
_SECTIONS = {
    "done": "Done", "remaining": "Remaining", "warning": "Warning", "question": "Question", "next": "Next",
}  # fmt: skip


def _handing_over(memory: Memory, task: Task, given: Mapping[str, Any], author: Request) -> Change:
    """Plan to hand a task over, with what the next one has to know.

    `given` has for each of `_SECTIONS` texts, of which each line is a point; `to` whom, "" for whoever
    takes it; and `confidence` that what is done is right, a word or a number.

    Raises:
        WrongUsage: nothing is said.
    """
    id = task.id
    lines = [
        f"- {word}: {said}"
        for key, word in _SECTIONS.items()
        for text in given[key]
        for line in text.split("\n")
        if (said := " ".join(line.split()).removeprefix("- "))
    ]
    if not lines:
        raise WrongUsage(
            f"nothing is said of {id} for the next one",
            hint='say what is done and what is left: --done "…" --remaining "…" --next "…"',
        )
    giver, to = author.agent or memory.asker(), given["to"]
    text = "\n".join((f"{id} is handed over{f' to {to}' if to else ''}.", *lines))
    footers = (
        ("serves", id), ("from", giver), ("to", to), ("confidence", given["confidence"]),
    )  # fmt: skip
    made = f"{HANDOFF_KIND}-{id}"[: ID_LIMIT_CHARS - 5].rstrip("-.")
    new = NewFact(
        text, free_id(text, (), taken_in(memory), {}, made), HANDOFF_KIND,
        footers=tuple([(key, value) for key, value in footers if value]),
    )  # fmt: skip
    request = author._replace(title=f"Hand over {id}", new=(new,))
    draft, _ = draft_of_request(memory, request)
    move = FactMoved(id, HANDOFF_READY)
    return Change(task, draft._replace(events=(*draft.events, move)))
