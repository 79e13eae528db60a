"""Mark words in what is written as HTML already: between its tags alone, and in no character reference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from markupsafe import Markup

#: What is no text: tags, and references such as `&amp;`. Whoever wrote the markup has escaped `<` and `&`.
_NO_TEXT = re.compile(r"(<[^>]*>|&[#\w]+;)")


def word_marks(written: Markup, words: Iterable[str]) -> Markup:
    """Put `<mark>` around words, in any case; of writing without blanks also inside of others."""
    pattern = _pattern(tuple(words))
    if pattern is None:
        return written
    parts = _NO_TEXT.split(str(written))
    parts[::2] = [pattern.sub(r"<mark>\g<0></mark>", part) for part in parts[::2]]
    return Markup("".join(parts))  # noqa: S704 - around letters and digits that stood there


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    whole = [re.escape(word) for word in words if word.isalnum() and word.isascii()]
    other = [re.escape(word) for word in words if word.isalnum() and not word.isascii()]
    found = [rf"(?<![^\W_])(?:{'|'.join(whole)})(?![^\W_])"] if whole else []
    found += sorted(other, key=len, reverse=True)
    return re.compile("|".join(found), re.IGNORECASE) if found else None
