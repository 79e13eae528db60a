"""Run `diurna task`: check what an action was given, do one thing, and print what came of it."""

from __future__ import annotations

from ledger.errors import WrongUsage
from ledger.model.task_states import STATES
from projection.document.archive_pages import summary_of
from projection.text.clipping import one_line
from rituals.answers.task_objects import Listed, Wanted, listed, task_object
from rituals.cli.context import Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory.write.draft import Receipt
    from rituals.cli.output import Output
    from rituals.record.tasks.task_steps import Change

#: How long a line is, and how much of the text it has at least.
_LINE_CHARS, _LEAST_CHARS = 110, 24
_MINUTE = 16  # characters of an instant up to its minutes


def answer(call: Invocation, given: Mapping[str, Any]) -> None:
    """List tasks: what is in progress, to do, and what each waits for.

    `given` has the value of every option (`rituals.cli.option_table.TASKS`).
    """
    reader, out = call.reader(), call.out
    mine = (call.agent or reader.asker()) if given["mine"] else ""
    wanted = Wanted(given["state"] or "", mine, given["workstream"], given["everything"])
    found = listed(reader, wanted, call.now_ms())
    if call.json:
        return out.answer({"tasks": [task_object(one) for one in found]})
    for one in found:
        print_line(one, out)
    if not found:
        out.talk("no task fits" if any(wanted) else "no task is open", fixed=True)
        if not any(wanted):
            out.hint(
                '`diurna task add "TEXT"` adds one; `diurna task list --all` lists closed ones too',
                fixed=True,
            )


def print_line(one: Listed, out: Output) -> None:
    """Print a task on one line: its state, whose it is, what it waits for, and how it begins."""
    task = one.task
    said = [task.state]
    if task.contradicted:
        said.append("contradicted")
    if task.priority != "medium":
        said.append(task.priority)
    if task.claimant:
        marks = [mark for mark, is_so in (("stale", one.stale), ("left", one.left)) if is_so]
        who = f"{task.claimant} since {task.when[:_MINUTE].replace('T', ' ')}"
        said.append(f"{who} ({', '.join(marks)})" if marks else who)
    if task.waits:
        said.append(f"waits for {', '.join([f'{wait.id} ({wait.why})' for wait in task.waits])}")
    head = f"  {'  '.join(said)}  "
    room = max(_LEAST_CHARS, _LINE_CHARS - len(task.id) - len(head))
    out.line((task.id, "yellow"), head, one_line(summary_of(task.standing.fact), room))


def tell(call: Invocation, change: Change, receipt: Receipt | None, *, dry_run: bool) -> None:
    """Say what became of a task, or would."""
    from rituals.answers.json_objects import receipt_object
    from rituals.cli.terminal.receipt_text import print_receipt

    out, task = call.out, change.task
    call.landed = bool(receipt and receipt.commit)
    if call.json:
        stored = receipt_object(receipt) if receipt else {"stem": "", "commit": "", "findings": []}
        more = {"dry_run": dry_run, "already": change.already, "notes": list(change.notes)}
        chosen = task_object(Listed(task)) if task else None
        return out.answer({**stored, **more, "task": chosen})
    if receipt is not None:
        print_receipt(call, receipt, dry_run=dry_run)
    elif change.already:
        out.line(change.already if task is None else f"nothing to do: {change.already}")
    elif task is not None:
        print_line(Listed(task), out)
    for note in change.notes:
        out.talk(note)
    if receipt is not None:
        out.findings(receipt.findings)


_OPTION = {"everything": "all"}
_NUMBERS = ("no more words", "one", "an id and a state")
#: What each action takes beside the common options, by the names of their values.
_ADDED = "id priority owner goal workstream depends serves criterion risk question anyway"
_LEFT = "to done remaining warning question next confidence"
_LISTED = "state mine workstream everything"
_TAKES = {
    "list": _LISTED, "add": _ADDED, "start": "take_over", "move": "why", "done": "why",
    "handoff": _LEFT, "pick": "start",
}  # fmt: skip
ACTIONS = tuple(_TAKES)
#: The fields of a task in a list.
LISTED = (
    "claimant contradiction depends goal id left line owner priority since stale state "
    "waits workstream"
)
_WRITES = "agent role session dry_run"
_WORDS = {"list": 0, "pick": 0, "move": 2}
_FORMS = {"add": " TEXT", "move": " ID STATE"}


