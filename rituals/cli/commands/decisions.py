"""Run the commands that decide something: who decides, the append, and its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.errors import WrongUsage
from rituals.cli.context import STDIN, Invocation
from rituals.cli.output import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.decide.decision import Decision
    from rituals.decide.undo_plan import Undoing


def edit(
    call: Invocation, /, id: str, text: str, mode: str | None, reason: str, **given: Any
) -> None:
    """Run `diurna edit`."""
    from rituals.decide.fact_wording import Wording, rewording

    said = {key: given.pop(key) for key in ("kind", "until", "entity", "tags")}
    if mode:
        return _restore(call, id, text, reason, **given)
    memory = call.memory()
    if text == STDIN:
        text = call.text(STDIN).strip()
        if not text:
            raise WrongUsage("standard input holds no text", hint="`diurna forget ID` forgets it")
    elif not (text or any(said.values())):
        before = memory.standing(id).fact
        if call.json or not call.interactive():
            raise WrongUsage("the new text is missing", hint=f'diurna edit {id} "TEXT"')
        import click

        text = "" if before.redacted else (click.edit(before.text, extension=".md") or "").strip()
    decide(call, rewording(memory, id, Wording(text, **said), reason), **given)


def close(call: Invocation, /, ids: tuple[str, ...], reason: str, **recorded: Any) -> None:
    """Run `diurna close`."""
    from rituals.decide.fact_status import closing

    decide(call, closing(call.memory(), ids, reason), **recorded)


def undo(
    call: Invocation, /, stems: tuple[str, ...], redo: bool, yes: bool, title: str, dry_run: bool,
    **chosen: Any,
) -> None:  # fmt: skip
    """Run `diurna undo`."""
    from rituals.decide.log_undo import Asked, redoing, taking_back, undoing

    asked = Asked(stems, **chosen)
    memory = call.memory()
    if not dry_run:
        memory.drain()
    if redo and asked.names_logs:
        hint = "leave the rest out"
        raise WrongUsage("--redo does again what the last undo took back", hint=hint)
    if redo:
        take_back(call, redoing(memory, asked.agent), asked.agent, title, dry_run, yes=yes)
    elif asked.names_logs:
        take_back(call, taking_back(memory, asked), "", title, dry_run, yes=yes, named=True)
    else:
        take_back(call, undoing(memory, asked.agent), asked.agent, title, dry_run, yes=yes)


def _restore(call: Invocation, /, id: str, version: str, reason: str, **recorded: Any) -> None:
    """Let an older text stand again, or a fact that was called false."""
    if version:
        from rituals.decide.fact_wording import restoration

        if reason:
            raise WrongUsage("--reason goes with a fact that was called false, not with a version")
        decide(call, restoration(call.memory(), id, version), **recorded)
        return
    from rituals.decide.fact_status import reinstatement

    if not reason.strip():
        raise WrongUsage(
            "neither a VERSION nor a --reason is given",
            hint=f"`diurna why {id} --versions` lists its texts; where it was called false, "
            "`--reason TEXT` says in a sentence why it holds after all",
        )
    decide(call, reinstatement(call.memory(), id, reason), **recorded)


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
    call: Invocation, found: Undoing, agent: str, title: str, dry_run: bool, *,
    yes: bool, named: bool = False,
) -> None:  # fmt: skip
    """Say what an undo does, or what does one again, and record it; on a terminal a person has to agree.

    Raises:
        WrongUsage: logs that were `named` go unasked with --yes alone, and nobody is there to be asked.
    """
    decision = found.decision
    asks = not (yes or call.json) and call.interactive()
    if decision.events and not dry_run:
        if named and not (asks or yes):
            raise WrongUsage(
                f"{counted(len(found.logs), 'log')} and what was derived are not taken back unasked",
                hint="--dry-run shows the plan; --yes does it",
            )
        for line in decision.does if not call.json else ():
            call.out.line(line)
        call.out.flush()
        if asks:
            import click

            if not click.confirm("do this again?" if found.undo else "take this back?", err=True):
                return
        decision = decision if call.json else decision._replace(does=())  # they were shown
    logs = [{"stem": one.stem, "agent": one.agent, "title": one.title} for one in found.logs]
    undone = found.undo or (found.logs[0].stem if len(found.logs) == 1 else "")
    left = [{"id": id, "why": why} for id, why in found.left]
    decide(
        call, decision, agent, title, dry_run,
        undone=undone, logs=logs, took=list(found.took), left=left,
    )  # fmt: skip
