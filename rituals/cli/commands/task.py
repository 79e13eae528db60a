"""Run `diurna task`: check what an action was given, do one thing, and print what came of it."""

from __future__ import annotations

from ledger.errors import WrongUsage
from ledger.model.verbs import STATES
from projection.document.archive_pages import summary_of
from projection.text.clipping import one_line
from projection.work.tracked_tasks import PRIORITIES
from rituals.answers.task_objects import Listed, listed, task_object
from rituals.cli.context import Invocation
from rituals.cli.layout import Layout
from rituals.cli.operation import DRY_RUN, option, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rituals.cli.output import Line

_LINE_CHARS = 72  #: of the text of a task
_NO_TASK = '`diurna task add "TEXT"` adds one; `diurna task list --all` lists closed ones too'
#: Each action, with the words that it takes.
_FORMS = {
    "list": "",
    "add": "TEXT",
    "start": "ID",
    "move": "ID STATE",
    "done": "ID",
    "handoff": "ID",
    "pick": "",
}
#: Those that may write.
_WRITE = "add start move done handoff pick"
_TASK = (
    "tasks|{id:yellow}  {state}[  contradicted{contradiction}][  {=priority}][  {=who}]"
    "[  waits for {=waits}]  {=line}"
)


def _described(one: Listed) -> dict[str, Any]:
    """Describe a task: its state, whose it is, what it waits for, and how it begins."""
    task = one.task
    marks = [mark for mark, is_so in (("stale", one.stale), ("left", one.left)) if is_so]
    who = f"{task.claimant} since {task.when[:16].replace('T', ' ')}" if task.claimant else ""
    return {
        **task_object(one),
        "=priority": task.priority if task.priority != "medium" else "",
        "=who": f"{who} ({', '.join(marks)})" if marks and who else who,
        "=waits": [f"{wait.id} ({wait.why})" for wait in task.waits],
        "=line": one_line(summary_of(task.standing.fact), _LINE_CHARS),
    }


