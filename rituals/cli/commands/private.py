"""Run `diurna private`: let a session be silent, or be heard again."""

from __future__ import annotations

import click

from rituals.cli import options
from rituals.cli.context import Invocation


@click.command("private")
@click.argument("switch", required=False, type=click.Choice(["on", "off"]), metavar="[on|off]")
@options.command
def command(call: Invocation, switch: str | None) -> None:
    """Keep a session silent: until `off`, hooks observe, keep and record nothing of it.

    If an agent calls this and its program names the session, it is that session, from the current
    request on; else every session in this work tree. The brief is still shown, and what is
    recorded on purpose is recorded. What was said in silence is not recorded later either. Without
    a word it says what is silent. `<private>…</private>` keeps a passage out.

    \b
    Examples:
      diurna private on
      diurna private off
    """
    from ledger.environment import variables
    from rituals.answers.record_fields import fields_of
    from rituals.hosts.capture.session_silence import hush

    found = hush(call.memory().home, switch or "", variables(), call.now_ms())
    if call.json:
        call.out.answer({"silent": [fields_of(one, "top session since") for one in found]})
    for one in () if call.json else found:
        who = f"session {one.session}" if one.session else "every session"
        call.out.line(f"{who} in {one.top} is silent")
    if not found and not call.json:
        call.out.line("no session is silent here")
