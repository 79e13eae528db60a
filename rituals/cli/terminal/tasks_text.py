"""Print what `diurna task` answers: the list, and what became of one task."""

from __future__ import annotations

from memory.recall.hits.snippets import one_line
from projection.document.archive_pages import summary_of
from rituals.answers.task_objects import Listed, Wanted, listed, task_object, tasks_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory.write.draft import Receipt
    from rituals.cli.context import Invocation
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
        return out.answer({"tasks": tasks_object(found)})
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
