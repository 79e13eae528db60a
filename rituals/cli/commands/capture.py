"""Run `diurna capture`: tell in session logs what hosts' sessions left."""

from __future__ import annotations

import os
from typing import Any

from ledger.environment import user_folder, variables, working_directory
from ledger.errors import WrongUsage
from ledger.model.log_names import stamp_of
from ledger.wal.kept_asks import shown_title
from memory import NOT_COMMITTED
from rituals.answers.record_to_dict import fields_of
from rituals.cli.context import Invocation
from rituals.cli.dialog import agreed
from rituals.cli.layout import Layout
from rituals.cli.operation import DRY_RUN, SINCE, modes, option
from rituals.cli.output import counted
from rituals.hosts.adapters import END, HOSTS
from rituals.hosts.capture.session_boundary import FAILED, Outcome
from rituals.hosts.extraction import SOURCES

#: Of the option --host.
ANY_HOST = ("", *HOSTS)
_SESSIONS = Layout("""
!sessions|nothing new in any session
sessions|{host:yellow} {session:yellow}  {said}
sessions|logs|{host:yellow} {session:yellow}  [{=would}would be ]told in {stem~}
sessions|logs|{=whole}
sessions|attempts|  {facts#fact}, {observed#observation}[ by {=by}][; {known} known already]\
[; {used} used][; {personal} personal, recorded nowhere]\
[; {quoted#sentence} that you typed left out][; {dropped} that nobody said]\
[; {withheld#line} withheld for a secret][; no model learned of it: {said}]
""")
_PAST = Layout("""
sessions|logs|{stem%10:yellow}  {host}  {=title}
sessions|logs|{=whole}
!=found|no past session of this folder is found
?=found|{=found#past session} of this folder; {=news} would be told
""")


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
    from rituals.hosts.capture.session_boundary import Asked
    from rituals.hosts.capture.session_choice import capture as asked_for
    from rituals.hosts.capture.session_choice import catch_up

    if mode == "land":
        return land_held(call, dry_run=dry_run)
    if mode == "past":
        return tell_past(call, host, since, show=show, write=write, dry_run=dry_run)
    if write or since:
        raise WrongUsage("--since and --write are for --past")
    asked = Asked(
        host, session, transcript and os.path.abspath(transcript), why or "asked", show or dry_run
    )
    found = list((catch_up if mode else asked_for)(call.memory(), asked, variables()))
    if why == END and not asked.dry_run:
        call.memory().write_page()
    if why:
        from rituals.hosts.host_events import Moment
        from rituals.hosts.session_start import make_next

        make_next(Moment(asked.host, why, folder=working_directory()))
    call.landed = True  # what waits now was told to wait
    values = _described(call, found, show=show, dry_run=asked.dry_run)
    held = () if asked.dry_run else values["held"]
    hint = f"{counted(len(held), 'captured log')} not committed yet; `diurna status` says why"
    call.answer(values, _SESSIONS, hints=(hint,) if held else ())
    return int(any(one.outcome == FAILED for outcome in found for one in outcome.attempts))


def _described(
    call: Invocation, outcomes: list[Outcome], *, show: bool, dry_run: bool
) -> dict[str, Any]:
    """Describe what became of sessions, and which logs wait; with `show` the text has the logs whole."""
    sessions = []
    for outcome in outcomes:
        said = fields_of(outcome, "host=asked.host session=asked.session said attempts")
        for one in said["attempts"]:
            one["=by"] = one["extractor"] if one["extractor"] != SOURCES else ""
        said["logs"] = []
        for stem, data in outcome.logs:
            text = data.decode()
            title = text.partition("\n# ")[2].partition("\n")[0]
            log = {"stem": stem, "log": text} if dry_run else {"stem": stem}
            log["=title"] = shown_title(title, outcome.asked.session, outcome.asks)
            log["=whole"] = text.removesuffix("\n") if show else ""
            said["logs"].append({**log, "=would": dry_run})
        sessions.append(said)
    held = call.memory().held()
    return {"sessions": sessions, "held": held, "landed": [], "dry_run": dry_run}


def land_held(call: Invocation, *, dry_run: bool) -> int:
    """Commit the captured logs that wait, as it was asked for.

    Raises:
        WaitsInSpool: they can not be committed now.
    """
    memory = call.memory()
    held = memory.held()
    found = () if dry_run or not held else memory.drain()
    call.landed = True
    would, logs = "would commit" if dry_run else "committed", counted(len(held), "captured log")
    line = f"{would} {logs} on {memory.home.branch}" if held else "no captured log waits"
    if held and memory.home.plain:
        logs = counted(len(held), "log")
        line = f"{logs}, {NOT_COMMITTED}: a folder's logs are yours to commit"
    values = _described(call, [], show=False, dry_run=dry_run)
    values["landed"] = sorted({*held} - {*memory.held()})
    call.answer(values, [line], findings=found)
    return 0


def tell_past(
    call: Invocation, host: str, since: str, *, show: bool, write: bool, dry_run: bool
) -> int:
    """Show which past sessions of this folder would leave logs, ask, and tell them; return the exit code.

    `host` and `since` limit them to that one, and to those that ended from that time or stem on; "" is for
    all. `show` prints the logs whole and writes nothing; `write` does not ask.

    Raises:
        NotFound: `since` is no time.
    """
    from rituals.hosts.capture.session_boundary import Asked, boundary
    from rituals.hosts.capture.session_choice import past_sessions

    memory = call.memory()
    begin = memory.bounds(since, "")[0]
    past = past_sessions(call.project(), user_folder(), variables())
    found = [one for one in past if host in (one.host, "") and stamp_of(one.at) >= begin]

    def told(*, dry_run: bool) -> list[Outcome]:
        outcomes = []
        for number, one in enumerate(found, 1):
            asked = Asked(*one[:2], one.transcript, "past", dry_run, one.at, one.folder)
            outcomes.append(
                boundary(memory, asked, variables())
            )  # what is told already has no logs
            call.out.progress(number, len(found))
        return [one for one in outcomes if one.logs]

    news = told(dry_run=True)
    values = _described(call, news, show=show, dry_run=True)
    said = {**values, "=found": len(found), "=news": len(news) or "none"}
    done = agreed(
        call, "take this in?", said, _PAST, yes=write, dry_run=show or dry_run, asks=bool(news)
    )
    if done:
        values = _described(call, told(dry_run=False), show=False, dry_run=False)
        call.landed = True
    logs = counted(sum(len(one["logs"]) for one in values["sessions"]), "log")
    hint = "nothing was written; --write writes it, --show prints the logs in full"
    call.answer(
        values, [f"told in {logs}"] if done else (), hints=(hint,) if news and not done else ()
    )
    return 0
