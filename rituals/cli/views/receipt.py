"""Append what was read from the command line, and print the receipt."""

from __future__ import annotations

from memory.write.draft import told
from rituals.answers.objects import receipt_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.write.draft import Receipt
    from rituals.cli.context import Invocation
    from rituals.record.own_home import Drafts


def record(
    call: Invocation,
    drafts: Drafts,
    *,
    again: bool,
    dry_run: bool,
    strict: bool,
    stage: bool = False,
) -> None:
    """Append a draft and say what that did, or would do.

    Args:
        call: the invocation.
        drafts: what is to be recorded, and what was noticed when it was read.
        again: record it even if the same was recorded a moment ago.
        dry_run: change nothing.
        strict: refuse what is otherwise only told.
        stage: leave the commit to the user.
    """
    out = call.out
    receipt = drafts.append(
        call.memory(), again=again, dry_run=dry_run, stage=stage, tiers=not stage, strict=strict
    )
    receipt = receipt._replace(findings=(*drafts.findings, *receipt.findings))
    call.landed = bool(receipt.commit) and not receipt.already and drafts.here is not None
    if call.json:
        log = {"dry_run": True, "log": receipt.data.decode()} if dry_run else {}
        out.answer({**receipt_object(receipt), **log})
    else:
        print_receipt(call, receipt, dry_run=dry_run, stage=stage)
    out.findings(receipt.findings)


def print_receipt(
    call: Invocation, receipt: Receipt, *, dry_run: bool, stage: bool = False
) -> None:
    """Print what an append did, or would do, without what was noticed.

    Args:
        call: the invocation.
        receipt: of the append.
        dry_run: nothing was changed.
        stage: the commit is left to the user.
    """
    memory, out = call.memory(), call.out
    if dry_run and not receipt.already:
        out.line("would append ", (out.short(receipt.stem), "yellow"))
        out.text(receipt.data.decode())
        return
    where = f"{receipt.commit[:7]} on {memory.home.branch}" if receipt.commit else "the index"
    said = "already recorded" if receipt.already else "staged" if stage else "committed"
    out.line((out.short(receipt.stem), "yellow"), f"  {said} in {where}")
    for verb, what in told(receipt):
        out.line(f"{verb:<7}  ", what if verb == "tier" else (what, "green"))
