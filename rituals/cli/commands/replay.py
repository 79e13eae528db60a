"""Run `diurna replay`: replay the whole ledger from git, ignoring every cache."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.output import counted


@click.command("replay")
@click.option("--write", is_flag=True, help="Write the projection into the work tree; no commit.")
@click.option("--check", is_flag=True, help="End with 1 if anything differs from the replay.")
@options.dry_run
@options.command
def command(call: Invocation, write: bool, check: bool, dry_run: bool) -> int:
    """Replay the whole ledger from git, ignoring every cache, and compare.

    It compares the published projection (drift) and what the cache answers.

    \b
    Examples:
      diurna replay --check
      diurna replay --write
    """
    from rituals.answers.json_objects import finding_objects, summary_object
    from rituals.check.replay_comparison import recheck

    memory = call.memory()
    absorbed = memory.absorb_first() if write and not dry_run else ()
    found = recheck(memory)
    written: tuple[str, ...] = ()
    if write:
        written = found.drift if dry_run else memory.write_projection(found.state)
    summary, facts = found.state.summary, len(found.state)
    if call.json:
        call.out.answer(
            {
                **summary_object(summary),
                "facts": facts,
                "drift": list(found.drift),
                "cache_differs": list(found.stale),
                "written": list(written),
                "dry_run": dry_run,
                "findings": finding_objects((*absorbed, *found.findings())),
            }
        )
    else:
        numbers = ((summary.logs, "log"), (summary.sessions, "work session"), (facts, "fact"))
        said = ", ".join(counted(number, noun) for number, noun in numbers)
        call.out.line(f"replayed {said}; digest {summary.digest[:16]}")
        for path in written:
            call.out.line(f"{'would write' if dry_run else 'wrote'} {path}")
        if found.in_step:
            call.out.line("the projection is in step")
    call.out.findings((*absorbed, *found.findings()))
    return 1 if check and not found.in_step else 0
