"""Draw the progress bar: one line of a terminal's stderr, only for work that takes a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

_PATIENCE_SECONDS = 0.5
_WIDTH = 30


class Progress:
    """Draws how far something is, once it has taken half a second.

    Args:
        stream: a terminal.
        monotonic: gives seconds.
    """

    def __init__(self, stream: TextIO, monotonic: Callable[[], float]) -> None:
        self._stream = stream
        self._monotonic = monotonic
        self._since = 0.0
        self._drawn = False

    def draw(self, done: int, total: int, what: str = "reading logs") -> None:
        """Draw `done` of `total`."""
        now = self._monotonic()
        if not self._since:
            self._since = now
        if now - self._since < _PATIENCE_SECONDS or total <= 0:
            return
        filled = _WIDTH * min(done, total) // total
        bar = "#" * filled + "." * (_WIDTH - filled)
        self._stream.write(f"\r\x1b[K{what} [{bar}] {done}/{total}")
        self._stream.flush()
        self._drawn = True

    def clear(self) -> None:
        """Take the bar away, before anything else is written."""
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._drawn = False
