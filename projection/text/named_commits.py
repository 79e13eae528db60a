"""Find the commits that a text names."""

from __future__ import annotations

import re

_COMMIT = re.compile(r"\bcommits?\s+`?([0-9a-f]{7,40})\b`?", re.IGNORECASE)


def commits_in(text: str) -> tuple[str, ...]:
    """Return the ids behind the word "commit", whole or their beginnings, each once, in the order met."""
    found = [match[1] for match in _COMMIT.finditer(text) if is_hash(match[1])]
    return tuple(dict.fromkeys(found))


def is_hash(word: str) -> bool:
    """Tell whether hex digits are likely a commit: both letters and digits, or a whole id."""
    return len(word) == 40 or (bool(re.search(r"\d", word)) and bool(re.search(r"[a-f]", word)))
