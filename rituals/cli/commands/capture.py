"""Run `diurna capture`: tell in session logs what hosts' sessions left."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ledger.environment import user_folder, variables, working_directory
from ledger.errors import WrongUsage
from ledger.model.order import stamp_of
from ledger.wal.kept_asks import shown_title
from memory.write.draft import NOT_COMMITTED
from rituals.answers.json_objects import capture_object
from rituals.cli.context import Invocation
from rituals.cli.operation import DRY_RUN, SINCE, modes, option
from rituals.cli.output import Line, counted, some
from rituals.hosts.adapters import END, HOSTS
from rituals.hosts.capture.boundary import FAILED
from rituals.hosts.extraction import SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.hosts.capture.boundary import Outcome
    from rituals.hosts.capture.stamps import Seen

_DAY = len("2026-01-01")
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

        make_next(Moment(asked.host, why, folder=working_directory()))
    return _answer(call, found, show=show, dry_run=dry_run)


def _answer(call: Invocation, outcomes: list[Outcome], *, show: bool, dry_run: bool) -> int:
    call.landed = True  # what waits now was told to wait
    held = call.memory().held()
    hints = []
    if held and not (show or dry_run):
        verb = "waits" if len(held) == 1 else "wait"
        hints = [f"{counted(len(held), 'captured log')} {verb}; `diurna status` says for what"]
    lines = _lines(call, outcomes, show=show, would="would be " if show or dry_run else "")
    call.answer(capture_object(outcomes, held, dry_run=show or dry_run), lines, hints=hints)
    return int(any(one.outcome == FAILED for outcome in outcomes for one in outcome.attempts))


def _lines(call: Invocation, outcomes: list[Outcome], *, show: bool, would: str) -> Iterator[Line]:
    if not outcomes:
        yield "nothing new in any session"
    for outcome in outcomes:
        name = (f"{outcome.asked.host} {outcome.asked.session}", "yellow")
        if outcome.said:
            yield name, f"  {outcome.said}"
        for stem, data in outcome.logs:
            yield name, f"  {would}told in {call.out.short(stem)}"
            if show:
                yield data.decode().removesuffix("\n")
        for one in () if outcome.said else outcome.attempts:
            by = f" by {one.extractor}" if one.extractor not in ("", SOURCES) else ""
            yield "  " + some(
                (True, f"{counted(one.facts, 'fact')}, {counted(one.observed, 'observation')}{by}"),
                (one.known, f"{one.known} known already"),
                (one.used, f"{one.used} used"),
                (one.personal, f"{one.personal} personal, recorded nowhere"),
                (one.quoted, f"{counted(one.quoted, 'sentence')} that you typed left out"),
                (one.dropped, f"{one.dropped} that nobody said"),
                (one.withheld, f"{counted(one.withheld, 'line')} withheld for a secret"),
                (one.said, f"no model learned of it: {one.said}"),
                by="; ",
            )


def land_held(call: Invocation, *, dry_run: bool) -> int:
    """Commit the captured logs that wait, as it was asked for.

    Raises:
        WaitsInSpool: they can not be committed now.
    """
    memory = call.memory()
    held = memory.held()
    landed = None if dry_run or not held else memory.drain()
    call.landed = True
    would, logs = "would commit" if dry_run else "committed", counted(len(held), "captured log")
    line = f"{would} {logs} on {memory.home.branch}" if held else "no captured log waits"
    if held and memory.home.plain:
        logs = counted(len(held), "log")
        line = f"{logs}, {NOT_COMMITTED}: a folder's logs are yours to commit"
    values = capture_object([], memory.held(), dry_run=dry_run) | {"landed": held if landed else []}
    call.answer(values, [line], findings=landed.findings if landed else ())
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
    from rituals.cli.terminal.intake_text import wanted
    from rituals.hosts.capture.session_choice import past_sessions

    memory = call.memory()
    begin = memory.bounds(since, "")[0]
    past = past_sessions(call.project(), user_folder(), variables())
    found = [one for one in past if host in (one.host, "") and stamp_of(one.at) >= begin]
    news = _told(call, found, dry_run=True)
    written = wanted(
        call, _past_lines(call, found, news, whole=show), bool(news), write=write,
        dry_run=show or dry_run,
    )  # fmt: skip
    if written:
        news = _told(call, found, dry_run=False)
        call.landed = True
    logs = counted(sum(len(one.logs) for one in news), "log")
    hint = "nothing was written; --write writes it, --show prints the logs in full"
    call.answer(
        capture_object(news, memory.held(), dry_run=not written),
        [f"told in {logs}"] if written else (),
        hints=(hint,) if news and not written else (),
    )
    return 0


def _told(call: Invocation, found: list[Seen], *, dry_run: bool) -> list[Outcome]:
    """Tell sessions; return what became of those that were news."""
    from rituals.hosts.capture.session_choice import capture_past

    outcomes = []
    past = capture_past(call.memory(), found, variables(), dry_run=dry_run)
    for number, outcome in enumerate(past, 1):
        call.out.progress(number, len(found))
        outcomes.append(outcome)
    return [one for one in outcomes if one.logs]


def _past_lines(
    call: Invocation, found: list[Seen], news: list[Outcome], *, whole: bool
) -> Iterator[Line]:
    """Yield the sessions that would leave a log: of when and whose, and what the log is called."""
    for outcome in news:
        for stem, data in outcome.logs:
            text = data.decode()
            title = text.partition("\n# ")[2].partition("\n")[0]
            title = shown_title(title, outcome.asked.session, outcome.asks)
            yield (stem[:_DAY], "yellow"), f"  {outcome.asked.host}  {title}"
            if whole:
                yield text.removesuffix("\n")
    sessions = f"{counted(len(found), 'past session')} of this folder"
    none = "no past session of this folder is found"
    yield f"{sessions}; {len(news) or 'none'} would be told" if found else none
