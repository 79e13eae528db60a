"""Print requests between projects: what was asked, what came, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rituals.answers.task_objects import letter_object
from rituals.cli.context import Invocation
from rituals.cli.output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.record.tasks.author import Author
    from rituals.record.tasks.new_task import NewTask
    from rituals.sync.inbox_fetch import Happening

_FAILED = ("failed", "refused", "left")


def ask(call: Invocation, text: str, given: Mapping[str, Any]) -> None:
    """Ask another project."""
    from rituals.sync.request_sending import ask

    dry_run, out = given["dry_run"], call.out
    letter, already, findings = ask(call.memory(), text, given["to"], dry_run=dry_run)
    if call.json:
        out.answer({**letter_object(letter), "already": already, "dry_run": dry_run})
    else:
        said = "asked already" if already else "would ask" if dry_run else "asked"
        out.line(f"{said}  {letter.to}  ", (letter.hash, "yellow"), f"  {letter.title}")
        if not letter.reply:
            out.hint("no answer comes by itself: they can not reach a remote of this home")
    out.findings(findings)


def list_all(call: Invocation) -> None:
    """Show the requests that wait, whole, and what became of those that were sent from here."""
    from memory.replay.request_inbox import letters, waiting

    memory, out = call.memory(), call.out
    came = memory.ask(lambda cache: waiting(memory.home, cache))
    sent, answers = letters(memory.home, "asked"), letters(memory.home, "answers")
    if call.json:
        asked = [
            {
                **letter_object(one),
                "answer": letter_object(answers[hash]) if hash in answers else None,
            }
            for hash, one in sent.items()
        ]
        return out.answer({"requests": [letter_object(one) for one in came], "asked": asked})
    for one in came:
        out.line((one.hash, "yellow"), f"  {one.day}  from {one.asker} (outside)")
        _quote(one.text, out)
    if came:
        out.hint("who asks is their own word; who pushed diurna-inbox/FROM-ID, the forge knows")
        out.hint('`diurna task accept ID` or `diurna task decline ID "WHY"` answers')
    for hash, one in sent.items():
        state = f"{answers[hash].state} {answers[hash].day}" if hash in answers else "no answer yet"
        out.line((hash, "yellow"), f"  {one.day}  to {one.to}  {state}: {one.title}")
        if hash in answers:
            _quote(answers[hash].text, out)
    if not (came or sent):
        out.talk("no request waits")
    if not memory.policy.inbox.accept:
        out.hint("those of others are not looked for: `[inbox] accept = true` in diurna.toml")


def answer_request(
    call: Invocation, words: tuple[str, ...], new: tuple[NewTask, Author], given: Mapping[str, Any]
) -> None:
    """Accept a request, or decline it with a reason; one that is answered stays so."""
    from rituals.cli.terminal.receipt_text import record
    from rituals.record.own_home_parts import Drafts
    from rituals.record.tasks.outside_requests import accepting, declining, request_of

    letter, known = request_of(call.memory(), words[0])
    if letter is None:
        said = f"that request is task {known}"
        nothing = {"stem": "", "commit": "", "findings": [], "already": said}
        return call.out.answer(nothing) if call.json else call.out.line(f"nothing to do: {said}")
    declines = len(words) > 1
    if declines:
        draft = declining(call.memory(), letter, words[1], new[1])
    else:
        draft = accepting(call.memory(), letter, *new, anyway=given["anyway"])
    record(call, Drafts(*draft), again=True, dry_run=given["dry_run"], strict=False)
    if declines and not given["dry_run"]:
        send_due(call)


def send_due(call: Invocation) -> None:
    """Send the answers that are due; what fails goes with a sync."""
    from rituals.sync.request_sending import send_answers

    for one in send_answers(call.memory()):
        call.out.talk(f"{one.what}  {one.id}  {one.line}")


def print_exchange(done: Iterable[Happening], out: Output) -> None:
    """Say what a sync did about requests."""
    for one in done:
        if one.what in _FAILED:
            out.talk(f"{one.what}  {one.id}: {one.line}")
        else:
            out.line(f"{one.what}  ", (one.id, "yellow"), f"  {one.line}")
    if any(one.what == "asked" for one in done):
        out.hint("`diurna task requests` shows them whole; nothing is accepted by itself")


def _quote(text: str, out: Output) -> None:
    for line in text.split("\n"):
        out.line(f"    > {line}")
