"""Compute SHA-256 without loading OpenSSL, which saves 3 ms at the start of every command.

Bulk work (a cold replay, `verify`) uses `hashlib`, whose code is faster per byte.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha1, sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
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
