r"""Undo what masks a secret: colours and unseen characters removed, escapes decoded, parts joined.

A secret keeps its worth behind `ghp\_…`, `\u0067hp_…`, `"ghp" + "_…"` or a line that a terminal broke. So
it is also looked for in a view of the text, and each place of the view is told as one of the text itself.
Nothing here backtracks: every mark is found by `str.find`, and each look behind or ahead has a limit
(fault:G23, fault:L10).
"""

from __future__ import annotations

from itertools import accumulate

from ledger.escape import is_plain, unseen_in
from ledger.secrets.text_view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: What stands in the place of characters from a start up to an end.
Edit = tuple[int, int, str]
#: How often a view is unmasked again: `\\u001b[31m` is an escape of an escape.
_ROUNDS = 3
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_BLANKS = {"n": "\n", "r": "\n", "t": "\t"}
_HEX = frozenset("0123456789abcdefABCDEF")
_QUOTES = "\"'`"
#: What joins two strings; nothing at all does, too, and a line that ends in a backslash.
_JOINTS = frozenset(("", "+", ".", "..", "++", "||", "&", "<>", "~", "\\", "%", "+=", "_"))
#: What may stand right behind a string that is joined with the next one.
_BEHIND = frozenset(" \t\n\"'+.|&<>~\\%_")
_ESC = "\x1b"
_NAMED = {
    "amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "lowbar": "_", "UnderBar": "_",
    "hyphen": "-", "dash": "-", "period": ".", "sol": "/", "colon": ":", "equals": "=", "plus": "+",
    "commat": "@", "dollar": "$", "percnt": "%", "num": "#", "excl": "!", "ast": "*", "quest": "?",
    "semi": ";", "bsol": "\\", "Hat": "^", "tilde": "~", "nbsp": " ", "shy": "", "zwj": "", "zwnj": "",
    "ZeroWidthSpace": "", "NoBreak": "", "NewLine": "\n", "Tab": "\t", "lpar": "(", "rpar": ")",
}  # fmt: skip


def unmasked(text: str) -> tuple[str, list[View]]:
    """Unmask a text; return what it says and the views that lead there, none where nothing was masked."""
    views: list[View] = []
    for _ in range(_ROUNDS):
        edits = _edits(text)
        if not edits:
            break
        views.append(_view(text, edits))
        text = views[-1].text
    return text, views


def _view(text: str, edits: list[Edit]) -> View:
    """Carry out edits; of two that overlap the first counts."""
    edits.sort()
    pieces: list[str] = []
    origins: list[int] = []
    ends: list[int] = []
    at = 0
    for start, end, said in edits:
        if start < at:
            continue
        if start > at:
            pieces.append(text[at:start])
            origins.append(at)
            ends.append(start)
        if said:
            pieces.append(said)
            origins.append(start)
            ends.append(end)
        at = end
    if at < len(text):
        pieces.append(text[at:])
        origins.append(at)
        ends.append(len(text))
    starts = list(accumulate(map(len, pieces[:-1]), initial=0)) if pieces else []
    return View("".join(pieces), starts, origins, ends)


def _edits(text: str) -> list[Edit]:
    found: list[Edit] = []
    if not is_plain(text):
        if _ESC in text:  # what commands a terminal: colours, titles, links
            found += _each(text, _ESC, _sequence)
        if "\x9b" in text:
            found += _each(text, "\x9b", lambda said, at: (at, _parameters(said, at + 1), ""))
        for char in unseen_in(text) - {_ESC, "\x9b", "\r"}:
            found += _each(text, char, lambda _, at: (at, at + 1, ""))
    if "\\" in text:
        found += _each(text, "\\", _escape)
    if "&" in text and ";" in text:
        found += _each(text, "&", _entity)
    if "m" in text and "[" in text:
        found += _each(text, "[", _colour)
    if "<wbr" in text:
        found += _each(text, "<wbr", _break)
    for quote in _QUOTES:
        if quote in text:
            found += _joints(text, quote)
    return found


def _joints(text: str, quote: str) -> Iterator[Edit]:
    """Read what every quote ends; behind most of them stands nothing that joins."""
    at = text.find(quote)
    while at >= 0:
        edit = _joint(text, at) if text[at + 1 : at + 2] in _BEHIND else None
        if edit is not None:
            yield edit
            at = edit[1] - 1
        at = text.find(quote, at + 1)


def _each(text: str, mark: str, read: Callable[[str, int], Edit | None]) -> Iterator[Edit]:
    """Read what every mark begins; what belongs to one is not read again."""
    at = text.find(mark)
    while at >= 0:
        edit = read(text, at)
        if edit is not None:
            yield edit
        at = text.find(mark, edit[1] if edit is not None and edit[1] > at else at + 1)


