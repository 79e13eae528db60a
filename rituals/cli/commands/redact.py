"""Run `diurna redact`: withhold a fact's text, or a log's words, from all that is shown."""

from __future__ import annotations

from typing import Any

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.cli.terminal.decisions_text import author, decide, tell_held
from rituals.cli.terminal.purge_text import agreed_purge, tell_purge


@click.command("redact")
@click.argument("targets", nargs=-1, required=True, metavar="ID|STEM...")
@click.option("--reason", required=True, metavar="TEXT",
              help="Why; it is recorded, so do not repeat what is to be withheld.")  # fmt: skip
@click.option("--words-only", is_flag=True,
              help="Only a log's title, prose and remarks; the facts that it brought stay.")  # fmt: skip
@click.option("--purge", is_flag=True,
              help="Rewrite git's history without it, after a backup; shows the plan.")  # fmt: skip
@click.option("--yes", is_flag=True, help="Do not ask whether to purge.")
@author
@options.command
def command(
    call: Invocation, /, targets: tuple[str, ...], reason: str, words_only: bool, purge: bool,
    yes: bool, **recorded: Any,
) -> None:  # fmt: skip
    """Hide the text of facts, or all that a session log says, from every answer. For good.

    It is removed from all that Diurna keeps beside git. Files and history still hold it, and the
    answer says where. --purge removes it from this clone's history too, and says what every other
    clone has to do; it sends nothing. If it was a secret, change the secret.

    \b
    Examples:
      diurna redact staging-login --reason "It holds a password."
      diurna redact staging-login --reason "It holds a password." --purge --dry-run
      diurna redact 2026-11-21-083012417-tq5n2xk7vb3wmd4zh6cyfugae2 --reason "It quotes a token." --dry-run
    """
    from rituals.answers.json_objects import holder_object, holding_object, purge_object
    from rituals.decide.history_purge import plan_purge
    from rituals.decide.history_purge import purge as write_anew
    from rituals.decide.remaining_copies import holding_of, standing
    from rituals.decide.withholding_texts import redaction

    if not reason.strip():
        raise WrongUsage("the reason is empty", hint="say in a few words why it is withheld")
    memory, dry_run = call.memory(), recorded["dry_run"]
    found = redaction(memory, targets, reason, words_only=words_only)
    plan = plan_purge(memory, found.facts, found.logs) if purge else None
    if plan is not None and not dry_run and not agreed_purge(call, plan, yes):
        return

    def then() -> dict[str, Any]:
        nonlocal found, plan
        if plan is not None and not dry_run:
            plan = write_anew(memory, plan_purge(memory, found.facts, found.logs))
        if not dry_run:
            found = found._replace(git=holding_of(memory, found.facts, found.logs))
        return {
            "held": [holder_object(one) for one in found.holders],
            "stands": list(standing(memory, found.git)),
            "git": holding_object(found.git),
            "purge": purge_object(plan, not dry_run) if plan is not None else None,
        }

    said = decide(call, found.decision, **recorded, then=then)
    if call.json:
        return
    if plan is not None:
        tell_purge(call, plan, not dry_run)
    if plan is None or dry_run:
        tell_held(call, found, said["stands"])
    drift = () if dry_run or not found.decision.events else memory.drift()
    if drift:
        call.out.hint(f"`diurna publish` takes it out of {', '.join(drift)}")
