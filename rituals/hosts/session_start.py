"""Make what an agent is told at the start of its session: the brief, what stands around it, the rule.

Behind a compaction its checkpoint comes first.
"""

from __future__ import annotations

import os

from ledger.environment import TookTooLong, allow, variables
from rituals.hosts.adapters import HOSTS, START, SUBAGENT_START
from rituals.hosts.capture import detached_process
from rituals.hosts.host_events import Moment
from rituals.hosts.session_files import note_fault, open_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ledger.home import Home
    from memory import BriefWish, KeptBrief

#: How long a brief may take that nobody waits for.
_READY_SECONDS = 60
#: How long it is waited for where there is one of before, of the processor and by the clock, and what is
#: left to tell that one.
WAIT_SECONDS, REST_SECONDS = (1.0, 1.5), (0.3, 1.0)
#: The least that any host takes of one hook.
CONTEXT_CHARS, CONTEXT_BYTES = 7_500, 9_500
#: What a session starts with, as far as it was not there before: its prompts bring the rest; and what
#: stands behind what a compaction took.
START_CHARS, BEHIND_CHARS = 6_000, 5_000
#: What a subagent is told.
ROLE_CHARS = 2_000
#: How a session starts that knows nothing yet.
_FRESH = ("startup", "clear")
#: Which brief is told: a new one, the last one that was made where there is one, or that alone.
NEW, ANY, LAST = "", "any", "last"
#: How much of it says as of when the last one was made.
_AS_OF_CHARS = 60
RULE = (
    "Project memory lives in Diurna; your own lessons stay in your own memory. `diurna recall WORDS` "
    'before you assume; `diurna note "decision: …"` for what others have to know; `diurna append` at the '
    "end."
)


def context(said: Moment, which: str = NEW) -> tuple[str, Callable[[], None] | None, bool]:
    """Return the brief and the ground rule with what stands around them; "" where there is no memory.

    A subagent is told the brief for its role alone. Behind it come what is to be called when the session
    has heard it, None for nothing, and whether the brief is one of before. Of two hooks that a host runs
    for one start one is answered. `which` brief it is (`NEW`, `ANY`, `LAST`); "" where none is to be had.
    """
    from ledger.errors import HomeNotFound
    from ledger.escape import visible
    from ledger.home import discover

    try:
        home = discover(said.folder)
    except HomeNotFound as problem:
        near = problem.near and said.event == START
        return f"{problem.message}: {problem.hint}" if near else "", None, False
    if which == NEW and _is_told_beside(said, home):
        return "", None, False
    if said.event == SUBAGENT_START:
        made, last = _brief(said, home, ROLE_CHARS, which)
        heard = (lambda: None) if made and said.session else None
        return visible(made).rstrip(), heard, last is not None
    from rituals.hosts.context.session_news import begin

    resumed = said.source in ("resume", "fork")
    told = begin(home, said.files, resumed=resumed) if said.session else None
    text = ""
    if said.session and said.source in ("compact", "resume"):
        from rituals.hosts.context.compaction_checkpoint import restored

        text = restored(home.repository.commondir, said)
    before = f"{text}\n\n" if text else ""
    budget = (BEHIND_CHARS if before else START_CHARS) - len(RULE) - 4
    while True:
        made, last = _brief(said, home, budget, which)
        if not made:
            return "", None, False
        text = f"{before}{visible(made).rstrip()}\n\n"
        if _fits(text + RULE):
            break
        budget = budget * 3 // 4
    if which == NEW and said.source in _FRESH:
        text += _asked(said, home, text + RULE)
    text += RULE
    return text, (lambda: told(text, last)) if told else None, last is not None


def _fits(text: str, chars: int = 0, size: int = 0) -> bool:
    """Tell whether a host takes a text, and so many characters and bytes more."""
    fits = len(text) + chars <= CONTEXT_CHARS
    return fits and len(text.encode("utf-8", "replace")) + size <= CONTEXT_BYTES


def _asked(said: Moment, home: Home, text: str) -> str:
    """Return the question about facts near each other, "" for none; it has to fit behind a text."""
    from rituals.hosts.observation_filter import observing
    from rituals.hosts.overlap_request import ASKED_BYTES, ASKED_CHARS, is_due, take

    commondir = home.repository.commondir
    known = observing(commondir)
    asks = known.ask and not known.stopped and _fits(text, ASKED_CHARS, ASKED_BYTES)
    if not (asks and is_due(home)):
        return ""
    from rituals.hosts.silence import is_silent
    from rituals.hosts.stop_request import is_attended

    mute = is_silent(commondir, said.session, said.folder) or not is_attended(said, variables())
    asked = "" if mute else take(home, HOSTS[said.host].agent)
    return f"{asked}\n\n" if asked else ""