def task(
    call: Invocation, *,
    action: str = word("[ACTION]", default="list", offers=_FORMS),
    words: tuple[str, ...] = word("[ID]..."),
    mine: bool = option("list: those that you have, or that are meant for you.", goes="list"),
    workstream: str = option("add: a part of the work.", "NAME", goes="add"),
    all: bool = option("list: closed ones, too.", goes="list"),
    id: str = option("add: its id; else one is made.", "NAME", goes="add"),
    priority: str = option("add: high, medium or low.", "PRIORITY", choices=PRIORITIES, goes="add"),
    owner: str = option("add: whom it is meant for.", "NAME", goes="add"),
    goal: str = option("add: what it is good for.", "TEXT", goes="add"),
    depends: tuple[str, ...] = option(
        "add: what has to be done first. Repeatable, or with commas.", "ID", many=True, goes="add"),
    serves: tuple[str, ...] = option(
        "add: what it is done for. Repeatable, or with commas.", "ID", many=True, goes="add"),
    criterion: tuple[str, ...] = option(
        "add: when it is done. Repeatable.", "TEXT", many=True, goes="add"),
    risk: tuple[str, ...] = option("add: what may go wrong. Repeatable.", "TEXT", many=True, goes="add"),
    question: tuple[str, ...] = option(
        "add, handoff: what is open. Repeatable.", "TEXT", many=True, goes="add handoff"),
    anyway: bool = option("add: allow ids that memory does not know.", goes="add"),
    take_over: bool = option("start: even if somebody else has it, as agreed.", goes="start"),
    start: bool = option("pick: claim it, too.", goes="pick"),
    why: str = option("move, done: the reason.", "TEXT", goes="move done"),
    to: str = option("handoff: the agent or role that is to get it.", "NAME", goes="handoff"),
    done: tuple[str, ...] = option(
        "handoff: what is done. Repeatable.", "TEXT", many=True, goes="handoff"),
    remaining: tuple[str, ...] = option(
        "handoff: what is not. Repeatable.", "TEXT", many=True, goes="handoff"),
    warning: tuple[str, ...] = option(
        "handoff: what to look out for. Repeatable.", "TEXT", many=True, goes="handoff"),
    next: tuple[str, ...] = option(
        "handoff: what to do first. Repeatable.", "TEXT", many=True, goes="handoff"),
    confidence: str = option(
        "handoff: how sure it is that what is done is right.", "TEXT", goes="handoff"),
    agent: str = option("Who does it; else $DIURNA_AGENT, else git's user name.", "NAME", goes=_WRITE),
    role: str = option("In which role.", "NAME", goes=_WRITE),
    session: str = option("The host's session; else $DIURNA_SESSION, or what the host sets.", "ID",
        goes=_WRITE),
    dry_run: bool = DRY_RUN._replace(goes=_WRITE),
) -> None:  # fmt: skip
    """Say what is to be done, who does it, and what one leaves for the next.

    ACTION is one of:
      list               the open tasks, what comes first on top (without ACTION, too)
      add TEXT           a task is born
      start ID           claim it: it is in progress
      move ID STATE      todo, in-progress, handoff-ready, blocked, done or cancelled
      done ID            it is done
      handoff ID         hand it over, with what the next one has to know
      pick               the one to begin next: nobody has it, and it waits for nothing

    `diurna show ID` and `diurna why ID` tell all of one.

    Examples:
      diurna task add "Wire the retry queue" --priority high --criterion "A dead shop blocks no other."
      diurna task pick --start
      diurna task handoff wire-retry-queue --to judge --done "A queue for each shop." --next "Measure it."
    """
    form = _FORMS.get(action)
    if form is None:
        hint = f"actions: {', '.join(_FORMS)}; `diurna task add TEXT` adds a task"
        raise WrongUsage(f"`diurna task` has no action {action}", hint=hint)
    if len(words) != len(form.split()):
        said = f"`diurna task {action}` takes {form or 'no more words'}"
        raise WrongUsage(said, hint=f"diurna task {action} {form}".rstrip())
    if action == "list":
        whose = (call.agent or call.reader().asker()) if mine else ""
        found = listed(call.reader(), call.now_ms(), whose, closed=all)
        return call.answer(
            {"tasks": list(map(_described, found))},
            Layout(_TASK),
            nothing="no task fits" if mine or all else "no task is open",
            hints=() if found or mine or all else (_NO_TASK,),
        )
    from functools import partial

    from rituals.cli.commands.decisions import answer_recorded, receipt_lines, record
    from rituals.record import task_steps as steps
    from rituals.record.own_home_parts import Drafts
    from rituals.record.request import Request

    memory, author = call.memory(), Request(agent=agent, role=role, session=session)
    if action == "add":
        given: dict[str, Any] = {
            "id": id, "priority": priority, "owner": owner, "goal": goal, "workstream": workstream,
            "depends": depends, "serves": serves, "criterion": criterion, "question": question,
            "risk": risk, "anyway": anyway,
        }  # fmt: skip
        drafts = Drafts(*steps.adding(memory, words[0], given, author))
        return record(call, drafts, again=False, dry_run=dry_run, strict=False)
    id, state = (*words, "", "")[:2]
    if action == "move" and state not in STATES:
        raise WrongUsage(f"there is no state {state}", hint=f"states: {', '.join(STATES)}")
    given = {
        "state": state, "why": why, "start": start, "take_over": take_over, "to": to, "done": done,
        "remaining": remaining, "warning": warning, "question": question, "next": next,
        "confidence": confidence,
    }  # fmt: skip
    plan = partial(steps.step, memory, action, id, author, given)
    change, receipt = steps.carried_out(memory, plan, dry_run=dry_run)
    told = _described(Listed(change.task)) if change.task else None
    lines: Iterable[Line] = ()
    if receipt is not None:
        lines = receipt_lines(call, receipt, dry_run=dry_run)
    elif change.already:
        lines = [f"nothing to do: {change.already}" if told else change.already]
    elif told:
        lines = call.written({"tasks": [told]}, Layout(_TASK))
    more: dict[str, Any] = {"already": change.already, "notes": change.notes, "task": told}
    answer_recorded(call, receipt, lines, dry_run=dry_run, **more)
    for note in () if call.json else change.notes:
        call.out.talk(note)
