"""Check and make the names of things: fact ids and version ids.

A fact id is `[a-z0-9]+([.-][a-z0-9]+)*` of at most 80 characters, checked without a regular
expression because `re` is not loaded on the fast path.
"""

from __future__ import annotations

from ledger.model.sha256 import sha256

ID_LIMIT_CHARS = 80
#: Begins what stands for a text that is withheld. No bytes are read as this character, so no log says it.
WITHHELD = "\ud800"
#: Begins what a purge leaves of a text; the version id and `)` follow.
_PURGED = "(redacted "
_SET = "abcdefghijklmnopqrstuvwxyz0123456789.-"


def is_fact_id(text: str) -> bool:
    """Tell whether `text` is a fact id."""
    return (
        0 < len(text) <= ID_LIMIT_CHARS
        and not text.strip(_SET)
        and text[0] not in ".-"
        and text[-1] not in ".-"
        and "--" not in text
        and ".." not in text
        and ".-" not in text
        and "-." not in text
    )


def version_id(text: str) -> str:
    """Name a text: the first 8 hex digits of the SHA-256 of its UTF-8 bytes.

    What a purge left of a text has the name that the text had.
    """
    if text[:1] == WITHHELD:
        return text[1:]
    if is_purged(text):
        return text[len(_PURGED) : -1]
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def withheld_text(text: str) -> str:
    """Return what stands for a text that is withheld: the name of its version, no word of it."""
    return WITHHELD + version_id(text)


def purged_text(text: str) -> str:
    """Return what a purge leaves of a text in a log."""
    return f"{_PURGED}{version_id(text)})"


def is_purged(text: str) -> bool:
    """Tell whether a text is what a purge left of another."""
    return (
        text[: len(_PURGED)] == _PURGED
        and text[-1] == ")"
        and is_version_id(text[len(_PURGED) : -1])
    )


def is_object(text: str) -> bool:
    """Tell whether a text is the whole id of an object of git."""
    return len(text) == 40 and not text.strip("0123456789abcdef")


def is_version_id(text: str) -> bool:
    """Tell whether `text` is 8 lower-case hex digits."""
    return len(text) == 8 and not text.strip("0123456789abcdef")