def task(call: Invocation, /, action: str, words: tuple[str, ...], **given: Any) -> None:
    """Run `diurna task`."""
    run(call, action, words, given)


def run(call: Invocation, action: str, words: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Do what an action of `diurna task` says.

    The action is one of `_TAKES`, and the words stand behind it; `given` has every option, by the name of
    its value.

    Raises:
        WrongUsage: there is no such action, or it takes something else.
    """
    _check(action, words, given)
    if action == "list":
        return answer(call, given)
    from functools import partial

    from rituals.cli.terminal.receipt_text import record
    from rituals.record.option_values import parse_ids
    from rituals.record.own_home_parts import Drafts
    from rituals.record.tasks import task_steps as steps

    memory, dry_run = call.memory(), given["dry_run"]
    author = steps.Author(given["agent"], given["role"], session=given["session"])
    if action == "add":
        new = steps.NewTask(
            words[0], given["id"], given["priority"] or "", given["owner"],
            given["goal"], given["workstream"], parse_ids(given["depends"]),
            parse_ids(given["serves"]), given["criterion"], given["question"], given["risk"],
        )  # fmt: skip
        drafts = Drafts(*steps.adding(memory, new, author, anyway=given["anyway"]))
        return record(call, drafts, again=False, dry_run=dry_run, strict=False)
    id, state = (*words, "", "")[:2]
    leaving = steps.Leaving(*[given[key] for key in _LEFT.split()])
    given = {**given, "state": state, "leaving": leaving}
    plan = partial(steps.step, memory, action, id, author, given)
    change, receipt = steps.carried_out(memory, plan, dry_run=dry_run)
    tell(call, change, receipt, dry_run=dry_run)
    if action == "handoff" and not (dry_run or call.json):
        _ask_before_leaving(call, given["session"])


def _ask_before_leaving(call: Invocation, session: str) -> None:
    """Ask a session that hands over what it did not record yet."""
    from projection.policy.model import OFF
    from rituals.hosts.silence import is_silent, place_of
    from rituals.hosts.stop_request import before_leaving

    memory = call.memory()
    commondir, session = memory.home.repository.commondir, session or memory.occasion().session
    capture = memory.policy.capture
    if capture.keep != OFF and session and not is_silent(commondir, session, place_of(memory.home)):
        call.out.text(before_leaving(commondir, place_of(memory.home), session, capture.ask))


def _check(action: str, words: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Refuse what an action does not take."""
    if action not in _TAKES:
        from difflib import get_close_matches

        like = get_close_matches(action, _TAKES, 1)
        hint = f"did you mean {like[0]}? " if like else ""
        if action in STATES:
            hint = f"`diurna task move ID {action}` says that one is {action}; "
        hint += f'actions: {", ".join(_TAKES)}; `diurna task add "{action} …"` adds a task'
        raise WrongUsage(f"`diurna task` has no action {action}", hint=hint)
    taken = _TAKES[action].split()
    if action != "list":
        taken += _WRITES.split()
    odd = [name for name, value in given.items() if value and name not in taken]
    if odd:
        names = ", ".join([f"--{_OPTION.get(name, name).replace('_', '-')}" for name in odd])
        raise WrongUsage(f"`diurna task {action}` takes no {names}")
    wanted = _WORDS.get(action, 1)
    if len(words) != wanted:
        form = _FORMS.get(action, " ID" * wanted)
        hint = "a text stands in quotes; " if action == "add" and words else ""
        raise WrongUsage(
            f"`diurna task {action}` takes {_NUMBERS[wanted]}",
            hint=f"{hint}diurna task {action}{form}",
        )
    if action == "move" and words[1] not in STATES:
        raise WrongUsage(f"there is no state {words[1]}", hint=f"states: {', '.join(STATES)}")