def _is_told_beside(said: Moment, home: Home) -> bool:
    """Tell whether the host runs two hooks for this, the user's and the project's, and one answers."""
    from ledger.environment import user_folder

    places = {home.repository.top or said.folder, user_folder()}
    paths = [f"{place}/{path}" for place in places for path in HOSTS[said.host].beside]
    if not said.session or len(list(filter(os.path.isfile, paths))) < 2:
        return False
    from rituals.hosts.context.session_news import is_doubled
    from rituals.hosts.processes import here

    once = said.source or f"{said.role} {said.agent}"
    return is_doubled(home.repository.commondir, said.files, f"{once} {here()}")


def _brief(said: Moment, home: Home, budget: int, which: str) -> tuple[str, KeptBrief | None]:
    """Return a brief, "" for none, and the one of before where it is that."""
    from memory import last_brief

    wish = _wish(said, budget)
    last = last_brief(home, wish, current=which == NEW)
    if which != LAST and (last is None or (which == NEW and not last.current)):
        if last is not None:
            allow(*WAIT_SECONDS)
        try:  # where no host's session is, nothing runs on
            last = _made(home, wish, apart=last is None and bool(said.session))
        except TookTooLong:
            if last is None:
                raise
            allow(*REST_SECONDS)
            last = last_brief(home, wish)
    if last is None or last.current:
        return last.text if last else "", None
    newer = f", {last.newer} newer not read" if last.newer else ""
    return f"as of {last.newest}{newer}\n\n{last.text}", last


def _wish(said: Moment, budget: int) -> BriefWish:
    from memory import BriefWish

    agent = variables().get("DIURNA_AGENT") or HOSTS[said.host].agent
    return BriefWish(agent, said.role, budget_chars=budget - _AS_OF_CHARS)


def _made(home: Home, wish: BriefWish, *, apart: bool = False) -> KeptBrief | None:
    """Make a brief: of all that want one at once one does, and the others find it made.

    `apart`: that goes on where the time of all who wait is up; None where it failed.
    """
    import fcntl

    from memory import KeptBrief, last_brief, make_brief

    try:
        fd = open_file(f"{home.state_dir}/briefing", os.O_RDWR | os.O_CREAT)
    except OSError:
        return make_brief(home, wish)  # a disk that refuses
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        last = last_brief(home, wish, current=True)
        if last is not None and last.current:
            return last
        if not apart:
            return make_brief(home, wish)
        commondir = home.repository.commondir
        making = _noting(commondir, "a brief", lambda: tuple(make_brief(home, wish)))
        made = detached_process.made_apart(making, seconds=_READY_SECONDS, held=fd)
        return KeptBrief(*made) if made else None
    finally:
        os.close(fd)


def make_next(said: Moment) -> None:
    """Make the brief that the next start is told, where anything came since the last one was made."""
    from ledger.home import discover
    from memory import last_brief

    sub = said.agent or said.event == SUBAGENT_START
    home = discover(said.folder)
    wish = _wish(said, ROLE_CHARS if sub else START_CHARS - len(RULE) - 4)
    last = last_brief(home, wish)
    if last is None or last.newer:
        from rituals.hosts.overlap_request import look

        _made(home, wish)
        look(home)


def prepare(said: Moment, commondir: str) -> None:
    """Leave, at the start of a session, what its later hooks and its MCP server ask for."""
    from ledger.home import discover
    from rituals.hosts.context.moment_index import opened
    from rituals.hosts.due_steps import look_after
    from rituals.hosts.observation_filter import refresh

    home = discover(said.folder)
    refresh(home)
    if opened(commondir, said.folder) is None:
        make_moments(said, commondir)
    look_after(home)


def make_ready(said: Moment, commondir: str, first: Callable[[], None] = lambda: None) -> None:
    """Make in a process of its own what the next one that asks finds ready.

    `first` is what else the time was up for.
    """

    def made() -> None:
        first()
        make_next(said)

    _apart(commondir, "the next brief", made)


def make_moments(said: Moment, commondir: str) -> None:
    """Make in a process of its own what later hooks look up at a prompt, a command or a file."""

    def made() -> None:
        from rituals.hosts.context.moment_contents import make

        make(commondir, said.folder)

    _apart(commondir, "the index of moments", made)


def _apart(commondir: str, what: str, doing: Callable[[], Any]) -> None:
    detached_process.apart(_noting(commondir, what, doing), seconds=_READY_SECONDS)


def _noting(commondir: str, what: str, doing: Callable[[], Any]) -> Callable[[], Any]:
    """Return the same, which notes why it failed: nobody waits for it; `check` tells."""

    def noted() -> Any:
        try:
            return doing()
        except Exception as problem:  # noqa: BLE001 - as above
            return note_fault(commondir, f"{what}: {problem!r}") if commondir else None

    return noted
