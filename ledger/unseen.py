"""What nobody can see in a text, or what a terminal obeys: one list, and one way to write it visibly.

Everything that leaves towards a terminal or a model goes through `visible`: control characters, marks
and overrides of direction, zero-width and filling characters, tags, selectors and lone surrogates
become JSON escapes. What scripts and emoji need stays: one joiner between two characters of a script that
joins or of an emoji, one selector behind a symbol. Tab and line feed stay. Files and git keep their bytes.
"""

from __future__ import annotations

#: Scripts that join, and emoji, begin here; Latin, Greek and Cyrillic need no joiner.
_JOINING = "\u0590"
JOINERS = "\u200c\u200d"
SELECTORS = "\ufe0e\ufe0f"
_KEYCAP = "\u20e3"
#: Printable by its category, and yet nothing to see. What is above `_TAGS` is looked at apart.
_BLANK = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join([chr(code) for code in range(0xFE00, 0xFE10)])
)  # fmt: skip
_TAGS = "\U000e0000"
#: Everything that is never plain text, as the inside of a character class.
CLASS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_FIRST = "\x7f"  # nothing below it but controls is in the class


def visible(text: str) -> str:
    """Write what a terminal or a reader would obey, or not see, as JSON escapes it."""
    return text if is_plain(text) else _slowly(text)


def is_plain(text: str) -> bool:
    """Tell whether a text surely holds nothing that is unseen; False where it has to be looked at."""
    bare = text.replace("\n", "").replace("\t", "")
    if not bare.isprintable():
        return False
    return bare.isascii() or (
        not any(char in bare for char in _BLANK) and b"\xf3\xa0" not in bare.encode()
    )


def _slowly(text: str) -> str:
    import re

    def written(found: re.Match[str]) -> str:
        at = found.start()
        return found[0] if _belongs(text, at) else escaped(ord(found[0]))

    return re.sub(f"[{CLASS}]", written, text)


def escaped(code: int) -> str:
    """Write a character as JSON does."""
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _belongs(text: str, at: int) -> bool:
    """Tell whether a joiner or a selector does what it is there for: it stands alone."""
    char = text[at]
    if not at or char not in JOINERS + SELECTORS:
        return False
    before, behind = text[at - 1], text[at + 1 : at + 2]
    if char in SELECTORS:
        return behind == _KEYCAP if before in "0123456789#*" else _is_symbol(before)
    if before in SELECTORS:  # `heart, selector, joiner, fire`
        return at > 1 and _belongs(text, at - 1) and _joins(behind)
    return _joins(before) and _joins(behind)


def _joins(char: str) -> bool:
    """Tell whether a joiner may stand beside a character: a letter of a script that joins, an emoji."""
    from unicodedata import category

    return char >= _JOINING and char not in _BLANK and category(char)[0] in "LMS" and char < _TAGS


def _is_symbol(char: str) -> bool:
    """Tell whether a selector may follow: it says how a symbol is drawn."""
    from unicodedata import category

    return (
        char >= "\xa0" and char not in _BLANK and category(char) in ("So", "Sm", "Po", "Sk", "Pd")
    )
