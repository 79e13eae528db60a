"""Check and make the names of things: fact ids, version ids and the digests that they are made of.

A fact id is `[a-z0-9]+([.-][a-z0-9]+)*` of at most 80 characters, checked without a regular
expression because `re` is not loaded on the fast path. SHA-256 is computed without loading OpenSSL, which
saves 3 ms at the start of every command; bulk work uses `hashlib`, which is faster by the byte.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha1, sha256
else:
    try:  # Python 3.12 calls it otherwise, and a name that it has not is looked for in each folder
        sha256 = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
    except ImportError:
        from hashlib import sha256
    try:
        from _sha1 import sha1
    except ImportError:
        from hashlib import sha1

__all__ = ["blob_id", "line_digest", "sha1", "sha256"]


def blob_id(data: bytes) -> str:
    """Return the id git gives a blob of these bytes (SHA-1 repositories), 40 hex digits."""
    return sha1(b"blob %d\x00" % len(data) + data, usedforsecurity=False).hexdigest()


def line_digest(line: str) -> str:
    """Return what tells a line from another, in 16 hex digits, and not what it says."""
    return sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:16]


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
    begins = text[:1]
    if begins == WITHHELD:
        return text[1:]
    if begins == _PURGED[0] and is_purged(text):
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
