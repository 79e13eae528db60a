"""Keep track of the newest log of each agent and session, and of what captured logs tell of a session.

The newest that corrects a fact is known too. It is kept up log by log in the cache: among 100,000 logs
nobody looks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.model.event import GRAMMAR, OF_LOGS, VERB_OF, Event, FactUpdated
from ledger.model.session import OBSERVED, PLACE, SHOWN_KEY, TRANSCRIPT, Entry, shown_in, span_of

#: Writes rows of `newest`; a log that arrives late takes nobody's place. In the rows of `reach_rows` the
#: place of the stem is taken by a number of `_DIGITS` digits.
NOTE_NEWEST = (
    "INSERT INTO newest VALUES (?, ?) "
    "ON CONFLICT(name) DO UPDATE SET stem = max(stem, excluded.stem)"
)
CORRECTION = "correction"
#: The type of a log that says nothing of who was there: it brings what another tool wrote.
IMPORT = "import"
_DIGITS = 20
#: What is said of logs, and of no fact.
TELLING = frozenset([VERB_OF[kind] for kind in OF_LOGS])
_CORRECTING = frozenset([kind for kind, verb in GRAMMAR.items() if verb.corrects])


def agent_name(agent: str) -> str:
    """Return the name of the row of an agent."""
    return f"agent {agent}"


def session_name(session: str, agent: str = "") -> str:
    """Return the name of the row of a host session, as far as it is one agent's.

    `agent` is "" for what was captured of the session, by whatever agent.
    """
    return f"session {session}\n{agent}"


def stretch_name(agent: str) -> str:
    """Return the name of the row of an agent's newest work that names no host session."""
    return f"stretch {agent}"


def session_names(entry: Entry) -> tuple[str, ...]:
    """Return the names of the rows of a log that begins a host session, or is work without one."""
    if entry.uses and not entry.session:
        return (stretch_name(entry.agent),)
    if not (entry.work and entry.session):
        return ()
    name = session_name(entry.session, entry.agent)
    return (name, session_name(entry.session)) if entry.reach else (name,)


def reach_name(host: str, session: str, kind: str, name: str) -> str:
    """Return the name of the row that says up to where captured logs tell of a host's session.

    `kind` is `OBSERVED` or `TRANSCRIPT`; `name` is of what is told of: when the spool began, or the
    transcript's.
    """
    return f"reach {host}\n{session}\n{kind} {name}"


def reach_rows(reach: Sequence[str], session: str) -> dict[str, str]:
    """Return the rows of one captured log: up to where, by what it is a span of.

    `reach` is its host and its spans (`ledger.model.session.Entry`); () gives none.
    """
    rows: dict[str, str] = {}
    for kind, value in zip((OBSERVED, TRANSCRIPT), reach[1:], strict=False):
        span = span_of(value)
        if span is not None:
            rows[reach_name(reach[0], session, kind, span.name)] = f"{span.end:0{_DIGITS}}"
    return rows


def shown_rows(entry: Entry) -> list[tuple[str, str, str]]:
    """Return the facts that a log says its session was shown (FORMAT.md, W13), with that and itself."""
    session = entry.session or entry.stem
    value = dict(entry.reported).get(SHOWN_KEY, "")
    return [(fact, session, entry.stem) for fact in shown_in(value)] if value else []


def landing_rows(entry: Entry) -> list[tuple[str, str, str, str, str]]:
    """Return what a log says of the work of others: itself, the verb, the other log, a commit, how."""
    rows = []
    for verb, said in entry.reported:
        if verb in TELLING:
            named, _, how = said.partition(" ")
            stem, _, commit = named.partition("→")
            rows.append((entry.stem, verb, stem, commit, how))
    return rows


def place_rows(entry: Entry) -> list[tuple[str, str, int, str]]:
    """Return where the work was done that a log tells of (`ledger.model.session.place_of`)."""
    value = dict(entry.reported).get(PLACE, "")
    commit, dirty, branch = value.split(" ", 2) if value else ("", "", "")
    return [(entry.stem, commit, int(dirty == "dirty"), branch)] if value else []


def corrects(event: Event) -> bool:
    """Tell whether an event says that something does not hold any more, or holds otherwise."""
    if type(event) is FactUpdated:
        return event.text is not None
    return type(event) in _CORRECTING


def newest_logs(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the rows of some logs: the newest stem by name."""
    found: dict[str, str] = {}
    for entry in entries:
        stem, _, agent, kind, _, acts, session, reach, *_ = entry
        name = agent_name(agent)
        if stem > found.get(name, "") and kind != IMPORT:
            found[name] = stem
        for name in session_names(entry):
            found[name] = max(stem, found.get(name, ""))
        for name, end in reach_rows(reach, session).items() if reach else ():
            found[name] = max(end, found.get(name, ""))
        if acts and stem > found.get(CORRECTION, "") and any(map(corrects, acts)):
            found[CORRECTION] = stem
    return found
