"""Run `diurna capture`: tell in session logs what hosts' sessions left."""

from __future__ import annotations

import os

import click

from ledger.environment import variables
from ledger.errors import WrongUsage
from rituals.cli import options
from rituals.cli.context import Invocation
from rituals.hosts.adapters import HOSTS

OUTCOME = "attempts host logs said session"


@click.command("capture")
@click.option("--session", default="", metavar="SESSION",
              help="One session, by the host's id of it.")  # fmt: skip
@click.option("--host", default="", type=click.Choice(("", *HOSTS)), metavar="HOST",
              help="Of this host alone.")  # fmt: skip
@click.option("--transcript", default="", metavar="FILE",
              help="Its transcript, if no hook saw it.")  # fmt: skip
@click.option("--show", is_flag=True, help="Write nothing; print the logs that would be written.")
@click.option("--land", "mode", flag_value="land",
              help="Commit the captured logs that wait, and record no session.")  # fmt: skip
@click.option("--past", "mode", flag_value="past",
              help="Sessions of this folder from before the hooks.")  # fmt: skip
@click.option("--again", "mode", flag_value="again",
              help="Ask your model about them once more; show what it finds.")  # fmt: skip
@click.option("--catch-up", "mode", flag_value="rest", hidden=True)
@options.since
@click.option("--write", "--yes", "write", is_flag=True, help="Do so without asking.")
@click.option("--why", default="", hidden=True)
@options.dry_run
@options.listing(sessions=OUTCOME)
def command(
    call: Invocation, /, show: bool, mode: str | None, write: bool, why: str, dry_run: bool,
    **given: str,
) -> int:  # fmt: skip
    """Record what agents' sessions left: what they did, and what was said for people to read.

    Hooks do this by themselves; by hand it covers all sessions of this clone since the last time.
    Each is recorded once, however often this runs. `[capture]` in diurna.toml says what is kept. A
    captured log can be read at once, and is committed when that does not disturb your work. --past
    looks for transcripts from before the hooks, shows what they would leave, and asks; no model
    reads them, and nothing fades because of them.

    \b
    Examples:
      diurna capture --show
      diurna capture
      diurna capture --past --since 2026-09-01
      diurna capture --land
    """
    from rituals.cli.terminal.capture_text import land_handed_in, land_held, show_outcomes
    from rituals.hosts.capture.boundary import Asked
    from rituals.hosts.capture.session_choice import capture, limited
    from rituals.hosts.capture.session_choice import catch_up as all_left

    if mode == "land":
        return land_held(call, dry_run=dry_run)
    if mode in ("past", "again"):
        from rituals.cli.terminal.past_text import show_again, tell_past

        chosen = given["host"], given["since"]
        if mode == "again":
            return show_again(call, *chosen, unasked=write, dry_run=dry_run)
        return tell_past(call, *chosen, show=show, write=write, dry_run=dry_run)
    if write or given["since"]:
        raise WrongUsage("--since and --write are for --past and --again")
    path = given["transcript"] and os.path.abspath(given["transcript"])
    asked = Asked(given["host"], given["session"], path, why or "asked", show or dry_run)
    with limited(unasked=bool(why)):
        found = list((all_left if mode else capture)(call.memory(), asked, variables()))
    if path and not (why or show or dry_run):
        land_handed_in(call)
    return show_outcomes(call, found, show=show, dry_run=dry_run)
