r"""Undo what masks a secret: colours and unseen characters removed, escapes decoded, parts joined.

A secret keeps its worth behind `ghp\_…`, `\u0067hp_…`, `"ghp" + "_…"` or a line that a terminal broke. So
it is also looked for in a view of the text, and each place of the view is told as one of the text itself.
Each repeat has a limit, so that no text takes more than its length (fault:G23, fault:L10).
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

from ledger.escape import is_plain, unseen_in
from ledger.secrets.match import View, expression
from ledger.secrets.vendor_tokens import MARKS

#: What stands in the place of characters from a start up to an end.
Edit = tuple[int, int, str]
#: How often a view is unmasked again: `\\u001b[31m` is an escape of an escape.
_ROUNDS = 3
_NAMED = {
    "amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "lowbar": "_", "UnderBar": "_",
    "hyphen": "-", "dash": "-", "period": ".", "sol": "/", "colon": ":", "equals": "=", "plus": "+",
    "commat": "@", "dollar": "$", "percnt": "%", "num": "#", "excl": "!", "ast": "*", "quest": "?",
    "semi": ";", "bsol": "\\", "Hat": "^", "tilde": "~", "nbsp": " ", "shy": "", "zwj": "", "zwnj": "",
    "ZeroWidthSpace": "", "NoBreak": "", "NewLine": "\n", "Tab": "\t", "lpar": "(", "rpar": ")",
}  # fmt: skip


_BLANKS = {"n": "\n", "r": "\n", "t": "\t", "033": "\x1b", "e": "\x1b"}
#: What joins two strings; nothing at all does, too, and a line that ends in a backslash.
_JOINTS = frozenset(("", "+", ".", "..", "++", "||", "&", "<>", "~", "\\", "%", "+=", "_"))
#: What masks a text, each of its own kind: an escape, an entity, a sequence that commands a terminal, what
#: is left of one whose escape was lost, and the end of a string behind which another begins.
_MASKS = expression(
    r"""[\\&\x1b\x9b^␛\[<"'`](?:
    (?<=\\)(?:(?P<sign>[!-/:-@\[-`{-~])|\n[ \t>]{0,40}
      |(?:u(?:\{(?=[^}]{1,8}\})|(?=[0-9a-fA-F]{4}))|x(?=[0-9a-fA-F]{2})|U(?=[0-9a-fA-F]{8}))(?P<hex>
        (?<=u)[0-9a-fA-F]{4}|(?<=\{)[0-9a-fA-F]{1,8}(?=\})|(?<=x)..|(?<=U).{8})\}?
      |(?P<blank>[nrt]|033|e(?=\[)))
    |(?<=&)(?:\#(?P<number>\d{1,7})|\#[xX](?P<entity>[0-9a-fA-F]{1,13})|(?P<name>[A-Za-z]{2,15}));
    |(?:(?<=\x1b)\[|(?<=\x9b))[0-9;:<=>?!"\#$%&'()*+,./\ -]{0,64}[@-~]?
    |(?<=\x1b)(?:[\]P_^](?:[^\x07\x1b]{0,511}(?:\x07|\x1b.?))?|[()\#%*+][^\W_]?|)
    |(?<=\^)\[\[[\d;]{0,11}m|(?<=␛)\[[\d;]{0,11}m|(?<=\[)[\d;]{1,11}m|(?<=<)wbr[^>]{0,3}>
    |(?<=["'`])(?=[ \t\n"'+.|&<>~\\%_])[ \t\n]{0,75}(?P<joint>[+.|&<>~\\%=_]{0,9})
      [ \t\n\\]{0,40}(?:[bfru](?=["'`]))?["'`])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


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
    edits: list[Edit] = []
    found = _MASKS.search(text)
    while found is not None:
        said = _said(found, text)
        edits += [] if said is None else [(*found.span(), said)]
        found = _MASKS.search(text, found.start() + 1 if said is None else found.end())
    if not is_plain(text):
        unseen = unseen_in(text) - {"\x1b", "\x9b", "\r"}
        edits += [(at, at + 1, "") for at, char in enumerate(text) if char in unseen]
    return edits


def _said(found: re.Match[str], text: str) -> str | None:
    """Return what is meant by a mask, "" where it is only in the way; None where it is none."""
    kind, said = found.lastgroup, found[found.lastgroup or 0]
    if kind in ("hex", "entity", "number"):
        code = int(said, 10 if kind == "number" else 16)
        return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else None
    if kind == "joint":
        if said or said not in _JOINTS:
            return "" if said in _JOINTS else None
        # side by side only where both are words in the same quotes
        start, end = found.span()
        same = text[start] == text[end - 1] != "`" and "\n\n" not in found[0]
        words = is_word(text[start - 1 : start]) and is_word(text[end : end + 1])
        return "" if same and words else None
    if kind == "name":
        return _NAMED.get(said)
    return _BLANKS[said] if kind == "blank" else said if kind == "sign" else ""


def is_word(char: str) -> bool:
    """Tell whether a character may stand in a token."""
    return char.isalnum() or char in tuple("_-./+=%~:@!$")


#: The last word of a line, and the first of the next one behind blanks and marks of a quotation.
_TAIL, _HEAD = expression(r"[^ \n|\t]{1,300}\Z"), expression(r"[ \t>]{0,24}([^ \n|\t]{1,300})")
#: How much stands before a cut word on its line that may say what it is.
_CONTEXT = 400
#: How tokens begin: what follows such a line break is no rest of the word before it.
_FRONTS = tuple([mark for mark, *_ in MARKS])
#: What begins a line that is no rest of another: a header's name, the mark of a list, a place or a time.
_BEGINS = expression(
    r"[a-z]+:\Z|[-*+.0-9)]{0,3}[-*+.)]\Z|\./|\d+[→:|]*(?<=[→:|])\Z|\d+[→:]|\d{4}-\d\d-\d\d",
    re.ASCII,
)


def chained(text: str) -> View | None:
    """Join what a line break cut: the last word of a line with the first of the next one.

    Two plain words are not joined, nor is what ends or begins a list, a sentence or a quotation.

    Returns:
        A view of nothing but what was joined, each on its own line; None when there is nothing.
    """
    pieces: list[str] = []
    origins: list[int] = []
    at, joined, end = 0, -1, -1
    for line, after in pairwise(text.split("\n")):
        end += 1 + len(line)
        tail, head = _TAIL.search(line, max(0, len(line) - 300)), _HEAD.match(after)
        if tail is None or head is None or not _is_cut(tail[0], head[1]):
            continue
        begin, stop = end + 1 + head.start(1), end + 1 + head.end(1)
        if joined != end:
            context = max(end - len(line), end - _CONTEXT, at)
            pieces += ["\n\n"] * bool(pieces) + [text[context:end]]
            origins += [end] * bool(origins) + [context]
        pieces.append(text[begin:stop])
        origins.append(begin)
        at, joined = begin, stop
    if not pieces:
        return None
    starts = list(accumulate(map(len, pieces), initial=0))
    ends = [at + len(piece) for at, piece in zip(origins, pieces, strict=True)]
    return View("".join(pieces), starts, origins, ends)


def _is_cut(tail: str, head: str) -> bool:
    """Tell whether the last word of a line and the first one of the next may be one word."""
    return (
        len(tail) + len(head) > 7
        and is_word(tail[-1])
        and is_word(head[0])
        and (_is_fragment(tail) or _is_fragment(head))
        and not head.startswith(_FRONTS)  # a token of its own
        and head[:6] != tail[:6]  # the next one of a list
        and not _BEGINS.match(head)
    )


def _is_fragment(word: str) -> bool:
    """Tell whether a word may be a piece of something drawn: it has digits, or mixes capitals in."""
    bare = word.strip(".,;:!?()[]\"'`*_-=#<>")
    if bare.islower() or bare.isupper() or bare.istitle():
        return any(map(str.isdigit, bare))
    return bare != ""
