"""Run `diurna task`: check what an action was given, do one thing, and tell it."""

from __future__ import annotations

from ledger.errors import WrongUsage
from ledger.model.task_states import DONE, STATES
from rituals.cli.context import Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


_OPTION = {"everything": "all"}
_NUMBERS = ("no more words", "one", "an id and a state")
#: What each action takes beside the common options, by the names of their values.
_ADDED = "id priority owner goal workstream depends serves criterion risk question anyway"
_LEFT = "to done remaining warning question next confidence"
_LISTED = "state mine workstream everything"
_TAKES = {
    "list": _LISTED, "add": _ADDED, "start": "take_over", "move": "why", "done": "why",
    "handoff": _LEFT, "pick": "start", "request": "to dry_run", "requests": "", "accept": _ADDED,
    "decline": "",
}  # fmt: skip
ACTIONS = tuple(_TAKES)
#: The fields of a task in a list.
LISTED = (
    "claimant contradiction depends goal id left line owner priority since stale state "
    "waits workstream"
)
_WRITES = "agent role session dry_run"
_WORDS = {"list": 0, "pick": 0, "move": 2, "requests": 0, "decline": 2}
_FORMS = {"add": " TEXT", "move": " ID STATE", "request": " TEXT --to NAME", "decline": ' ID "WHY"'}
#: What records nothing here.
_ELSEWHERE = ("list", "request", "requests")


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
        from rituals.cli.terminal.tasks_text import answer

        return answer(call, given)
    if action in ("request", "requests"):
        from rituals.cli.terminal.requests_text import ask, list_all

        return ask(call, words[0], given) if words else list_all(call)
    from functools import partial

    from rituals.cli.terminal.receipt_text import record
    from rituals.cli.terminal.tasks_text import tell
    from rituals.record.option_values import parse_ids
    from rituals.record.own_home_parts import Drafts
    from rituals.record.tasks.author import Author
    from rituals.record.tasks.handoff import Leaving, handing_over
    from rituals.record.tasks.new_task import NewTask, adding
    from rituals.record.tasks.task_steps import carried_out, moving, picking, starting

    memory, dry_run = call.memory(), given["dry_run"]
    author = Author(given["agent"], given["role"], session=given["session"])
    new = NewTask(
        words[0] if words else "", given["id"], given["priority"] or "", given["owner"],
        given["goal"], given["workstream"], parse_ids(given["depends"]), parse_ids(given["serves"]),
        given["criterion"], given["question"], given["risk"],
    )  # fmt: skip
    if action == "add":
        drafts = Drafts(*adding(memory, new, author, anyway=given["anyway"]))
        return record(call, drafts, again=False, dry_run=dry_run, strict=False)
    if action in ("accept", "decline"):
        from rituals.cli.terminal.requests_text import answer_request

        return answer_request(call, words, (new, author), given)
    if action == "handoff":
        leaving = Leaving(
            given["to"], given["done"], given["remaining"], given["warning"], given["question"],
            given["next"], given["confidence"],
        )  # fmt: skip
        plan = partial(handing_over, memory, words[0], leaving, author)
    elif action == "start":
        plan = partial(starting, memory, words[0], author, take_over=given["take_over"])
    elif action == "pick":
        plan = partial(picking, memory, author, start=given["start"])
    else:
        state = words[1] if action == "move" else DONE
        plan = partial(moving, memory, words[0], state, author, given["why"])
    change, receipt = carried_out(memory, plan, dry_run=dry_run)
    tell(call, change, receipt, dry_run=dry_run)
    if not dry_run:
        _afterwards(call, action, given["session"])


def _afterwards(call: Invocation, action: str, session: str) -> None:
    """Send the answer that is due to a request; ask a session that hands over what it did not record."""
    if action in ("done", "move"):
        from rituals.cli.terminal.requests_text import send_due

        send_due(call)
    if action == "handoff" and not call.json:
        _ask_before_leaving(call, session)


def _ask_before_leaving(call: Invocation, session: str) -> None:
    """Ask a session that hands over what it did not record yet."""
    from projection.policy.model import OFF
    from rituals.hosts.silence import is_silent, place_of
    from rituals.hosts.stop_request import before_leaving

    memory = call.memory()
    commondir, session = memory.home.repository.commondir, session or memory.occasion().session
    capture = memory.policy.capture
    if capture.keep != OFF and session and not is_silent(commondir, session, place_of(memory.home)):
        call.out.text(before_leaving(commondir, session, capture.ask))


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
    if action not in _ELSEWHERE:
        taken += _WRITES.split()
    odd = [name for name, value in given.items() if value and name not in taken]
    if odd:
        names = ", ".join([f"--{_OPTION.get(name, name).replace('_', '-')}" for name in odd])
        raise WrongUsage(f"`diurna task {action}` takes no {names}")
    wanted = _WORDS.get(action, 1)
    if len(words) != wanted:
        number = "an id and a reason" if action == "decline" else _NUMBERS[wanted]
        form = _FORMS.get(action, " ID" * wanted)
        hint = (
            "a text stands in quotes; " if action in ("add", "request", "decline") and words else ""
        )
        raise WrongUsage(
            f"`diurna task {action}` takes {number}",
            hint=f"{hint}diurna task {action}{form}",
        )
    if action == "request" and not given["to"]:
        raise WrongUsage(
            "whom is asked?", hint="--to NAME, of `[inbox] to` in diurna.toml, or a URL or path"
        )
    if action == "move" and words[1] not in STATES:
        raise WrongUsage(f"there is no state {words[1]}", hint=f"states: {', '.join(STATES)}")
