"""Read the logs of a tip: what came since, and what stands below another one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from ledger.model.event import FactCreated, facts_in
from ledger.model.order import milliseconds_of
from ledger.model.record import Record
from ledger.model.session import Entry

#: So many agents are named.
_AGENTS = 2


def told(entries: Iterable[Entry]) -> str:
    """Say in a sentence who recorded what: codex recorded 2 facts, ada changed 1 fact."""
    agents: dict[str, list[Entry]] = {}
    for entry in entries:
        agents.setdefault(entry.agent or "somebody", []).append(entry)
    said = [f"{name} {_deed(logs)}" for name, logs in agents.items()]
    more = [f"{len(said) - _AGENTS} more recorded something"] if len(said) > _AGENTS else []
    return f"{', '.join(said[:_AGENTS] + more)}."


def _deed(logs: Sequence[Entry]) -> str:
    acts = [event for entry in logs for event in entry.acts]
    new = {name for event in acts if type(event) is FactCreated for name in facts_in(event)}
    changed = {name for event in acts for name in facts_in(event)} - new
    verb, noun, many = "recorded", "fact", len(new)
    if changed and not new:
        verb, many = "changed", len(changed)
    elif not new:
        noun, many = "session", len(logs)
    return f"{verb} {many} {noun}{'s' * (many != 1)}"


_IMPORT = "import"
#: An import tells of a session that is so many work logs and so long away at most.
_NEAR, _NEAR_MS = 20, 86_400_000


class Folded(Record):
    """The imports that stand below a session."""

    session: Mapping[str, str]  #: by the key of the import, that of the session
    imports: Mapping[str, Sequence[Entry]]  #: by the key of the session, in ledger order


def folded(entries: Sequence[Entry]) -> Folded:
    """Return those of some logs, which are in ledger order.

    What adoption reads off an older commit comes as a log of its own, near the session whose commit that
    was: of those that name one of its facts the nearest, one that made or changed it before all others.
    """
    found: dict[str, str] = {}
    imports: dict[str, list[Entry]] = {}
    sessions = [entry for entry in entries if entry.work]
    times = [milliseconds_of(entry.stem) for entry in sessions]
    for entry in entries:
        if entry.type != _IMPORT:
            continue
        ids = {name for act in entry.acts for name in facts_in(act)}
        at = milliseconds_of(entry.stem)
        here, near = bisect_left(times, at), []
        for place in range(max(here - _NEAR, 0), min(here + _NEAR, len(times))):
            away, one = abs(times[place] - at), sessions[place]
            acts = not ids.isdisjoint([act.id for act in one.acts])
            if away <= _NEAR_MS and (acts or not ids.isdisjoint(one.named)):
                near.append((not acts, away, one.stem))
        if near:
            found[entry.stem] = session = min(near)[2]
            imports.setdefault(session, []).append(entry)
    return Folded(found, imports)
