"""Run `diurna learn`: what memory could learn from its sessions, proposed and never written unasked."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("learn")
@options.since
@click.option("--ask", is_flag=True, help="Raise the proposals as open threads, each once.")
@click.option("--accept", default="", metavar="KEY", help="Let in the proposal of this key.")
@click.option("--text", default="", metavar="TEXT", help="With --accept: in these words.")
@click.option("--agent", default="", metavar="NAME", help="Who answers, or asks.")
@options.dry_run
@options.listing(proposals="diff evidence id key kind marks places sessions source text")
def command(
    call: Invocation, since: str, ask: bool, accept: str, text: str, agent: str, dry_run: bool
) -> None:
    """Propose at most seven facts that sessions taught and memory lacks, each with its diff.

    They come from people's corrections, decisions and preferences, from lessons, from what three
    sessions repeat, from candidates in captured logs, and from findings that recur. The bar: it
    recurs, no document has it, the code does not show it, one can act on it. On a terminal it asks
    about each: accept, edit, reject (for good), later. Elsewhere it only lists them: --accept lets
    one in, and --ask makes open threads of them (never of candidates). No fact is ever written
    unasked. An accepted promotion is written into AGENTS.md (or the file for agents that is
    there), not committed.

    \b
    Examples:
      diurna review --learn
      diurna review --learn --since 2026-11-01 --json
      diurna review --learn --ask
      diurna review --learn --accept 3f2a9c --text "Retries are the server's."
    """
    from rituals.cli.terminal.learning_text import (
        accepted,
        learning_object,
        show,
        show_outcome,
        walk,
    )
    from rituals.decide.decision import Author
    from rituals.review.learning.learning_plan import plan_learning
    from rituals.review.learning.learning_record import Outcome, raise_threads, record_answers

    if (text and not accept) or (accept and (ask or dry_run)):
        raise WrongUsage("--text goes with --accept, and --accept with no --ask and no --dry-run")
    memory, out = call.memory(), call.out
    plan = plan_learning(memory, since)
    outcome = Outcome(plan)
    asking = not (ask or accept or dry_run or call.json) and call.interactive()
    if accept:
        outcome = record_answers(memory, plan, accepted(plan, accept, text), Author(agent))
    elif ask:
        outcome = raise_threads(memory, plan, Author(agent), dry_run=dry_run)
    elif asking and (plan.proposals or plan.promotions):
        outcome = record_answers(memory, plan, walk(plan, out), Author(agent))
    call.landed = bool(outcome.receipt and outcome.receipt.commit)
    if call.json:
        out.answer(learning_object(outcome, dry_run))
        return out.findings(outcome.findings)
    if ask or accept or (asking and (plan.proposals or plan.promotions)):
        show_outcome(outcome, out, memory.home.branch, asked=ask)
    else:
        show(plan, out)
        if plan.proposals or plan.promotions:
            out.hint(
                "on a terminal `diurna review --learn` asks about each; --ask raises them as threads"
            )
    out.findings(outcome.findings)
