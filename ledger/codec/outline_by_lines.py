"""Find the top-level `## ` headings of a document line by line, and the lines that are fenced code.

A heading that starts in column 0 closes every list and quote, so only three things can hide it: a
closed fence, a closed HTML block (comments among them) at the document's top level, and an HTML
block that runs to a blank line. This module decides all of that exactly or says that it can not
(an indented opener may belong to a list item); then `ledger.codec.outline` is asked. Both
keep one rule of the format: a fence or comment that is never closed is a finding and hides nothing.
Reading goes on behind its opener as if the document began there. A `-->` that ends a comment begun on its
own line (a footer) closes no comment above it, so a forgotten `-->` can not swallow the facts.
To a reader of prose (`prose_lines`) a fence may be indented by any number of columns, as it is in an
item of a list.

Lines hold no line break and no NUL. Keeps invariants S1 to S4 of FORMAT.md. Linear in the input.
"""

from __future__ import annotations

from _collections_abc import Sequence

from ledger.model.record import Record

#: HTML block starts that end at a blank line (CommonMark 0.31.2, type 6).
_BLOCK_TAGS = frozenset(
    "address article aside base basefont blockquote body caption center col colgroup dd details "
    "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option "
    "p param search section summary table tbody td tfoot th thead title tr track ul".split()
)
_RAW_TAGS = ("script", "pre", "style", "textarea")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
_ENDS = {2: "-->", 3: "?>", 4: ">", 5: "]]>"}
_TO_BLANK, _MAYBE = 6, 7


#: Stands for a line over the limit; no real line is equal to it.
OVERLONG = "\x00"


class Outline(Record):
    """The top-level headings of level 2, and what hides lines or fails to.

    `headings` are (line index, title); `hidden` half-open ranges of line indexes that are code or
    HTML of more than one line; `unclosed` (code of the finding, line index).
    """

    headings: tuple[tuple[int, str], ...]
    hidden: tuple[tuple[int, int], ...]
    unclosed: tuple[tuple[str, int], ...]


def outline_by_lines(lines: list[str], start: int = 0, *, guess: bool = False) -> Outline | None:
    """Find the top-level headings line by line, or return None when in doubt.

    `start` is the index of the first line to look at. With `guess` there is no doubt: what is doubtful
    hides nothing and is no heading.
    """
    headings: list[tuple[int, str]] = []
    hidden: list[tuple[int, int]] = []
    unclosed: list[tuple[str, int]] = []
    fences = Fences(lines)
    endless: set[int] = set()
    pad = ""  # indentation of the list item that surely is open, or ""
    after_blank = True
    index, count = start, len(lines)
    while index < count:
        line = lines[index]
        text = line.lstrip(" \t")
        if not text:
            after_blank = True
            index += 1
            continue
        char = text[0]
        following, item = index + 1, ""
        if len(text) != len(line):
            # what is indented to an open item belongs to it and can hide nothing outside
            blanks = line[: -len(text)]
            if not (pad and line.startswith(pad)):
                pad = ""
                if not guess and _may_hide(blanks, text, lines, index):
                    return None
            item = pad
        elif char == "#":
            if line[:2] == "##" and line[2:3] in ("", " ", "\t"):
                headings.append((index, title_of(line)))
        elif char == "`" or char == "~":
            if fence_length(line):
                following = fences.end(index)
                if following:
                    hidden.append((index, following))
                else:
                    unclosed.append(("unclosed-fence", index))
                    following = index + 1
        elif char == "<":
            following = _behind_html(lines, index, guess, endless)
            if following < 0:
                return None
            if not following:
                unclosed.append(("unclosed-comment", index))
                following = index + 1
            elif following - index > 1:
                hidden.append((index, following))
        elif char in "-*+0123456789":
            item = _item(line, after_blank or pad != "")
        pad = item
        after_blank = False
        index = following
    return Outline(tuple(headings), tuple(hidden), tuple(unclosed))


def _behind_html(lines: list[str], index: int, guess: bool, endless: set[int]) -> int:
    """Return the index behind the HTML that a line opens: 0 where it never ends, -1 in doubt.

    `guess`: never doubt. `endless` are the kinds that are known to end nowhere below; one that is found
    is added.
    """
    following = index + 1
    kind = html_kind(lines[index])
    if kind == _MAYBE:
        doubtful = not guess and following < len(lines) and lines[following].strip(" \t")
        return -1 if doubtful else following
    if kind == _TO_BLANK:
        while following < len(lines) and lines[following].strip(" \t"):
            following += 1
        return following
    if not kind or html_ends(kind, lines[index]):
        return following
    end = 0 if kind in endless else html_end(kind, lines, following)
    if not end:
        endless.add(kind)
    return end


def title_of(line: str) -> str:
    """Return what an ATX heading of level 2 says, without its closing hashes."""
    text = line.strip(" \t")[2:].rstrip(" \t")
    bare = text.rstrip("#")
    return (bare if bare != text and bare[-1:] in (" ", "\t") else text).strip()


def fence_length(text: str) -> int:
    """Return the length of the fence that `text` (not indented) opens, or 0."""
    char = text[:1]
    if text[:3] not in ("```", "~~~"):
        return 0
    info = text.lstrip(char)
    return 0 if char == "`" and "`" in info else len(text) - len(info)


