"""Run `diurna redact`: withhold a fact's text, or a log's words, from all that is shown."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.views.decisions import author, decide, tell_held


@click.command("redact")
@click.argument("targets", nargs=-1, required=True, metavar="ID|STEM...")
@click.option("--reason", required=True, metavar="TEXT",
              help="Why; it is recorded, so do not repeat what is to be withheld.")  # fmt: skip
@click.option("--words-only", is_flag=True,
              help="Only a log's title, prose and remarks; the facts that it brought stay.")  # fmt: skip
@author
@options.command
def command(
    call: Invocation, /, targets: tuple[str, ...], reason: str, words_only: bool,
    agent: str, title: str, dry_run: bool,
) -> None:  # fmt: skip
    """Withhold the text of facts, or all that a session log says, from everything that is shown. For good.

    It is taken out of all that Diurna keeps beside git. Git itself still holds it; the answer says where,
    and what a person can do about that. A secret has to be rotated.

    \b
    Examples:
      diurna redact staging-login --reason "It holds a password."
      diurna redact 2026-11-21-083012417-tq5n2xk7vb3wmd4zh6cyfugae2 --reason "It quotes a token." --dry-run
    """
    from rituals.answers.objects import holder_object, holding_object
    from rituals.decide.redaction import redaction
    from rituals.decide.remaining_copies import note_purge, steps

    if not reason.strip():
        raise WrongUsage("the reason is empty", hint="say in a few words why it is withheld")
    memory = call.memory()
    found = redaction(memory, targets, reason, words_only=words_only)
    ids = "" if dry_run else note_purge(memory, found.git)
    held = [holder_object(one) for one in found.holders]
    decide(
        call, found.decision, agent, title, dry_run,
        held=held, git=holding_object(found.git), purge=list(steps(found.git, ids)),
    )  # fmt: skip
    if call.json:
        return
    call.out.line("the git history still holds it:")
    for one in found.holders:
        made = f"  commit {one.commit} by {one.author}" if one.commit else ""
        there = f", also on {', '.join(one.remotes)}" if one.remotes else ""
        call.out.line(f"  {one.path}{made}{there}")
    tell_held(call, found.git, ids)
    drift = () if dry_run or not found.decision.events else memory.drift()
    if drift:
        call.out.hint(f"`diurna publish` takes it out of {', '.join(drift)}")
