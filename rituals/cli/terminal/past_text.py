"""Show what past sessions would leave, and tell them once somebody has seen it."""

from __future__ import annotations

from ledger.environment import user_folder, variables
from ledger.model.order import stamp_of
from rituals.answers.json_objects import capture_object
from rituals.cli.context import Invocation
from rituals.cli.output import counted
from rituals.cli.terminal.intake_text import wanted
from rituals.hosts.capture.boundary import Outcome
from rituals.hosts.capture.session_choice import capture_past, past_sessions
from rituals.hosts.capture.stamps import Seen

_DAY = len("2026-01-01")


def tell_past(
    call: Invocation, host: str, since: str, *, show: bool, write: bool, dry_run: bool
) -> int:
    """Show which past sessions of this folder would leave logs, ask, and tell them; return the exit code.

    `host` and `since` limit them to that one, and to those that ended from that time or stem on; "" is for
    all. `show` prints the logs whole and writes nothing; `write` does not ask.

    Raises:
        NotFound: `since` is no time.
    """
    memory = call.memory()
    found = _found(call, host, since)
    news = _told(call, found, dry_run=True)
    if not call.json:
        _show(call, found, news, whole=show)
    written = wanted(call, bool(news), write=write, dry_run=show or dry_run)
    if written:
        news = _told(call, found, dry_run=False)
        call.landed = True
    if call.json:
        call.out.answer(capture_object(news, memory.held(), dry_run=not written))
    elif written:
        call.out.line(f"told in {counted(sum(len(one.logs) for one in news), 'log')}")
    elif news:
        call.out.hint("nothing was written; --write writes it, --show prints the logs in full")
    return 0


def _found(call: Invocation, host: str, since: str) -> list[Seen]:
    """Return the past sessions of this folder, of a host and from a time on."""
    begin = call.memory().bounds(since, "")[0]
    past = past_sessions(call.project(), user_folder(), variables())
    return [one for one in past if host in (one.host, "") and stamp_of(one.at) >= begin]


def _told(call: Invocation, found: list[Seen], *, dry_run: bool) -> list[Outcome]:
    """Tell sessions; return what became of those that were news."""
    outcomes = []
    past = capture_past(call.memory(), found, variables(), dry_run=dry_run)
    for number, outcome in enumerate(past, 1):
        call.out.progress(number, len(found))
        outcomes.append(outcome)
    return [one for one in outcomes if one.logs]


def _show(call: Invocation, found: list[Seen], news: list[Outcome], *, whole: bool) -> None:
    """List the sessions that would leave a log: of when and whose, and what the log is called."""
    for outcome in news:
        for stem, data in outcome.logs:
            text = data.decode()
            title = text.partition("\n# ")[2].partition("\n")[0]
            call.out.line((stem[:_DAY], "yellow"), f"  {outcome.asked.host}  {title}")
            if whole:
                call.out.text(text)
    if not found:
        return call.out.line("no past session of this folder is found")
    sessions = f"{counted(len(found), 'past session')} of this folder"
    call.out.line(f"{sessions}; {len(news) or 'none'} would be told")
