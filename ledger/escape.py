"""Make visible what nobody can see in a text, or what a terminal obeys.

Everything that leaves towards a terminal, a model or a browser goes through `visible`: control
characters, marks and overrides of direction, zero-width and filling characters, tags, selectors and lone
surrogates become JSON escapes, on pages their numbers (P6). What scripts and emoji need stays: one joiner
between two characters of a script that joins or of an emoji, one selector behind a symbol. Tab and line
feed stay. Files and git keep their bytes.

A mark of direction stays beside a letter that is written from right to left, with nothing but blanks and
punctuation between: it does no more than the letter does. Where nobody writes so, it would turn round what
follows it, and is written visibly, as every override is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


#: Scripts that join, and emoji, begin here; Latin, Greek and Cyrillic need no joiner.
_JOINING = "\u0590"
_JOINERS, _SELECTORS = "\u200c\u200d", "\ufe0e\ufe0f"
#: To the left, to the right, and to the right as Arabic letters are.
MARKS = "\u200e\u200f\u061c"
_CONTEXT = frozenset(_JOINERS + _SELECTORS + MARKS)
#: What letters are by their direction, and what takes on that of the letter beside it.
_RIGHT_TO_LEFT, _NEUTRAL = ("R", "AL"), ("WS", "ON", "ES", "ET", "CS", "NSM")
_KEYCAP = "\u20e3"
#: Printable by their category, and yet nothing to see.
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join([chr(code) for code in range(0xFE00, 0xFE10)])
)
#: Not printable by their category, and yet what they seem: blanks of some width.
_BLANKS = frozenset(
    "\n\t\xa0\u1680\u202f\u205f\u3000" + "".join([chr(code) for code in range(0x2000, 0x200B)])
)
_TAG_BYTES = b"\xf3\xa0"  # how tags begin in UTF-8
_CONTROLS = bytes([code for code in (*range(32), 127) if chr(code) not in "\n\t"])
_TAGS = "\U000e0000"  # from here on nothing can be seen


def visible(text: str, written: Callable[[int], str] | None = None) -> str:
    """Write what a terminal or a reader would obey, or not see, as JSON escapes it.

    `written` tells how, by a character's number, if not as JSON does.
    """
    if is_plain(text):
        return text
    unseen = unseen_in(text)
    if not unseen:
        return text
    written = written or escaped
    if not unseen.isdisjoint(_CONTEXT):
        kept = [char not in _CONTEXT or _belongs(text, at) for at, char in enumerate(text)]
        pairs = zip(text, kept, strict=True)
        text = "".join([char if keeps else written(ord(char)) for char, keeps in pairs])
    return text.translate({ord(char): written(ord(char)) for char in unseen - _CONTEXT})


def prose(text: str) -> str:
    """Make a text from outside (a path, a commit's subject) safe to stand in a log's prose: one line."""
    kept = "".join([char if char.isprintable() else " " for char in text])
    return " ".join(kept.split()).replace("<!", "< !").replace("-->", "-- >")


def is_plain(text: str) -> bool:
    """Tell whether a text surely holds nothing that is unseen; False where it has to be looked at."""
    if text.isascii():
        data = text.encode()
        return len(data.translate(None, _CONTROLS)) == len(data)
    bare = text.replace("\n", "").replace("\t", "")
    if not bare.isprintable():
        return False
    return not [char for char in _BLANK if char in bare] and _TAG_BYTES not in bare.encode()


def unseen_in(text: str) -> set[str]:
    """Return the characters of a text that are unseen, also those that may belong where they stand."""
    return {
        char
        for char in set(text)
        if (not char.isprintable() and char not in _BLANKS) or char in _BLANK or char >= _TAGS
    }


def escaped(code: int) -> str:
    """Write a character as JSON does."""
    halves = chr(code).encode("utf-16-be", "surrogatepass").hex()
    return "".join([f"\\u{halves[at : at + 4]}" for at in range(0, len(halves), 4)])


def numbered(code: int) -> str:
    """Write a character by its number, as people look it up: `⟨U+202E⟩`."""
    return f"⟨U+{code:04X}⟩"


def _belongs(text: str, at: int) -> bool:
    """Tell whether a joiner, a selector or a mark does what it is there for: it stands alone."""
    char = text[at]
    if char in MARKS:
        return _turns_nothing(text, at)
    if not at or char not in _CONTEXT:
        return False
    before, behind = text[at - 1], text[at + 1 : at + 2]
    if char in _SELECTORS:
        return behind == _KEYCAP if before in "0123456789#*" else _is_symbol(before)
    if before in _SELECTORS:  # `heart, selector, joiner, fire`
        return at > 1 and _belongs(text, at - 1) and _joins(behind)
    return _joins(before) and _joins(behind)


def _turns_nothing(text: str, at: int) -> bool:
    """Tell whether a mark of direction stands by a letter that is written from right to left."""
    if not _CONTEXT.isdisjoint(text[max(at - 1, 0) : at] + text[at + 1 : at + 2]):
        return False
    found = _letter(text, range(at - 1, -1, -1)), _letter(text, range(at + 1, len(text)))
    return "AL" in found or (text[at] != MARKS[-1] and "R" in found)


def _letter(text: str, places: range) -> str:
    """Return the direction of the first letter written from right to left, "" if another comes first."""
    from unicodedata import bidirectional

    for place in places:
        direction = bidirectional(text[place])
        if unseen_in(text[place]):  # a mark, or what is written as Latin letters
            return ""
        if direction in _RIGHT_TO_LEFT:
            return direction
        if direction not in _NEUTRAL:
            return ""
    return ""


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