def _sequence(text: str, at: int) -> Edit:
    kind = text[at + 1 : at + 2]
    if kind == "[":
        return (at, _parameters(text, at + 2), "")
    if kind and kind in "]P_^":
        near = text[at + 2 : at + 514]
        stops = [stop for stop in (near.find("\x07"), near.find(_ESC)) if stop >= 0]
        if stops:
            stop = at + 2 + min(stops)
            return (at, stop + (1 if text[stop] == "\x07" else 2), "")
        return (at, at + 2, "")
    return (at, at + 1 + (kind != "" and kind in "()#%*+"), "")


def _parameters(text: str, at: int) -> int:
    """Return where a control sequence ends whose parameters begin at a place."""
    near = text[at : at + 64]
    size = len(near) - len(near.lstrip("0123456789;:<=>?!\"#$%&'()*+,-./ "))
    return at + size + ("@" <= near[size : size + 1] <= "~")


def _escape(text: str, at: int) -> Edit | None:
    """Decode what a backslash escapes, in markdown, JSON, shells and programming languages."""
    char = text[at + 1 : at + 2]
    if char in _PUNCTUATION:
        return (at, at + 2, char)
    if char in _BLANKS:
        return (at, at + 2, _BLANKS[char])
    if char == "\n":
        near = text[at + 2 : at + 42]
        return (at, at + 2 + len(near) - len(near.lstrip(" \t>")), "")
    if char == "u":
        if text[at + 2 : at + 3] == "{":
            digits = text[at + 3 : at + 12].partition("}")[0]
            return _decoded(at, at + 4 + len(digits), digits)
        return _decoded(at, at + 6, text[at + 2 : at + 6], 4)
    if char == "x":
        return _decoded(at, at + 4, text[at + 2 : at + 4], 2)
    if char == "U":
        return _decoded(at, at + 10, text[at + 2 : at + 10], 8)
    if char == "0" and text[at + 2 : at + 4] == "33":
        return (at, at + 4, _ESC)
    return (at, at + 2, _ESC) if char == "e" and text[at + 2 : at + 3] == "[" else None


def _decoded(start: int, end: int, digits: str, size: int = 0) -> Edit | None:
    if not digits or (size and len(digits) != size) or not _HEX.issuperset(digits):
        return None
    code = int(digits, 16)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return None
    return (start, end, chr(code))


def _entity(text: str, at: int) -> Edit | None:
    """Decode `&#95;`, `&#x5f;` and the names of plain characters."""
    name = text[at + 1 : at + 17].partition(";")[0]
    end = at + len(name) + 2
    if len(name) > 14 or text[end - 1 : end] != ";":
        return None
    if name[:1] != "#":
        said = _NAMED.get(name)
        return None if said is None else (at, end, said)
    digits = name[1:]
    if digits[:1] in ("x", "X"):
        return _decoded(at, end, digits[1:])
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 7:
        return None
    return _decoded(at, end, f"{int(digits):x}")


def _colour(text: str, at: int) -> Edit | None:
    """Take out what is left of a colour whose escape was lost: `[31m`, `^[[0m`."""
    near = text[at + 1 : at + 13]
    size = len(near) - len(near.lstrip("0123456789;"))
    if near[size : size + 1] != "m" or not (size or text[at - 2 : at] == "^["):
        return None
    return (at - 2 if at > 1 and text[at - 2 : at] in ("^[", "␛") else at, at + 2 + size, "")


def _break(text: str, at: int) -> Edit | None:
    end = text.find(">", at, at + 8)
    return (at, end + 1, "") if end >= 0 else None


def _joint(text: str, at: int) -> Edit | None:
    """Join two strings that a program joins: `"a" + "b"`, `'a' 'b'`, `"a" ..` and a new line."""
    near = text[at + 1 : at + 80]
    bare = near.lstrip(" \t\n")
    if not bare:
        return None
    size = 0
    while size < 3 and bare[size : size + 1] in "+.|&<>~\\%=_" and size < len(bare):
        size += 1
    if bare[:size] not in _JOINTS:
        return None
    rest = bare[size:].lstrip(" \t\n\\")
    if rest[:1] in tuple("bfru") and rest[1:2] in tuple(_QUOTES):
        rest = rest[1:]
    if rest[:1] not in tuple(_QUOTES):
        return None
    end = at + 1 + len(near) - len(rest) + 1
    if not size:  # side by side only where both are words in the same quotes
        gap = text[at + 1 : end - 1]
        same = text[end - 1] == text[at] != "`" and "\n\n" not in gap
        if not (same and is_word(text[at - 1 : at]) and is_word(text[end : end + 1])):
            return None
    return (at, end, "")


def is_word(char: str) -> bool:
    """Tell whether a character may stand in a token."""
    return char.isalnum() or (char != "" and char in "_-./+=%~:@!$")
