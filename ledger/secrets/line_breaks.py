"""Join what line breaks cut: the view of a text in which a token that a terminal broke is whole."""

from __future__ import annotations

from itertools import accumulate

from ledger.secrets.text_view import View
from ledger.secrets.unmask import is_word
from ledger.secrets.vendor_tokens import MARKS

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
    fragments: dict[str, bool] = {}
    at, joined = 0, -1
    for end in _possible_cuts(text):
        begin, head_end = _head(text, end + 1)
        start = _tail(text, max(at, end - _TAIL), end)
        if not _is_cut(text[start:end], text[begin:head_end], fragments):
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
    starts = list(accumulate(map(len, pieces[:-1]), initial=0))
    ends = [at + len(piece) for at, piece in zip(origins, pieces, strict=True)]
    return View("".join(pieces), starts, origins, ends)


#: How far a word is looked at, and how much stands before it on its line that may say what it is.
_TAIL, _CONTEXT, _HEAD = 300, 400, 300


#: What surely ends no word, nor begins one behind the blanks of a line.
_NO_WORD = frozenset("\n`,;)]}|#*")
_PLAIN_ENDS = frozenset(".,:;abcdefghijklmnopqrstuvwxyz")
#: What begins a line of markdown, and nothing at all.
_MARKERS = frozenset(("", "-", "*", "+", "#", "##", "###", "---", "```", "<!--"))
#: What stands before the first word of a line; so does the end of the text.
_MARGIN = frozenset(("", " ", "\t", ">"))


def _possible_cuts(text: str) -> list[int]:
    """Return the line breaks between two words of which one may be a piece of something drawn."""
    if "\n" not in text:
        return []
    lines = text.split("\n")
    last = [line[line.rfind(" ") + 1 :] for line in lines]
    first = [line.lstrip(" \t>").partition(" ")[0] for line in lines]
    fragments = {
        word
        for word in {*last, *first}
        if not (word[:-1].isalpha() and word[1:-1].islower() and word[-1] in _PLAIN_ENDS)
        and _is_fragment(word)
    }
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
    start = text.rfind("\n", start, end) + 1 or start
    start = text.rfind(" ", start, end) + 1 or start
    start = text.rfind("|", start, end) + 1 or start
    return text.rfind("\t", start, end) + 1 or start


def _head(text: str, start: int) -> tuple[int, int]:
    """Return where the first word of a line begins and ends, behind blanks and marks of a quotation."""
    begin = start
    if text[start : start + 1] in _MARGIN:
        near = text[start : start + 24]
        begin += len(near) - len(near.lstrip(" \t>"))
    end = min(begin + _HEAD, len(text))
    for char in " \n|\t":
        stop = text.find(char, begin, end)
        end = stop if stop >= 0 else end
    return begin, end


def _is_cut(tail: str, head: str, fragments: dict[str, bool]) -> bool:
    """Tell whether the last word of a line and the first one of the next may be one word.

    `fragments` is what is known of words; what is looked at is added.
    """
    if not tail or not head or len(tail) + len(head) < 8:
        return False
    if tail not in fragments:
        fragments[tail] = _is_fragment(tail)
    if head not in fragments:
        fragments[head] = _is_fragment(head)
    if not (fragments[tail] or fragments[head]):
        return False
    if not (is_word(tail[-1]) and is_word(head[0])):
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
