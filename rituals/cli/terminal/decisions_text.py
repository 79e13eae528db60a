"""Run the commands that decide something: who decides, the append, and its answer."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rituals.cli.context import Invocation
    from rituals.decide.decision import Decision
    from rituals.decide.undo_plan import Undoing
    from rituals.decide.withholding_texts import Redaction

#: The letters of `forget`.
_WAYS = {
    "f": ("false", "it does not hold, and nothing replaces it"),
    "r": ("replaced", "another fact says what holds"),
    "w": ("withhold", "show its text to nobody again: a secret, a name"),
    "a": ("archive", "it holds, but put it out of sight"),
    "q": ("quit", "change nothing"),
}


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
    then: Callable[[], dict[str, Any]] = dict,
    **more: object,
) -> dict[str, Any]:
    """Record a decision and say what was done, or what would be; return what `then` gave.

    `agent` is "" for the default, `title` is the log's, "" for the decision's own. `then` is asked once it
    is recorded; what it gives, and `more`, are further keys of the JSON answer.
    """
    from memory.write.draft import told
    from rituals.answers.json_objects import event_object, receipt_object
    from rituals.decide.decision import Author, record

    memory, out = call.memory(), call.out
    receipt = record(memory, decision, Author(agent, title), dry_run=dry_run)
    call.landed = bool(receipt and receipt.commit)
    given = then()
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
                **given,
            }
        )
    elif receipt is None:
        out.line(f"nothing to do: {decision.already}")
    else:
        if not dry_run:
            out.line((out.short(receipt.stem), "yellow"), f"  {receipt.place(memory.home.branch)}")
        for line in decision.does:
            out.line(f"would record: {line}" if dry_run else line)
        for verb, what in told(receipt._replace(did=())):
            out.line(f"{verb:<7}  {what}")
    if receipt is not None:
        out.findings(receipt.findings)
    if not call.json:
        for hint in decision.hints:
            out.hint(hint)
    return given


def take_back(
    call: Invocation, found: Undoing, agent: str, title: str, dry_run: bool, *, ask: bool = False
) -> None:
    """Record an undo, or what does one again; with `ask` a person sees the plan first and has to agree.

    Raises:
        WrongUsage: nobody is there to be asked.
    """
    decision = found.decision
    if ask and not dry_run and decision.events:
        if call.json or not call.interactive():
            raise WrongUsage(
                f"{counted(len(found.logs), 'log')} and what was derived are not taken back unasked",
                hint="--dry-run shows the plan; --yes does it",
            )
        for line in decision.does:
            call.out.line(line)
        call.out.flush()
        if not click.confirm("take this back?", False, err=True):
            return
        decision = decision._replace(does=())  # they were shown
    logs = [{"stem": one.stem, "agent": one.agent, "title": one.title} for one in found.logs]
    undone = found.undo or (found.logs[0].stem if len(found.logs) == 1 else "")
    left = [{"id": id, "why": why} for id, why in found.left]
    decide(
        call, decision, agent, title, dry_run,
        undone=undone, logs=logs, took=list(found.took), left=left,
    )  # fmt: skip


def tell_held(call: Invocation, found: Redaction, stands: Sequence[str]) -> None:
    """Say where it stands still: in which files, which commits, and what finds it there."""
    git, out = found.git, call.out
    if not (stands or git.commits):
        return
    out.line("git still has it, for `git grep`, for agents and for the forge's search:")
    for path in stands:
        out.line(f"  in the file {path}")
    for commit in git.messages:
        out.line(f"  in the message of commit {commit[:12]}")
    for one in found.holders:
        made = f", brought by commit {one.commit} by {one.author}" if one.commit else ""
        there = f", also on {', '.join(one.remotes)}" if one.remotes else ""
        out.line(f"  in the history of {one.path}{made}{there}")
    out.line(f"  in {counted(git.commits, 'commit')}, {counted(len(git.blobs), 'file')} of them")
    out.line(f"  {', '.join(git.references) or 'no branch'} lead to it")
    if git.reflogs:
        out.line(f"  {counted(git.reflogs, 'commit')} that reflogs alone lead to")
    if git.packs:
        out.line(f"  packed in {', '.join(git.packs)}")
    out.line("rewriting the history is for a person to decide, with everybody who has a clone;")
    out.line("`diurna redact … --purge --dry-run` shows what that would be")


def asked_way(call: Invocation, id: str, text: str) -> tuple[str, str]:
    """Ask in which way a fact is to be forgotten, and by which it is replaced.

    Raises:
        WrongUsage: nobody is there to be asked.
    """
    from rituals.cli.terminal.review_walk_text import chosen

    if call.json or not call.interactive():
        raise WrongUsage(
            f"there are four ways to forget {id}, and none was named",
            hint="--false, --replaced-by ID, --withhold, or --archive",
        )
    call.out.talk(f"{id}: {text}")
    for letter, (name, does) in _WAYS.items():
        call.out.talk(f"  {letter}  {name}: {does}")
    how = chosen(_WAYS, "q", call.out)
    return how, click.prompt("by which fact", err=True) if how == "replaced" else ""
