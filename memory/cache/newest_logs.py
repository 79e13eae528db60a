"""Keep track of the newest log of each agent and session, and of the newest that corrects a fact.

It is kept up log by log in the cache: among 100,000 logs nobody looks for them.
"""

from __future__ import annotations

from ledger.model.event import GRAMMAR, FactUpdated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.model.event import Event
    from ledger.model.session import Entry

#: Writes rows of `newest`; a log that arrives late takes nobody's place.
NOTE_NEWEST = (
    "INSERT INTO newest VALUES (?, ?) "
    "ON CONFLICT(name) DO UPDATE SET stem = max(stem, excluded.stem)"
)
CORRECTION = "correction"
#: The type of a log that says nothing of who was there: it brings what another tool wrote.
IMPORT = "import"
_CORRECTING = frozenset([kind for kind, verb in GRAMMAR.items() if verb.corrects])


def agent_name(agent: str) -> str:
    """Return the name of the row of an agent."""
    return f"agent {agent}"


def session_name(agent: str, session: str) -> str:
    """Return the name of the row of a host session, as far as it is one agent's."""
    return f"session {agent}\n{session}"


def corrects(event: Event) -> bool:
    """Tell whether an event says that something does not hold any more, or holds otherwise."""
    if type(event) is FactUpdated:
        return event.text is not None
    return type(event) in _CORRECTING


def newest_logs(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the rows of some logs: the newest stem by name."""
    found: dict[str, str] = {}
    for stem, work, agent, kind, _, acts, session in entries:
        name = agent_name(agent)
        if stem > found.get(name, "") and kind != IMPORT:
            found[name] = stem
        if work and session:
            begun = session_name(agent, session)
            found[begun] = max(stem, found.get(begun, ""))
        if acts and stem > found.get(CORRECTION, "") and any(map(corrects, acts)):
            found[CORRECTION] = stem
    return found
