"""Read the logs of a tip: who wrote each, what came since, and what stands below another one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ledger.model.event import FactCreated, facts_in
from ledger.model.ids import is_fact_id
from ledger.model.order import milliseconds_of, stem_in
from ledger.model.record import Record
from ledger.model.session import Entry
from projection.fold.full_replay import State
from projection.fold.projection_state import log_digest, set_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ledger.model.logset import LogRef
    from ledger.model.session import Entry
    from memory.api import Memory
    from memory.query.origins import Origin


class KnownLogs(Record):
    """The logs of a tip."""

    newest: int  #: the number of the log that the cache met last
    digest: str  #: of the set of logs
    logs: tuple[tuple[LogRef, Entry], ...]  #: in ledger order
    facts: frozenset[str]  #: the ids that have a page: all that they name, with a text or without


def known_logs(memory: Memory, state: State, before: KnownLogs | None = None) -> KnownLogs:
    """Return the logs of a state, of which those of `before` are not read again.

    The digest is a sum over the set, so it tells whether these are the logs of before and the fresh ones.
    """
    after = before.newest if before else 0
    read = memory.ask(lambda cache: list(cache.entries(after)))
    fresh = [(ref, entry) for _, ref, entry in read]
    newest = max([after, *[number for number, _, _ in read]])
    digest = state.summary.digest
    if before:
        terms = [log_digest(ref.key, ref.blob) for ref, _ in fresh]
        if set_digest((int(before.digest, 16), *terms)) != digest:
            return known_logs(memory, state)
    logs = sorted([*(before.logs if before else ()), *fresh], key=lambda log: log[0].key)
    facts = _facts([entry for _, entry in fresh], state)
    return KnownLogs(newest, digest, tuple(logs), (before.facts if before else frozenset()) | facts)


def _facts(entries: Iterable[Entry], state: State) -> frozenset[str]:
    named = {name for entry in entries for name in entry.named}
    acted = {name for entry in entries for event in entry.acts for name in facts_in(event)}
    return frozenset([one for one in named | acted if is_fact_id(one) or one in state])


class LogWriters:
    """The logs of a tip by their keys: what each says of itself, and which person wrote it.

    Args:
        entries: all of them.
        writers: tells who wrote some logs, by stem (`TipView.writers`).
    """

    def __init__(
        self, entries: Iterable[Entry], writers: Callable[[Iterable[str]], Mapping[str, Origin]]
    ) -> None:
        self.entries = {entry.stem: entry for entry in entries}
        #: what the filter of a list offers, by field
        self.offered: dict[str, tuple[str, ...]] = {}
        self._writers = writers
        self._persons: dict[str, str] = {}

    def persons(self, keys: Iterable[str]) -> dict[str, str]:
        """Return which person wrote each of some logs, by key; "" where nobody can tell."""
        wanted = [key for key in keys if key]
        fresh = [key for key in wanted if key not in self._persons]
        if fresh:
            found = self._writers([stem_in(key) for key in fresh])
            for key in fresh:
                origin = found.get(stem_in(key))
                self._persons[key] = "" if origin is None else origin.author
        return {key: self._persons[key] for key in wanted}


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


_IMPORT = "import"
#: An import tells of a session that is so many work logs and so long away at most.
_NEAR, _NEAR_MS = 20, 86_400_000


class Folded(Record):
    """The imports that stand below a session."""

    session: Mapping[str, str]  #: by the key of the import, that of the session
    imports: Mapping[str, tuple[Entry, ...]]  #: by the key of the session, in ledger order


def folded(entries: Sequence[Entry]) -> Folded:
    """Return those of some logs, which are in ledger order."""
    found = folded_in(entries)
    known = {entry.stem: entry for entry in entries} if found else {}
    imports: dict[str, tuple[Entry, ...]] = {}
    for key, session in found.items():
        imports[session] = (*imports.get(session, ()), known[key])
    return Folded(found, imports)


def folded_in(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the keys of such imports, each with the session's; entries are in ledger order.

    What adoption reads off an older commit comes as a log of its own, near the session whose commit that
    was: of those that name one of its facts the nearest, one that made or changed it before all others.
    """
    found: dict[str, str] = {}
    sessions = [entry for entry in entries if entry.work]
    times = [milliseconds_of(entry.stem) for entry in sessions]
    for entry in entries:
        if entry.type != _IMPORT:
            continue
        ids, at = (
            {name for act in entry.acts for name in facts_in(act)},
            milliseconds_of(entry.stem),
        )
        here = bisect_left(times, at)
        near = []
        for place in range(max(here - _NEAR, 0), min(here + _NEAR, len(times))):
            away = abs(times[place] - at)
            one = sessions[place]
            if away <= _NEAR_MS:
                if not ids.isdisjoint([act.id for act in one.acts]):
                    near.append((0, away, one.stem))
                elif not ids.isdisjoint(one.named):
                    near.append((1, away, one.stem))
        if near:
            found[entry.stem] = min(near)[2]
    return found
