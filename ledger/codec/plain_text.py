"""Turn the bytes of a log, or of a file that a person wrote, into the text that everything else reads."""

from __future__ import annotations

#: How a file says that it is UTF-16, which Windows writes where nobody asks for another encoding.
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
#: Why a file is not read.
NO_TEXT = "it is no text in UTF-8, or in UTF-16 with a byte order mark"


def text_of(data: bytes) -> str:
    """Return the text of a log as it is read, whatever its bytes: findings count its lines."""
    return normal(data.decode("utf-8", "replace")).replace("\0", "\ufffd")


def document_text(data: bytes) -> str | None:
    """Return the text of a file that a person wrote, as `normal` has it; None where it is no text.

    It is in UTF-8, or in UTF-16 with a byte order mark. Nothing of other bytes is text: half of a word is
    another word.
    """
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else normal(text)


def normal(text: str) -> str:
    """Return a text without a byte order mark, its lines ending in line feeds alone."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text
