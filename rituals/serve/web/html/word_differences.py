"""Show what differs between two texts, and mark words in what is written as HTML already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from projection.text.fuzzy import common_runs
from rituals.serve.web.html.html_markdown import block

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_BLOCK_END = re.compile(r"</(?:p|li|h3|td|th|tr|pre|blockquote)>|<br ?/?>")
#: Ends of blocks that follow each other.
_ENDS = re.compile(r" ?\0[\0 ]*")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
#: What two texts may have of pairs of words to be compared by words, else by lines: 12 MB, 30 ms.
_MOST_PAIRS = 100_000_000
#: Of what stayed the same so much is shown beside a change.
_AROUND_CHARS = 160

SAME, GONE, NEW = "", "del", "ins"


def word_differences(before: str, after: str) -> Markup:
    """Write the words of a text with what is new in it and what is gone from it, as people read them."""
    old, new = words_of(before), words_of(after)
    if old == new:
        return Markup('<span class="gap">The same words; they are set otherwise.</span>')
    found = differences(old, new)
    last = len(found) - 1
    return Markup("").join(
        Markup("<{0}>{1}</{0}>").format(kind, text) if kind else _near(text, at > 0, at < last)
        for at, (kind, text) in enumerate(found)
    )


def words_of(text: str) -> str:
    """Return what people read of markdown: a line a paragraph, however it was wrapped."""
    ended = _BLOCK_END.sub("\0", block(text))
    return _ENDS.sub("\n", Markup(ended).striptags()).strip()  # noqa: S704 - its tags are taken out


def differences(before: str, after: str) -> list[tuple[str, str]]:
    """Return what stayed, went and came, in the order of the text: (`SAME`, `GONE` or `NEW`, words)."""
    for unit in (_WORD, _LINE):
        old, new = unit.findall(before), unit.findall(after)
        start = _alike(old, new)
        end = _alike(old[start:][::-1], new[start:][::-1])
        gone, came = old[start : len(old) - end], new[start : len(new) - end]
        if len(gone) * len(came) <= _MOST_PAIRS:
            runs = common_runs(gone, came)
            break
    else:
        runs = []
    found = [(SAME, "".join(old[:start])), *_parts(gone, came, runs)]
    return _joined([*found, (SAME, "".join(old[len(old) - end :]))])


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """Count what two sequences have in common from their start on."""
    pairs = zip(old, new, strict=False)
    unlike = (at for at, (one, other) in enumerate(pairs) if one != other)
    return next(unlike, min(len(old), len(new)))


def _parts(
    old: Sequence[str], new: Sequence[str], runs: Sequence[tuple[int, int, int]]
) -> Iterable[tuple[str, str]]:
    here, there = 0, 0
    for at, to, size in [*runs, (len(old), len(new), 0)]:
        yield GONE, "".join(old[here:at])
        yield NEW, "".join(new[there:to])
        yield SAME, "".join(old[at : at + size])
        here, there = at + size, to + size


def _joined(parts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join changes between which only blanks stayed the same: they read as one."""
    found: list[tuple[str, str]] = []
    gone, new, blank = "", "", ""
    for kind, text in [*parts, (SAME, "")]:
        if kind == SAME and (gone or new) and text and text.isspace():
            blank += text
        elif kind == SAME and text:
            found += [(GONE, gone), (NEW, new), (SAME, blank + text)]
            gone, new, blank = "", "", ""
        elif kind and text:
            gone, new = gone + blank, new + blank
            blank = ""
            gone, new = (gone + text, new) if kind == GONE else (gone, new + text)
    found += [(GONE, gone), (NEW, new), (SAME, blank)]
    return [one for one in found if one[1]]


def _near(text: str, behind_change: bool, before_change: bool) -> Markup:
    """Leave out the middle of what stayed the same: only what stands beside a change is looked at."""
    if len(text) <= 2 * _AROUND_CHARS or not (behind_change or before_change):
        return escape(text)
    head, tail = text[:_AROUND_CHARS], text[-_AROUND_CHARS:]
    head = (head.rpartition(" ")[0] or head) if behind_change else ""
    tail = (tail.partition(" ")[2] or tail) if before_change else ""
    return Markup('{}<span class="gap"> … </span>{}').format(head, tail)


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
