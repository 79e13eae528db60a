"""Run `diurna adopt`: take over a ledger that another tool wrote, in place."""

from __future__ import annotations

import os

import click

from ledger.errors import NotFound, WrongUsage
from ledger.model.layout import CONTINUITY_FILE
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("adopt")
@click.argument("dir")
@click.option("--compat", is_flag=True, help="Only print the other tool's own footers.")
@click.option("--verbose", "-v", is_flag=True, help="Name everything that was noticed.")
@options.dry_run
@options.command
def command(call: Invocation, dir: str, compat: bool, verbose: bool, dry_run: bool) -> None:
    """Take over, in place, a ledger that another tool wrote, or a page written by hand.

    DIR holds memory/ with sessions/ and continuity.md, or is that folder. Its session logs stay as
    they are, byte for byte. The texts of its facts enter the ledger by `import` logs, and so does
    what the pages said earlier, with the time and author of each commit, as far back as git goes.
    If a count differs from the other tool's, you are told. Of a page alone, each bullet becomes a
    fact of the kind that its heading names; what is not a bullet is named and stays on the page.

    \b
    Examples:
      diurna import ledger . --dry-run
      diurna import ledger .
      diurna import ledger . --compat --json
    """
    if call.home:
        raise WrongUsage("the ledger is named by DIR", hint=f"diurna import ledger {call.home}")
    if compat:
        _compat(call, dir)
        return
    from rituals.cli.terminal.adopt_text import adoption_object, show_noticed, show_steps
    from rituals.intake.adopt.adoption import apply_adoption, plan_adoption

    plan = plan_adoption(_folder(call, dir), call.out.progress)
    commits: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    if not dry_run and not plan.already:
        done = apply_adoption(plan, call.now_ms, call.agent)
        commits, stems = done.commits, done.stems
        done.memory.close()
    findings = (*plan.findings, *(difference.finding for difference in plan.differences))
    if call.json:
        call.out.answer(adoption_object(plan, findings, commits, stems, dry_run=dry_run))
        return
    show_noticed(call.out, findings, everything=verbose)
    steps = plan.steps or (f"already adopted: {plan.memory.root}",)
    show_steps(call.out, steps, done=not dry_run, everything=verbose)
    for commit in commits:
        call.out.line(f"committed in {commit[:7]} on {plan.ground.branch}")
    if commits:
        call.out.hint("`diurna check` checks it; from now on `diurna append` writes the logs")


def _folder(call: Invocation, dir: str) -> str:
    """Return the folder that DIR means.

    Raises:
        NotFound: there is none.
    """
    folder = os.path.realpath(os.path.join(call.folder(), dir))
    if os.path.basename(folder) == CONTINUITY_FILE and os.path.isfile(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise NotFound(
            f"there is no folder {folder}",
            hint="name one that holds a ledger in the agent-memory layout",
        )
    return folder


def _compat(call: Invocation, dir: str) -> None:
    """Print what the reference tool would write; read nothing else, load nothing for it."""
    from rituals.cli.terminal.adopt_text import show_footers
    from rituals.intake.adopt.adopted_files import read
    from rituals.intake.adopt.compat import computed

    show_footers(call.out, computed(read(_folder(call, dir))), json=call.json)


adopt = command
