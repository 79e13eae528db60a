"""Run `diurna append`: append a session log and commit it."""

from __future__ import annotations

from typing import Any

import click

from rituals.cli import append_options, options
from rituals.cli.context import Invocation


@click.command("append", epilog=append_options.EPILOG)
@click.argument("file", default="", required=False)
@append_options.content
@append_options.header
@click.option("--again", is_flag=True, help="Record it even if the same was recorded a moment ago.")
@click.option("--stage", is_flag=True, help="Stage the log for your own next commit.")
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse a log with a secret, or a fact that repeats or denies another.",
)
@options.dry_run
@options.command
def command(
    call: Invocation,
    /,
    file: str,
    again: bool,
    stage: bool,
    strict: bool,
    dry_run: bool,
    **given: Any,
) -> None:
    """Append a session log to the ledger and commit it.

    The log comes from a markdown FILE (- for standard input), from options, from both, or from
    JSON. Agent, time, branch and commit are filled in. A secret in it is redacted, and said; a line with
    `diurna: allow-secret` is left as it is.
    """
    from memory.write.draft import told
    from rituals.answers.objects import receipt_object
    from rituals.cli.append_input import read_draft_of

    memory = call.memory()
    draft, findings = read_draft_of(call, memory, file, given)
    receipt = memory.append(
        draft, again=again, dry_run=dry_run, stage=stage, tiers=not stage, strict=strict
    )
    receipt = receipt._replace(findings=(*findings, *receipt.findings))
    call.landed = bool(receipt.commit) and not receipt.already
    out = call.out
    if call.json:
        log = {"dry_run": True, "log": receipt.data.decode()} if dry_run else {}
        out.answer({**receipt_object(receipt), **log})
    elif dry_run and not receipt.already:
        out.line("would append ", (out.short(receipt.stem), "yellow"))
        out.text(receipt.data.decode())
    else:
        where = f"{receipt.commit[:7]} on {memory.home.branch}" if receipt.commit else "the index"
        said = "already recorded" if receipt.already else "staged" if stage else "committed"
        out.line((out.short(receipt.stem), "yellow"), f"  {said} in {where}")
        for verb, what in told(receipt):
            out.line(f"{verb:<7}  ", what if verb == "tier" else (what, "green"))
    out.findings(receipt.findings)
