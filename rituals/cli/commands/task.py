"""Run `diurna task`: what is to be done, who does it, and what one leaves for the next."""

from __future__ import annotations

from typing import Any

import click

from projection.work.tracked_tasks import PRIORITIES
from rituals.cli import options
from rituals.cli.append_options import many, one
from rituals.cli.context import Invocation
from rituals.cli.option_table import TASKS
from rituals.cli.task_actions import ACTIONS, LISTED, run


def _actions(_: click.Context, __: click.Parameter, begin: str) -> list[str]:
    return [action for action in ACTIONS if action.startswith(begin)]


@click.command("task")
@click.argument("action", default="list", metavar="[ACTION]", shell_complete=_actions)
@click.argument("words", nargs=-1, metavar="[ID]...")
@options.of_table(*TASKS)
@one("id", "NAME", "add: its id; else one is made.")
@click.option("--priority", type=click.Choice(PRIORITIES), metavar="PRIORITY",
              help="add: high, medium or low.")  # fmt: skip
@one("owner", "NAME", "add: whom it is meant for.")
@one("goal", "TEXT", "add: what it is good for.")
@many("depends", "ID", "add: what has to be done first. Repeatable, or with commas.")
@many("serves", "ID", "add: what it is done for. Repeatable, or with commas.")
@many("criterion", "TEXT", "add: when it is done. Repeatable.")
@many("risk", "TEXT", "add: what may go wrong. Repeatable.")
@many("question", "TEXT", "add, handoff: what is open. Repeatable.")
@click.option("--anyway", is_flag=True, help="add: allow ids that memory does not know.")
@click.option("--take-over", is_flag=True, help="start: even if somebody else has it, as agreed.")
@click.option("--start", is_flag=True, help="pick: claim it, too.")
@one("why", "TEXT", "move, done: the reason.")
@one(
    "to",
    "NAME",
    "handoff: the agent or role that is to get it. request: the project that is asked.",
)
@many("done", "TEXT", "handoff: what is done. Repeatable.")
@many("remaining", "TEXT", "handoff: what is not. Repeatable.")
@many("warning", "TEXT", "handoff: what to look out for. Repeatable.")
@many("next", "TEXT", "handoff: what to do first. Repeatable.")
@one("confidence", "TEXT", "handoff: how sure it is that what is done is right.")
@one("agent", "NAME", "Who does it; else $DIURNA_AGENT, else git's user name.")
@one("role", "NAME", "In which role.")
@one("session", "ID", "The host's session; else $DIURNA_SESSION, or what the host sets.")
@options.dry_run
@options.listing(tasks=LISTED)
def command(call: Invocation, /, action: str, words: tuple[str, ...], **given: Any) -> None:
    """Say what is to be done, who does it, and what one leaves for the next.

    \b
    ACTION is one of:
      list               the open tasks, what comes first on top (without ACTION, too)
      add TEXT           a task is born
      start ID           claim it: it is in progress
      move ID STATE      todo, in-progress, handoff-ready, blocked, done or cancelled
      done ID            it is done
      handoff ID         hand it over, with what the next one has to know
      pick               the one to begin next: nobody has it, and it waits for nothing
      request TEXT       ask another project: --to a name of `[inbox] to`, a URL or a path
      requests           what other projects ask, and what became of what was asked from here
      accept ID          a request is a task from now on
      decline ID WHY     it is not; whoever asked is told why

    `diurna show ID` and `diurna why ID` tell all of one.

    \b
    Examples:
      diurna task add "Wire the retry queue" --priority high --criterion "A dead shop blocks no other."
      diurna task pick --start
      diurna task handoff wire-retry-queue --to judge --done "A queue for each shop." --next "Measure it."
    """
    run(call, action, words, given)
