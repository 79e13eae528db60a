"""Read the logs that hits are cut from, as they were written, and keep them for the next question."""

from __future__ import annotations

import os

from ledger.codec.plain_text import text_of
from ledger.model.logset import LogRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledger.git.process import Running
    from ledger.git.pygit2_store import Store
    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.index.rows import LogRow

#: The number of questions from which a library that reads packs pays for its start.
_LIBRARY_FROM = 3
_TEXTS_KEPT = 500


class LogTexts:
    """The lines of the logs of one home; what is withheld of them is left out.

    Args:
        home: where the logs are.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lines: dict[str, list[str]] = {}
        self._redacted: frozenset[str] = frozenset()
        self._store: Store | None = None
        self._reader: Running | None = None
        self._asked = 0

    def __enter__(self) -> LogTexts:
        """Begin a question: git starts beside the search, and is asked once it is known for which logs."""
        self._asked += 1
        packs = self._home.repository.commondir + "/objects/pack"
        if self._asked < _LIBRARY_FROM and os.path.isdir(packs) and os.listdir(packs):
            self._reader = self._home.repository.git().blob_reader()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        reader = self._taken()
        if reader is not None:
            reader.stop()

    def _taken(self) -> Running | None:
        reader, self._reader = self._reader, None
        return reader

    def lines(self, log: LogRow, cache: Cache) -> list[str]:
        """Return the lines of a log as it was written."""
        if log.blob not in self._lines or cache.redacted != self._redacted:
            self.fetch([log], cache)
        return self._lines[log.blob]

    def fetch(self, logs: Iterable[LogRow], cache: Cache) -> None:
        """Read logs, as far as they were not read yet, all at once."""
        if len(self._lines) >= _TEXTS_KEPT or cache.redacted != self._redacted:
            self._lines.clear()
            self._redacted = cache.redacted
        missing = {log.blob: LogRef(log.stem, "", log.blob) for log in logs}
        keys = {ref.blob: ref.key for ref in missing.values()}
        for blob in self._lines.keys() & missing.keys():
            del missing[blob]
        for blob, data in self._bytes(missing):
            text = text_of(data)
            if cache.redacted and (entry := cache.entry(keys[blob])) is not None:
                from memory.redaction.withheld_texts import named_in, shown

                text = shown(self._home, cache, text, named_in(entry))
            self._lines[blob] = text.split("\n")
        for blob in missing:
            self._lines.setdefault(blob, [""])

    def _bytes(self, refs: dict[str, LogRef]) -> Iterator[tuple[str, bytes]]:
        if refs and self._asked >= _LIBRARY_FROM:
            if self._store is None:
                from ledger.git.pygit2_store import Store

                self._store = Store(self._home.repository)
            for blob in list(refs):
                data = self._store.blob(blob)
                if data is not None:
                    del refs[blob]
                    yield blob, data
        if refs:
            from memory.replay.log_bytes import read_bytes

            for ref, found in read_bytes(self._home, list(refs.values()), self._taken):
                yield ref.blob, found
