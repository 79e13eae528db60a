"""Run `diurna hook`: what the hooks of git, and of the programs that run agents, call."""

from __future__ import annotations

import click

from ledger.environment import variables
from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("event", required=False, default="")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@options.dry_run
@options.command
def command(call: Invocation, event: str, arguments: tuple[str, ...], dry_run: bool) -> None:
    """Answer a hook of git, or of a program that runs an agent.

    With the name of a git hook: let what waits for a commit go with it; after a merge or rebase,
    publish what it left behind, where appends publish. `diurna init --hooks` installs it. It never
    fails, reads no input, and gives up after 20 seconds.

    With the name of a host (claude, codex, copilot, gemini, qwen, opencode, cursor) and of one of
    its events: read the event from standard input and answer with one JSON object. The start of a
    session is answered with the brief, a stop now and then with a question, most others with {}.
    It always ends with 0; DIURNA_HOOKS=off silences it.

    \b
    Examples:
      diurna hook post-merge
      diurna hook post-rewrite rebase
      diurna hook claude SessionStart
    """
    from rituals.hosts.adapters import HOSTS

    if event in HOSTS:
        from rituals.hosts.hook_answer import run

        run(event, arguments[0] if arguments else "", variables())
        return
    from rituals.setup.git_hooks.hook_install import EVENTS, RIDING
    from rituals.setup.git_hooks.republish import Limit, TookTooLong, republish

    said = ""
    rides = event in RIDING
    undone, then = ("the logs wait on", "sync") if rides else ("not published", "publish")
    try:
        if event in EVENTS:
            where = call.home or call.folder()
            with Limit():
                said = republish(event, arguments, where, variables(), call.now_ms, dry_run=dry_run)
        else:
            said = f"there is nothing to do in a hook {event!r}"
    except TookTooLong:
        said = f"{undone} in time; `diurna {then}` does it"
    except Exception as problem:  # noqa: BLE001 - a hook must never stop git; the next command says it again
        said = f"{undone}: {problem}; `diurna status` says more"
    if call.json:
        call.out.answer({"event": event, "said": said})
    elif said:
        call.out.talk(f"diurna: {said}")
