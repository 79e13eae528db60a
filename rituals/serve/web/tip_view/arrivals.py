"""Tell what was recorded since a page was made, for whoever still looks at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ledger.model.event import FactCreated, facts_in
from ledger.model.session import Entry

#: So many states of memory are remembered: a page that is older is told that memory changed, not how.
_STATES = 64
#: So many agents are named.
_AGENTS = 2
CHANGED = "Memory changed."


class _Move(NamedTuple):
    """One step of memory: where it led, and what it brought; None where logs went away as well."""

    mark: str
    came: tuple[Entry, ...] | None


class Arrivals:
    """Remembers what came from one state of memory to the next."""

    def __init__(self) -> None:
        self._moves: list[_Move] = []
        self._stems: frozenset[str] = frozenset()

    def note(self, mark: str, entries: Sequence[Entry]) -> None:
        """Remember a state of memory, with all its logs, unless it is the one that stands already."""
        if self._moves and self._moves[-1].mark == mark:
            return
        stems = frozenset([one.stem for one in entries])
        came = tuple([one for one in entries if one.stem not in self._stems])
        self._moves.append(_Move(mark, came if stems >= self._stems else None))
        self._stems = stems
        del self._moves[:-_STATES]

    def since(self, mark: str) -> str:
        """Say in a sentence what came after a state."""
        places = [at for at, move in enumerate(self._moves) if move.mark == mark]
        steps = self._moves[places[-1] + 1 :] if places else []
        came = [entry for step in steps for entry in step.came or ()]
        return told(came) if came and None not in [step.came for step in steps] else CHANGED


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
    if new:
        return f"recorded {_counted(len(new), 'fact')}"
    if changed:
        return f"changed {_counted(len(changed), 'fact')}"
    return f"recorded {_counted(len(logs), 'session')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
