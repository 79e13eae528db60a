"""Write files that are all ours, and know them again: the last line has a hash of the others.

So a file of any release is replaced by the next one and taken away at the end, and one that somebody wrote
to is neither.
"""

from __future__ import annotations

import hashlib
import re

_STAMP = re.compile(rb"diurna:file v1 ([0-9a-f]{16})")
#: Files of before there was a stamp, by their hash.
_FORMER = frozenset({"8bef6a1e5478fed1"})


def stamped(text: str, before: str, after: str = "") -> str:
    """Return a text with a last line that says what stands above it.

    The text has whole lines; `before` begins a comment, `after` ends it.
    """
    return f"{text}{before}diurna:file v1 {_hash(text.encode())}{after}\n"


def bears_mark(data: bytes) -> bool:
    """Tell whether a file says that it is ours, whatever became of it."""
    return bool(_STAMP.search(data)) or data.startswith(b"// Diurna's plugin")


def is_as_written(data: bytes) -> bool:
    """Tell whether a release of Diurna wrote a file, and nobody since, but for git its ends of lines."""
    data = data.replace(b"\r\n", b"\n")
    text, _, last = data.removesuffix(b"\n").rpartition(b"\n")
    found = _STAMP.search(last)
    if found:
        return found[1].decode() == _hash(text + b"\n")
    return _hash(data) in _FORMER


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
