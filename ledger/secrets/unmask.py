r"""Undo what masks a secret: colours and unseen characters removed, escapes decoded, parts joined.

A secret keeps its worth behind `ghp\_…`, `\u0067hp_…`, `"ghp" + "_…"` or a line that a terminal broke. So
it is also looked for in a view of the text, and each place of the view is told as one of the text itself.
Nothing here backtracks: every mark is found by `str.find`, and each look behind or ahead has a limit
(fault:G23, fault:L10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate

from ledger.escape import is_plain, unseen_in
from ledger.secrets.match import View
from ledger.secrets.vendor_tokens import MARKS

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
    while len(views) < _ROUNDS and (edits := _edits(text)):
        views.append(_view(text, edits))
        text = views[-1].text
    return text, views


def _view(text: str, edits: list[Edit]) -> View:
    """Carry out edits; of two that overlap the first counts."""
    pieces: list[str] = []
    origins: list[int] = []
    ends: list[int] = []
    at = 0
    for start, end, said in [*sorted(edits), (len(text), len(text), "")]:
        if start >= at:
            pieces += (text[at:start], said)
            origins += (at, start)
            ends += (start, end)
            at = end
    starts = list(accumulate(map(len, pieces), initial=0))
    return View("".join(pieces), starts, origins, ends)


def _edits(text: str) -> list[Edit]:
    found = [
        *_each(text, "\\", _escape),
        *_each(text, "&", _entity),
        *_each(text, "[", _colour),
        *_each(text, "<wbr", _break),
    ]
    for quote in _QUOTES:
        found += _each(text, quote, _joint)
    if not is_plain(text):
        found += _each(text, _ESC, _sequence)  # what commands a terminal: colours, titles, links
        found += _each(text, "\x9b", lambda said, at: (at, _parameters(said, at + 1), ""))
        for char in unseen_in(text) - {_ESC, "\x9b", "\r"}:
            found += _each(text, char, lambda _, at: (at, at + 1, ""))
    return found


def _each(text: str, mark: str, read: Callable[[str, int], Edit | None]) -> Iterator[Edit]:
    """Read what every mark begins; what belongs to one is not read again."""
    at = text.find(mark)
    while at >= 0:
        edit = read(text, at)
        if edit is not None:
            yield edit
        at = text.find(mark, edit[1] if edit is not None else at + 1)


def _sequence(text: str, at: int) -> Edit:
    kind = text[at + 1 : at + 2]
    if kind == "[":
        return (at, _parameters(text, at + 2), "")
    if kind in tuple("]P_^"):
        near = text[at + 2 : at + 514]
        stops = [stop for stop in (near.find("\x07"), near.find(_ESC)) if stop >= 0]
        if stops:
            stop = at + 2 + min(stops)
            return (at, stop + (1 if text[stop] == "\x07" else 2), "")
        return (at, at + 2, "")
    if kind in tuple("()#%*+"):  # another set of characters, by its name: `(B`
        return (at, at + 2 + text[at + 2 : at + 3].isalnum(), "")
    return (at, at + 1, "")


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
    if text[end - 1 : end] != ";":
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
    lead = 2 if text.endswith("^[", 0, at) else int(text.endswith("␛", 0, at))
    if near[size : size + 1] != "m" or not (size or lead):
        return None
    return (at - lead, at + 2 + size, "")


def _break(text: str, at: int) -> Edit | None:
    name, closed, _ = text[at : at + 8].partition(">")
    return (at, at + len(name) + 1, "") if closed else None


def _joint(text: str, at: int) -> Edit | None:
    """Join two strings that a program joins: `"a" + "b"`, `'a' 'b'`, `"a" ..` and a new line."""
    if text[at + 1 : at + 2] not in _BEHIND:
        return None  # as behind most quotes
    near = text[at + 1 : at + 80]
    bare = near.lstrip(" \t\n")
    size = len(bare) - len(bare.lstrip("+.|&<>~\\%=_"))
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
    return char.isalnum() or char in tuple("_-./+=%~:@!$")


_DIGITS = frozenset("0123456789")
#: How tokens begin: what follows such a line break is no rest of the word before it.
_FRONTS = frozenset([mark[:3] for mark, *_ in MARKS])


def chained(text: str) -> View | None:
    """Join what a line break cut: the last word of a line with the first of the next one.

    Two plain words are not joined, nor is what ends or begins a list, a sentence or a quotation.

    Returns:
        A view of nothing but what was joined, each on its own line; None when there is nothing.
    """
    pieces: list[str] = []
    origins: list[int] = []
    at, joined = 0, -1
    for end in _possible_cuts(text):
        begin, head_end = _head(text, end + 1)
        start = _tail(text, max(at, end - _TAIL), end)
        if not _is_cut(text[start:end], text[begin:head_end]):
            continue
        if joined != end:
            context = text.rfind("\n", max(0, end - _CONTEXT), end) + 1 or max(0, end - _CONTEXT)
            if pieces:
                pieces.append("\n\n")
                origins.append(end)
            pieces.append(text[max(context, at) : end])
            origins.append(max(context, at))
        pieces.append(text[begin:head_end])
        origins.append(begin)
        at, joined = begin, head_end
    if not pieces:
        return None
    starts = list(accumulate(map(len, pieces), initial=0))
    ends = [at + len(piece) for at, piece in zip(origins, pieces, strict=True)]
    return View("".join(pieces), starts, origins, ends)


#: How far a word is looked at, and how much stands before it on its line that may say what it is.
_TAIL, _CONTEXT, _HEAD = 300, 400, 300


#: What surely ends no word, nor begins one behind the blanks of a line.
_NO_WORD = frozenset("\n`,;)]}|#*")
#: What begins a line of markdown, and nothing at all.
_MARKERS = frozenset(("", "-", "*", "+", "#", "##", "###", "---", "```", "<!--"))


def _possible_cuts(text: str) -> list[int]:
    """Return the line breaks between two words of which one may be a piece of something drawn."""
    if "\n" not in text:
        return []
    lines = text.split("\n")
    last = [line[line.rfind(" ") + 1 :] for line in lines]
    first = [line.lstrip(" \t>").partition(" ")[0] for line in lines]
    fragments = {word for word in {*last, *first} if _is_fragment(word)}
    if not fragments:
        return []
    ends = accumulate(map(len, lines), lambda end, size: end + 1 + size)
    return [
        end
        for end, tail, head in zip(ends, last, first[1:], strict=False)
        if (tail in fragments or head in fragments)
        and head not in _MARKERS
        and not (head[-1] == ":" and head[:-1].isalpha() and head.islower())  # a header's name
        and end
        and text[end - 1] not in _NO_WORD
        and text[end + 1 : end + 2] not in _NO_WORD
    ]


def _tail(text: str, start: int, end: int) -> int:
    """Return where the last word of a line begins."""
    word = text[start:end]
    for sign in " \n|\t":
        word = word.rpartition(sign)[2]
    return end - len(word)


def _head(text: str, start: int) -> tuple[int, int]:
    """Return where the first word of a line begins and ends, behind blanks and marks of a quotation."""
    near = text[start : start + 24]
    begin = start + len(near) - len(near.lstrip(" \t>"))
    word = text[begin : begin + _HEAD]
    for sign in " \n|\t":
        word = word.partition(sign)[0]
    return begin, begin + len(word)


def _is_cut(tail: str, head: str) -> bool:
    """Tell whether the last word of a line and the first one of the next may be one word."""
    if len(tail) + len(head) < 8 or not (_is_fragment(tail) or _is_fragment(head)):
        return False
    if not (is_word(tail[-1:]) and is_word(head[:1])):
        return False
    if head[:3] in _FRONTS or _is_label(head):
        return False  # a token of its own, or what a program writes before a line
    if head[:6] == tail[:6]:
        return False  # the next one of a list
    is_item = len(head) < 5 and not head.strip("-*+.0123456789)") and head[-1] in "-*+.)"
    return not is_item


def _is_label(head: str) -> bool:
    """Tell whether a line begins with its number, its file or its time: `988→`, `2026-06-18T…`."""
    number = head.rstrip("→:|")
    date = head[:10].replace("-", "")
    return (
        head.startswith("./")
        or (number != head and number.isdigit())
        or (len(date) == 8 and date.isdigit() and head[4] == head[7] == "-")
        or (head[:1].isdigit() and head.lstrip("0123456789")[:1] in ("→", ":"))
    )


def _is_fragment(word: str) -> bool:
    """Tell whether a word may be a piece of something drawn: it has digits, or mixes capitals in."""
    bare = word.strip(".,;:!?()[]\"'`*_-=#<>")
    if bare.islower() or bare.isupper() or bare.istitle():
        return not _DIGITS.isdisjoint(bare)
    return bare != ""
