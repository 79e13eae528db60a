"""Run the commands that decide something: who decides, the append, and its answer."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import options
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.context import Invocation
    from rituals.decide.decision import Decision
    from rituals.decide.remaining_copies import Holding


def author(function: Any) -> Any:
    """Give a command the options of what it records: `agent`, `title` and `dry_run`, for `decide`."""
    agent = click.option(
        "--agent", default="", metavar="NAME",
        help="Who decides; else $DIURNA_AGENT, else git's user name.",
    )  # fmt: skip
    title = click.option("--title", default="", metavar="TEXT", help="The log's title.")
    return agent(title(options.dry_run(function)))


def decide(
    call: Invocation,
    decision: Decision,
    agent: str,
    title: str,
    dry_run: bool,
    **more: object,
) -> None:
    """Record a decision and say what was done, or what would be.

    Args:
        call: the invocation.
        decision: as planned.
        agent: who decides, "" for the default.
        title: of the log, "" for the decision's own.
        dry_run: change nothing.
        more: further keys of the JSON answer.
    """
    from memory.write.draft import told
    from rituals.answers.objects import event_object, receipt_object
    from rituals.decide.decision import Author, record

    memory, out = call.memory(), call.out
    receipt = record(memory, decision, Author(agent, title), dry_run=dry_run)
    call.landed = bool(receipt and receipt.commit)
    if call.json:
        stored = receipt_object(receipt) if receipt else {"stem": "", "commit": "", "findings": []}
        out.answer(
            {
                **stored,
                "already": decision.already,
                "dry_run": dry_run,
                "does": list(decision.does),
                "events": [event_object(event) for event in decision.events],
                "hints": list(decision.hints),
                **more,
            }
        )
    elif receipt is None:
        out.line(f"nothing to do: {decision.already}")
    else:
        if not dry_run:
            where = f"{receipt.commit[:7]} on {memory.home.branch}"
            out.line((out.short(receipt.stem), "yellow"), f"  committed in {where}")
        for line in decision.does:
            out.line(f"would record: {line}" if dry_run else line)
        for verb, what in told(receipt._replace(did=())):
            out.line(f"{verb:<7}  {what}")
    if receipt is not None:
        out.findings(receipt.findings)
    if not call.json:
        for hint in decision.hints:
            out.hint(hint)


def tell_held(call: Invocation, git: Holding, ids: str) -> None:
    """Say what git has beside the logs, and what a person can do about it."""
    from rituals.decide.remaining_copies import steps

    files, messages = counted(len(git.blobs), "file"), counted(git.messages, "message")
    lines = [
        f"  in {counted(git.commits, 'commit')}, {files} of them, and {messages}",
        f"  {', '.join(git.references) or 'no branch'} lead to it",
        f"  {counted(git.reflogs, 'commit')} that reflogs alone lead to" if git.reflogs else "",
        f"  packed in {', '.join(git.packs)}" if git.packs else "",
        "whether the history is rewritten, a person decides with all who have a clone; no agent does.",
        "For them, in a fresh clone (WORDS is a file of theirs outside of it, a line for each text; the",
        "first command takes out the files that hold it whole, the second the words alone):",
        *[f"  {step}" for step in steps(git, ids)],
        "then `diurna verify` accepts that these logs are gone or replaced, and no others",
    ]
    for line in lines:
        if line:
            call.out.line(line)
