"""Make what an agent is told at the start of its session: the brief, what stands around it, the rule."""

from __future__ import annotations

import os

from rituals.hosts.adapters import HOSTS, PROMPT, START, SUBAGENT_START
from rituals.hosts.moments import file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rituals.hosts.moments import Moment

#: How long a brief may take that nobody waits for.
_READY_SECONDS = 60
#: The least that any host takes of one hook.
CONTEXT_CHARS, CONTEXT_BYTES = 7_500, 9_500
#: What a session starts with, as far as it was not there before: its prompts bring the rest.
START_CHARS = 6_000
#: What a subagent is told.
ROLE_CHARS = 2_000
RULE = (
    "Project memory lives in Diurna; your own lessons stay in your own memory. `diurna recall WORDS` "
    'before you assume; `diurna note "decision: …"` for what others have to know; `diurna append` at the '
    "end."
)


def context(
    said: Moment, environment: Mapping[str, str], *, late: bool = False
) -> tuple[str, Callable[..., None] | None]:
    """Return the brief and the ground rule with what stands around them; "" where there is no memory.

    Behind it comes what is to be called when the session has heard it, or is to hear it at its next
    prompt (`True`); None for nothing. Of two hooks that a host runs for one start one is answered.
    `late`: the hook that asked was told nothing.
    """
    from ledger.errors import HomeNotFound
    from ledger.escape import visible
    from ledger.home import discover
    from rituals.hosts.context.around_brief import Around
    from rituals.hosts.context.session_news import begin

    try:
        home = discover(said.folder)
        commondir, name = home.repository.commondir, file_name(said.host, said.session)
        if not late and _is_told_beside(said, commondir, home.repository.top, said.source):
            return "", None
        resumed = said.source in ("resume", "fork")
        told = begin(home, name, resumed=resumed) if said.session else None
        around = Around(commondir, said)
        if said.source == "compact" and said.session:
            from rituals.hosts.stop_request import when_compacted

            asked = when_compacted(said, commondir, environment)
            around.before = "\n\n".join([one for one in (around.before, asked) if one])
        before = f"{around.before}\n\n" if around.before else ""
        budget = min(START_CHARS, CONTEXT_CHARS - around.room) - len(RULE) - 4
        while True:
            text = before + visible(_brief(said, environment, budget)).rstrip()
            size = len(text.encode("utf-8", "replace")) + len(RULE.encode()) + 4
            if size <= CONTEXT_BYTES:
                break
            budget = budget * 3 // 4
        behind = around.behind(
            CONTEXT_CHARS - len(text) - len(RULE) - 4, CONTEXT_BYTES - size, text
        )
        whole = "\n\n".join([part for part in (text, behind, RULE) if part])
        return whole, (lambda later=False: told(whole, around.told, later)) if told else None
    except HomeNotFound:
        return "", None


def role_brief(
    said: Moment, environment: Mapping[str, str], commondir: str = ""
) -> tuple[str, Callable[[], None] | None]:
    """Return the brief for a subagent's role, and what is to be called then, as `context` does.

    `commondir` is "" where nobody listens.
    """
    from ledger.errors import HomeNotFound
    from ledger.escape import visible

    if commondir and _is_told_beside(said, commondir, said.folder, f"{said.role} {said.agent}"):
        return "", None
    try:
        text = visible(_brief(said, environment, ROLE_CHARS)).rstrip()
    except HomeNotFound:
        return "", None

    def told() -> None:
        from rituals.hosts.context.session_news import note_shown

        note_shown(commondir, file_name(said.host, said.session), text)

    return text, told if commondir and said.session else None


def _is_told_beside(said: Moment, commondir: str, top: str, once: str) -> bool:
    """Tell whether the host runs two hooks for this, the user's and the project's, and one answers."""
    from ledger.environment import user_folder

    places = {top or said.folder, user_folder()}
    paths = [f"{place}/{path}" for place in places for path in HOSTS[said.host].beside]
    if not said.session or len(list(filter(os.path.isfile, paths))) < 2:
        return False
    from rituals.hosts.context.session_news import is_doubled
    from rituals.hosts.processes import here

    return is_doubled(commondir, file_name(said.host, said.session), f"{once} {here()}")


def _brief(said: Moment, environment: Mapping[str, str], budget: int) -> str:
    from memory.brief.brief_place import Wish
    from memory.query.last_answers import brief

    agent = environment.get("DIURNA_AGENT") or HOSTS[said.host].agent
    kept = brief(said.folder, Wish(agent, said.role, budget_chars=budget))
    if kept is not None:
        return kept.decode("utf-8", "surrogateescape")
    from ledger.home import discover
    from memory.query.reader import Reader

    reader = Reader(discover(said.folder))  # there is more to be said, which other commands say
    try:
        return reader.brief(agent=agent, role=said.role, budget_chars=budget).text
    finally:
        reader.close()


def prepare(said: Moment, commondir: str, environment: Mapping[str, str]) -> None:
    """Leave, at the start of a session, what its later hooks and its MCP server ask for."""
    from ledger.home import discover
    from rituals.hosts.background_start import look_after
    from rituals.hosts.context.moment_index import opened
    from rituals.hosts.observed.policy_note import refresh
    from rituals.hosts.processes import note_session

    home = discover(said.folder)
    note_session(commondir, said.host, said.session)
    refresh(home)
    look_after(home)
    if opened(commondir, said.folder, words=True) is None:
        make_moments(said, commondir, environment)


def make_ready(
    said: Moment, environment: Mapping[str, str], first: Callable[[], None] = lambda: None
) -> None:
    """Make what took too long in a process of its own: the next one that asks finds it ready.

    What the start of a session was to hear its next prompt hears. `first` is what else the time was up
    for.
    """

    def made() -> None:
        first()
        if said.event == START:
            text, heard = context(said, environment, late=True)
            if text and heard:
                heard(True)
        elif said.event == SUBAGENT_START:
            role_brief(said, environment)
        elif said.event == PROMPT:
            from ledger.home import discover
            from rituals.hosts.context.moment_answer import needed_at
            from rituals.hosts.context.session_news import make_ready as make_news_ready

            commondir = discover(said.folder).repository.commondir
            make_news_ready(said, commondir, needed_at(said, commondir)[0])

    _apart(made)


def make_moments(said: Moment, commondir: str, environment: Mapping[str, str]) -> None:
    """Bring forward, in a process of its own, what later hooks look up at a prompt, a command or a file.

    `said` is the moment that found it out of date.
    """

    def made() -> None:
        from rituals.hosts.context.moment_contents import make
        from rituals.hosts.faults import note

        try:
            make(commondir, said.folder, environment)
        except Exception as problem:  # noqa: BLE001 - nobody waits for it; `doctor` tells
            note(commondir, f"the index of moments: {problem!r}")

    _apart(made)


def _apart(doing: Callable[[], None]) -> None:
    """Do something in a process of its own that nobody waits for, and that does not stay for long."""
    import signal

    from rituals.hosts.capture.detached import apart

    def limited() -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_READY_SECONDS)
        doing()

    apart(limited)
