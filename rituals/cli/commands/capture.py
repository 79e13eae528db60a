"""Run `diurna capture`: tell in session logs what hosts' sessions left."""

from __future__ import annotations

import os

from ledger.environment import variables, working_directory
from ledger.errors import WrongUsage
from memory.write.draft import NOT_COMMITTED
from rituals.answers.json_objects import capture_object
from rituals.cli.context import Invocation
from rituals.cli.operation import DRY_RUN, SINCE, modes, option
from rituals.cli.output import counted
from rituals.hosts.adapters import END, HOSTS
from rituals.hosts.capture.capture_notes import FAILED
from rituals.hosts.extraction import SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.hosts.capture.boundary import Outcome

#: Of the option --host.
ANY_HOST = ("", *HOSTS)


def capture(
    call: Invocation, *,
    session: str = option("One session, by the host's id of it.", "SESSION"),
    host: str = option("Of this host alone.", "HOST", choices=ANY_HOST),
    transcript: str = option("Its transcript, if no hook saw it.", "FILE"),
    show: bool = option("Write nothing; print the logs that would be written."),
    mode: str = modes(
        land="Commit the captured logs that wait, and record no session.",
        past="Sessions of this folder from before the hooks.",
        catch_up="",
    ),
    since: str = SINCE,
    write: bool = option("Do so without asking.", spelled="--write --yes"),
    why: str = option("", "WHY"),
    dry_run: bool = DRY_RUN,
) -> int:  # fmt: skip
    """Record what agents' sessions left: what they did, and what was said for people to read.

    Hooks do this by themselves; by hand it covers all sessions of this clone since the last time. Each is
    recorded once, however often this runs. `[capture]` in diurna.toml says what is kept. A captured log
    can be read at once, and is committed when that does not disturb your work. --past looks for
    transcripts from before the hooks, shows what they would leave, and asks; no model reads them, and
    nothing fades because of them.

    Examples:
      diurna capture --show
      diurna capture
      diurna capture --past --since 2026-09-01
      diurna capture --land
    """
    from rituals.hosts.capture.boundary import Asked
    from rituals.hosts.capture.session_choice import capture as asked_for
    from rituals.hosts.capture.session_choice import catch_up

    if mode == "land":
        return land_held(call, dry_run=dry_run)
    if mode == "past":
        from rituals.cli.terminal.intake_text import tell_past

        return tell_past(call, host, since, show=show, write=write, dry_run=dry_run)
    if write or since:
        raise WrongUsage("--since and --write are for --past")
    path = transcript and os.path.abspath(transcript)
    asked = Asked(host, session, path, why or "asked", show or dry_run)
    found = list((catch_up if mode else asked_for)(call.memory(), asked, variables()))
    if why == END and not (show or dry_run):
        call.memory().write_page()
    if why:
        from rituals.hosts.moments import Moment
        from rituals.hosts.session_start import make_next

        make_next(Moment(asked.host, why, folder=working_directory()), variables())
    return _show_outcomes(call, found, show=show, dry_run=dry_run)


def _show_outcomes(call: Invocation, outcomes: list[Outcome], *, show: bool, dry_run: bool) -> int:
    call.landed = True  # what waits now was told to wait
    held = call.memory().held()
    if call.json:
        call.out.answer(capture_object(outcomes, held, dry_run=show or dry_run))
    elif not outcomes:
        call.out.line("nothing new in any session")
    for outcome in () if call.json else outcomes:
        _show(call, outcome, show=show, would="would be " if show or dry_run else "")
    if held and not call.json and not (show or dry_run):
        verb = "waits" if len(held) == 1 else "wait"
        call.out.hint(f"{counted(len(held), 'captured log')} {verb}; `diurna status` says for what")
    return int(any(one.outcome == FAILED for outcome in outcomes for one in outcome.attempts))


def _show(call: Invocation, outcome: Outcome, *, show: bool, would: str) -> None:
    out, asked = call.out, outcome.asked
    name = (f"{asked.host} {asked.session}", "yellow")
    if outcome.said:
        out.line(name, f"  {outcome.said}")
    for stem, data in outcome.logs:
        out.line(name, f"  {would}told in {out.short(stem)}")
        if show:
            out.text(data.decode())
    for one in outcome.attempts:
        facts = f"{counted(one.facts, 'fact')}, {counted(one.observed, 'observation')}"
        more = [f"{one.known} known already"] if one.known else []
        more += [f"{one.used} used"] if one.used else []
        where = f"{one.owned} of them in your own home" if one.owned else "recorded nowhere"
        more += [f"{one.personal} personal, {where}"] if one.personal else []
        said = counted(one.quoted, "sentence")
        more += [f"{said} that you typed left out"] if one.quoted else []
        more += [f"{one.dropped} that nobody said"] if one.dropped else []
        more += [f"{counted(one.withheld, 'line')} withheld for a secret"] if one.withheld else []
        if not outcome.said:
            by = f" by {one.extractor}" if one.extractor not in ("", SOURCES) else ""
            out.line("  ", "; ".join([f"{facts}{by}", *more]))


def land_held(call: Invocation, *, dry_run: bool) -> int:
    """Commit the captured logs that wait, as it was asked for.

    Raises:
        WaitsInSpool: they can not be committed now.
    """
    memory, out = call.memory(), call.out
    held = memory.held()
    landed = None if dry_run or not held else memory.drain()
    call.landed = True
    if call.json:
        found = capture_object([], memory.held(), dry_run=dry_run)
        out.answer({**found, "landed": held if landed else []})
    elif not held:
        out.line("no captured log waits")
    elif memory.home.plain:
        out.line(
            f"{counted(len(held), 'log')}, {NOT_COMMITTED}: a folder's logs are yours to commit"
        )
    else:
        would = "would commit" if dry_run else "committed"
        out.line(f"{would} {counted(len(held), 'captured log')} on {memory.home.branch}")
    if landed:
        out.findings(landed.findings)
    return 0
