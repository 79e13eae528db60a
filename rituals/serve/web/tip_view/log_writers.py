"""Know the logs of a tip by their keys: what each says of itself, and which person wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ledger.model.order import stem_in
from ledger.model.session import Entry
from memory.query.origins import Origin


class LogWriters:
    """The logs of a tip.

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