def closes_fence(line: str, char: str) -> int:
    """Return the length of the fence of `char` that `line` closes at top level, or 0."""
    text = line.lstrip(" ")
    if text[:1] != char or len(line) - len(text) > 3:
        return 0
    tail = text.lstrip(char)
    return 0 if tail.strip(" \t") else len(text) - len(tail)


class Fences:
    """The fenced code of a document: where what a fence opens is closed.

    Linear however many fences are never closed: the first search that fails writes down the longest
    closer at or behind every line, so that no later search runs to the end in vain.

    Args:
        lines: of the document; a fence opens and closes where a line begins.
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._closers: dict[str, list[int]] = {}

    def end(self, index: int) -> int:
        """Return the index behind the code that the line at `index` opens, 0 where it opens none.

        A fence that is never closed hides nothing, so it opens none.
        """
        lines = self._lines
        length = fence_length(lines[index])
        if not length:
            return 0
        char, start = lines[index][0], index + 1
        longest = self._closers.get(char)
        if longest is not None and longest[start] < length:
            return 0
        for below in range(start, len(lines)):
            if closes_fence(lines[below], char) >= length:
                return below + 1
        longest = [0] * (len(lines) + 1)
        for below in range(len(lines) - 1, -1, -1):
            longest[below] = max(longest[below + 1], closes_fence(lines[below], char))
        self._closers[char] = longest
        return 0


def html_kind(text: str) -> int:
    """Return the CommonMark type of the HTML block that `text` opens; 7 means perhaps; 0 none."""
    second = text[1:2]
    if second == "!":
        if text[2:4] == "--":
            return 2
        if text.startswith("<![CDATA["):
            return 5
        return 4 if text[2:3].isascii() and text[2:3].isalpha() else 0
    if second == "?":
        return 3
    begin = 2 if second == "/" else 1
    end = begin
    while end < len(text) and text[end] in _NAME:
        end += 1
    name, after = text[begin:end].lower(), text[end : end + 1]
    if not name or not name[0].isalpha():
        return 0
    ends = after in ("", ">") or after.isspace()
    if begin == 1 and ends and name in _RAW_TAGS:
        return 1
    if name in _BLOCK_TAGS and (ends or text[end : end + 2] == "/>"):
        return _TO_BLANK
    return _MAYBE if (ends or after == "/") and text.rstrip()[-1] == ">" else 0


def html_ends(kind: int, line: str) -> bool:
    """Tell whether an HTML block of `kind` 1 to 5 that `line` opens ends there too."""
    if kind != 1:
        return _ENDS[kind] in line
    if "</" not in line:
        return False
    lower = line.lower()
    return any(f"</{name}>" in lower for name in _RAW_TAGS)


def html_end(kind: int, lines: list[str], start: int) -> int:
    """Return the index behind the line that ends an HTML block opened before `start`, or 0."""
    for index in range(start, len(lines)):
        line = lines[index]
        own = kind == 2 and line.find("<!--", 0, line.find("-->")) >= 0
        if not own and html_ends(kind, line):
            return index + 1
    return 0


def _may_hide(blanks: str, text: str, lines: list[str], index: int) -> bool:
    """Tell whether an indented line may hide something at top level: with 1 to 3 spaces before it."""
    if len(blanks) > 3 or "\t" in blanks:
        return False
    char = text[0]
    if char == "#":
        return text[:2] == "##" and text[2:3] in ("", " ", "\t")
    if char == "`" or char == "~":
        return fence_length(text) > 0
    if char != "<":
        return False
    kind = html_kind(text)
    if kind in (0, 1, 2, 3, 4, 5):
        return kind > 0 and not html_ends(kind, text)
    return index + 1 < len(lines) and lines[index + 1].strip(" \t") != ""


def _item(line: str, may_number: bool) -> str:
    """Return the indentation of the list item that `line` surely opens, or ""."""
    end = 0
    while end < 10 and line[end : end + 1] in tuple("0123456789"):
        end += 1
    if end:
        if end > 9 or line[end : end + 1] not in (".", ")"):
            return ""
        if not (may_number or line[:end] == "1"):
            return ""
    elif not line.strip(line[0] + " \t"):
        return ""  # a thematic break, or an empty item
    if line[end + 1 : end + 2] != " " or line[end + 2 : end + 3] in ("", " ", "\t"):
        return ""
    return " " * (end + 2)


def code_ranges(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the half-open ranges of lines that are fenced code, fences and all."""
    bare = [line.strip() for line in lines]
    fences = Fences(bare)
    found: list[tuple[int, int]] = []
    behind = 0
    for index, line in enumerate(bare):
        if index >= behind and line[:3] in ("```", "~~~"):
            end = fences.end(index)
            if end:
                found.append((index, end))
                behind = end
    return found


def code_lines(lines: Sequence[str]) -> set[int]:
    """Return the indexes of the lines that are fenced code."""
    return {index for start, end in code_ranges(lines) for index in range(start, end)}


def prose_lines(text: str) -> list[str]:
    """Return the lines of a text; what is fenced code is one empty line."""
    lines = text.split("\n")
    for start, end in reversed(code_ranges(lines)):
        lines[start:end] = [""]
    return lines
