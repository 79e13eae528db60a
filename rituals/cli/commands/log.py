"""Run `diurna log`: list session logs, newest first, or tell one in short."""

from __future__ import annotations

import click

from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation

_NAME_WORDS = 3  #: of a user; what has more is what was asked for


@click.command("log")
@click.argument("what", default="", metavar="[STEM|FILE|-]")
@click.option("--agent", default="", metavar="NAME", help="Only logs of this agent.")
@options.since
@options.until
@click.option("-n", "limit", type=click.IntRange(min=1), metavar="N", help="At most so many.")
@options.listing(sessions="about agent ended path role stem title tokens type user verdict waiting")
def command(
    call: Invocation, what: str, agent: str, since: str, until: str, limit: int | None
) -> None:
    """List session logs, newest first, or summarise one.

    The summary has decisions, open actions, points and names, by rules alone. Every line of it is
    in the log, on the line whose number is in front; a long one is cut at `…`. The start of a
    log's name is enough. A file, or - for standard input, can be any text.

    \b
    Examples:
      diurna log -n 10
      diurna log --agent claude-code --since "3 days ago"
      diurna log 2026-11-21-0902
    """
    if what:
        if agent or since or until or limit:
            raise WrongUsage("one log is told whole", hint="leave the options or the log out")
        from rituals.cli.terminal.sessions_text import digest_object, digested, print_digest

        found = digested(call, what)
        if call.json:
            call.out.answer(digest_object(found))
        else:
            print_digest(found, call.out)
        return
    lines = call.memory().log(agent, since, until, limit or 0)
    if call.json:
        from rituals.answers.json_objects import log_object

        call.out.answer({"sessions": [log_object(line) for line in lines]})
        return
    if not lines:
        call.out.talk("no session log matches" if agent or since or until else "no session log yet")
    for line in lines:
        said = [line.type] * (line.type != "work") + ["waiting"] * line.waiting
        said += [f"{line.role or 'verdict'}: {line.verdict}"] * bool(line.verdict)
        kind = f" ({', '.join(said)})" if said else ""
        who = line.agent or "nobody named"
        if 0 < len(line.user.split()) <= _NAME_WORDS:
            who = f"{who} for {line.user}"
        stem = call.out.short(line.stem)
        call.out.line((stem, "yellow"), "  ", (who, "cyan"), f"  {line.title}{kind}")
