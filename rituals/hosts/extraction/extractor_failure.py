"""Say why an extractor gave no answer."""

from __future__ import annotations

from ledger.escape import prose
from ledger.secrets.scanner import without_secrets

_SAID_CHARS = 120


class NoAnswer(Exception):
    """An extractor gave no answer that can be read.

    Args:
        why: in our words.
        said: how its own words begin, if it had any.
        free: nobody can have been charged, so that it may be asked once more.
    """

    def __init__(self, why: str, said: str = "", *, free: bool = False) -> None:
        said = without_secrets(prose(said[: 10 * _SAID_CHARS]))[:_SAID_CHARS]
        super().__init__(f"{why}: {said}" if said else why)
        self.free = free
