"""Make what an agent is told at the start of its session: the brief and the ground rule."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rituals.hosts.adapters import Host

#: How long a brief may take that nobody waits for.
_READY_SECONDS = 60
#: The least that any host takes of one hook.
CONTEXT_CHARS, CONTEXT_BYTES = 7_500, 9_500
RULE = (
    "Project memory lives in Diurna; your own lessons stay in your own memory. `diurna recall WORDS` "
    'before you assume; `diurna note "decision: …"` for what others have to know; `diurna append` at the '
    "end."
)


def context(host: Host, folder: str, environment: Mapping[str, str]) -> str:
    """Return the brief and the ground rule; "" where there is no memory.

    Args:
        host: that asks.
        folder: where it works.
        environment: of the process.
    """
    from ledger.errors import HomeNotFound
    from ledger.escape import visible

    room = CONTEXT_CHARS - len(RULE) - 2
    budget = room
    try:
        text = visible(_brief(folder, host, environment, budget))
        while len(text.encode("utf-8", "replace")) > CONTEXT_BYTES - len(RULE.encode()) - 2:
            budget = budget * 3 // 4
            text = visible(_brief(folder, host, environment, budget))
    except HomeNotFound:
        return ""
    return f"{text.rstrip()}\n\n{RULE}"


def _brief(folder: str, host: Host, environment: Mapping[str, str], budget: int) -> str:
    from memory.brief.place import Wish
    from memory.query.last_answers import brief

    agent = environment.get("DIURNA_AGENT") or host.agent
    kept = brief(folder, Wish(agent, budget_chars=budget))
    if kept is not None:
        return kept.decode("utf-8", "surrogateescape")
    from ledger.home import discover
    from memory.query.reader import Reader

    reader = Reader(discover(folder))  # there is more to be said, which other commands say
    try:
        return reader.brief(agent=agent, budget_chars=budget).text
    finally:
        reader.close()


def make_ready(host: Host, folder: str, environment: Mapping[str, str]) -> None:
    """Make the brief that took too long in a process of its own, where it is kept for the next session.

    Args:
        host: that asked.
        folder: where it works.
        environment: of the process.
    """
    import signal

    if os.fork():
        return
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_READY_SECONDS)
        context(host, folder, environment)
    finally:
        os._exit(0)
