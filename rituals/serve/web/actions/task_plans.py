"""Plan what forms say of tasks and findings: the same plans and appends as those of the commands."""

from __future__ import annotations

from collections.abc import Callable

from ledger.errors import WrongUsage
from ledger.model.task_states import DONE
from memory.api import Memory
from memory.write.draft import Receipt, SessionDraft
from projection.work.finding_facts import BugFound
from rituals.record.own_home_parts import Drafts
from rituals.record.tasks.new_task import Author, NewTask, adding
from rituals.record.tasks.task_steps import (
    Change,
    Leaving,
    carried_out,
    handing_over,
    moving,
    starting,
)
from rituals.review.finding_reports import DISMISSED, KNOWN, Reported, report
from rituals.serve.web.actions import twin_commands
from rituals.serve.web.actions.form_fields import Fields
from rituals.serve.web.actions.form_plan import FormPlan, drafted

_AUTHOR = Author()


def add(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to add a task, and beside it when it is done, what is open and what may go wrong."""
    text = fields.one("text").strip()
    if not text:
        raise WrongUsage("the text is empty", hint="say what is to be done")
    new = NewTask(
        text, priority=fields.one("priority"), owner=_line(fields, "owner"), goal=_line(fields, "goal"),
        workstream=_line(fields, "workstream"), depends=_ids(fields, "depends"),
        criteria=_lines(fields, "criterion"), questions=_lines(fields, "question"),
        risks=_lines(fields, "risk"),
    )  # fmt: skip
    drafts = Drafts(*adding(memory, new, _AUTHOR))
    return drafted(memory, drafts, twin_commands.add_task(new))


def start(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to claim a task."""
    id, over = fields.fact(), bool(fields.one("take_over"))
    command = twin_commands.task("start", id, **({"take_over": True} if over else {}))
    return _step(memory, lambda: starting(memory, id, _AUTHOR, take_over=over), command)


def move(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to move a task to another state."""
    id, state, why = fields.fact(), fields.one("state"), fields.one("why").strip()
    if not state:
        raise WrongUsage("no state is chosen", hint="choose the state that it is in from now on")
    return _move(memory, id, state, why, twin_commands.task("move", id, state, why=why))


def done(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to say that a task is done."""
    id, why = fields.fact(), fields.one("why").strip()
    return _move(memory, id, DONE, why, twin_commands.task("done", id, why=why))


def hand_over(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to hand a task over, with what the next one has to know."""
    id = fields.fact()
    said = {
        option: (text,) if (text := fields.one(name).strip()) else ()
        for option, name in (
            ("done", "done"), ("remaining", "remaining"), ("warning", "warning"),
            ("question", "question"), ("next", "first"),
        )
    }  # fmt: skip
    to, confidence = _line(fields, "to"), _line(fields, "confidence")
    leaving = Leaving(
        to, said["done"], said["remaining"], said["warning"], said["question"], said["next"], confidence,
    )  # fmt: skip
    command = twin_commands.task("handoff", id, to=to, **said, confidence=confidence)
    return _step(memory, lambda: handing_over(memory, id, leaving, _AUTHOR), command)


def report_finding(memory: Memory, fields: Fields) -> FormPlan:
    """Plan to report what is wrong; whoever meets the same names the same fact."""
    rule, message = _line(fields, "rule"), fields.one("text").strip()
    if not (rule and message):
        raise WrongUsage("a finding needs a rule and a message", hint="say what it breaks, and how")
    bug = BugFound(rule, message, _line(fields, "path"), _line(fields, "symbol"))

    def reported(dry_run: bool) -> Reported:
        return report(memory, (bug,), SessionDraft(title=""), dry_run=dry_run)

    (taken,) = reported(True).taken
    said = f"{taken.bug.id} is {taken.outcome}"
    already = said if taken.outcome in (KNOWN, DISMISSED) else ""
    return FormPlan(
        twin_commands.report_finding(bug), lambda dry_run: reported(dry_run).receipt,
        f"Finding: {rule}", (f"{said}: {taken.bug.text}",), already,
    )  # fmt: skip


def _move(memory: Memory, id: str, state: str, why: str, command: str) -> FormPlan:
    return _step(memory, lambda: moving(memory, id, state, _AUTHOR, why), command)


def _step(memory: Memory, plan: Callable[[], Change], command: str) -> FormPlan:
    """Plan a step of a task; it is planned again where somebody writes in between."""

    def append(dry_run: bool) -> Receipt | None:
        return carried_out(memory, plan, dry_run=dry_run)[1]

    change = plan()
    title = change.draft.title if change.draft else ""
    return FormPlan(command, append, title, already=change.already, told=change.notes)


def _line(fields: Fields, name: str) -> str:
    return " ".join(fields.one(name).split())


def _lines(fields: Fields, name: str) -> tuple[str, ...]:
    """Return what stands in a field, a line each."""
    return tuple([said for line in fields.one(name).split("\n") if (said := line.strip())])


def _ids(fields: Fields, name: str) -> tuple[str, ...]:
    return tuple(fields.one(name).replace(",", " ").split())
