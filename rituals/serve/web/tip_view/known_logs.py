"""Read all logs of a tip, behind one that was read before only those since; and who wrote each."""

from __future__ import annotations

from ledger.model.event import facts_in
from ledger.model.ids import is_fact_id
from ledger.model.order import stem_in
from ledger.model.record import Record
from projection.fold.full_replay import State
from projection.fold.projection_state import log_digest, set_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
