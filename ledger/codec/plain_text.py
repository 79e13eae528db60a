"""Turn the bytes of a log into the text that everything else reads."""

from __future__ import annotations


def text_of(data: bytes) -> str:
    """Return the text of a log as it is read, whatever its bytes: findings count its lines."""
    return normal(data.decode("utf-8", "replace")).replace("\0", "\ufffd")


def normal(text: str) -> str:
    """Return a text without a byte order mark, its lines ending in line feeds alone."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text
