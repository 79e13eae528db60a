"""Find what in a page is code or a comment, and where its footers are: fences, code spans, comments.

Linear in the size of the page, whatever it holds. A fence or comment that is never closed hides nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from ledger.model.record import Record

FIRST, REST = 1, 2  #: a line that starts, or goes on with, a fence or a comment
CONTENT_COLUMNS = 2  #: an item holds what is indented by this much, however wide its marker is
DIGITS_LIMIT = 9
_TICKS = re.compile(r"`++")
_FOOTER = re.compile(r"<!--[ \t]*+id[ \t]*+:")
_FOOTER_LINES = 12  #: a footer over more lines than this counts as never closed
_FENCE_MIN_CHARS = 3


class Comment(Record):
    """A footer comment, from (line, column) to (end line, end column)."""

    line: int
    column: int
    end_line: int
    end_column: int
    inside: str
    problem: str = ""


def indent_of(line: str) -> int:
    """Count the blanks before the text of a line."""
    return len(line) - len(line.lstrip(" "))


def marker_width(body: str) -> int:
    """Measure a list marker and the space after it; 0 when the line starts no list item."""
    width = 1
    if body[:1] not in ("-", "*", "+"):
        width = len(body) - len(body.lstrip("0123456789"))
        if not 0 < width <= DIGITS_LIMIT or body[width : width + 1] not in (".", ")"):
            return 0
        width += 1
    rest = body[width:]
    if not rest.strip():
        return width + 1
    space = indent_of(rest)
    return 0 if not space else width + (space if space <= 4 else 1)


class _Fence(Record):
    """A line that may open a fence."""

    char: str
    length: int
    indent: int
    quoted: bool


def _fence(line: str) -> tuple[_Fence, bool, bool] | None:
    """Read a fence line: the fence, whether it may open one, whether it may close one."""
    if "```" not in line and "~~~" not in line:
        return None
    body = line.lstrip(" ")
    quoted = body.startswith(">")
    if quoted:
        body = body.lstrip("> ")
    indent = indent_of(line)
    width = marker_width(body[:16])
    if width:
        body, indent = body[width:].lstrip(" "), indent + width
    char = body[:1]
    length = len(body) - len(body.lstrip(char)) if char in ("`", "~") else 0
    if length < _FENCE_MIN_CHARS:
        return None
    info = body[length:]
    return (
        _Fence(char, length, indent, quoted),
        char == "~" or "`" not in info,
        not width and not info.strip(),
    )


def _fences(lines: list[str]) -> tuple[dict[int, int], dict[int, tuple[_Fence, int]]]:
    """Pair every line that may open a fence with the one that closes it.

    A fence in a list item or a quote ends where that ends. Linear: from the last line to the first,
    with a stack of the closers that are not hidden by a longer one before them.

    Returns:
        opener -> closer, and of those without one: opener -> (fence, line where its place ends).
    """
    closed: dict[int, int] = {}
    unclosed: dict[int, tuple[_Fence, int]] = {}
    stacks: dict[tuple[str, bool], tuple[list[int], list[int]]] = {}
    outdent = unquoted = len(lines)
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if seen := _fence(line):
            fence, opens, closes = seen
            lengths, places = stacks.setdefault((fence.char, fence.quoted), ([], []))
            limit = unquoted if fence.quoted else len(lines)
            if not fence.quoted and fence.indent >= CONTENT_COLUMNS:
                limit = outdent
            if opens:
                at = bisect_right(lengths, -fence.length) - 1
                if at >= 0 and places[at] < limit:
                    closed[number] = places[at]
                else:
                    unclosed[number] = (fence, limit)
            if closes:
                while lengths and -lengths[-1] <= fence.length:
                    lengths.pop()
                    places.pop()
                lengths.append(-fence.length)
                places.append(number)
        if line.strip() and indent_of(line) < CONTENT_COLUMNS:
            outdent = number
        if not line.lstrip(" ").startswith(">"):
            unquoted = number
    return closed, unclosed


def hidden_lines(lines: list[str]) -> tuple[bytearray, list[tuple[str, int, str]]]:
    """Mark the lines in closed fences and comments; list the openers that are never closed."""
    closed, unclosed = _fences(lines)
    opens = [number for number, line in enumerate(lines) if "<!--" in line]
    closes = [number for number, line in enumerate(lines) if "-->" in line]
    hidden = bytearray(len(lines))
    open_ended: list[tuple[str, int, str]] = []
    for number in sorted({*opens, *closed, *unclosed}):
        if hidden[number]:
            continue
        end = closed.get(number, -1)
        if number in unclosed:
            open_ended.append(("unclosed-fence", number, "a code fence"))
        elif end < 0:
            body = lines[number].lstrip("> ")
            if not body.startswith("<!--") or "-->" in body or _FOOTER.match(body):
                continue
            end = next(iter(closes[(n := bisect_right(closes, number)) : n + 1]), -1)
            other = next(iter(opens[(n := bisect_right(opens, number)) : n + 1]), len(lines))
            if (
                end < 0
                or other < end
                or (other == end and lines[end].find("<!--") < lines[end].find("-->"))
            ):
                open_ended.append(("unclosed-comment", number, "a comment"))
                continue
        if end >= 0:
            hidden[number] = FIRST
            hidden[number + 1 : end + 1] = bytes([REST]) * (end - number)
    return hidden, open_ended


def _spans(line: str) -> tuple[list[int], list[int]]:
    """Find the code spans of one line: their starts and their ends."""
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(line)]
    places: dict[int, list[int]] = {}
    for place, (start, end) in enumerate(runs):
        places.setdefault(end - start, []).append(place)
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    while place < len(runs):
        start, end = runs[place]
        same = places[end - start]
        after = bisect_right(same, place)
        if after < len(same):
            place = same[after]
            starts.append(start)
            ends.append(runs[place][1])
        place += 1
    return starts, ends


def _openings(line: str) -> Iterator[tuple[int, int]]:
    """Yield every comment of a line outside code: where it starts, and where it ends or -1."""
    at = line.find("<!--")
    if at < 0:
        return
    starts, ends = _spans(line) if "`" in line else ([], [])
    while at >= 0:
        span = bisect_right(starts, at) - 1
        if span >= 0 and at < ends[span]:
            at = line.find("<!--", ends[span])
            continue
        end = line.find("-->", at + 4)
        yield at, end + 3 if end >= 0 else -1
        at = line.find("<!--", end + 3) if end >= 0 else -1


def footer_comments(lines: list[str], number: int) -> Iterator[Comment]:
    """Yield the footers that start on a line."""
    line = lines[number]
    for at, end in _openings(line):
        if not _FOOTER.match(line, at):
            continue
        if end >= 0:
            yield Comment(number, at, number, end, line[at + 4 : end - 3])
            continue
        inside = [line[at + 4 :]]
        for below in range(number + 1, min(number + _FOOTER_LINES, len(lines))):
            body = lines[below].lstrip("> ")
            close = lines[below].find("-->")
            if not body or body.startswith(("#", "- ")) or "<!--" in lines[below]:
                break
            inside.append(body if close < 0 else body[: body.find("-->")])
            if close >= 0:
                said = "a footer over several lines; read"
                yield Comment(number, at, below, close + 3, "|".join(inside), said)
                return
        said = "a footer that is never closed; read to the end of its line"
        yield Comment(number, at, number, len(line), line[at + 4 :], said)


def storable(rows: list[str], mark: str) -> str:
    """Join the lines of a text so that it can stand in a session log and forge nothing there.

    A fence that is never closed gets its end, a raw footer or an unclosed comment is escaped.
    """
    closed, unclosed = _fences(rows)
    ends: dict[int, str] = {}
    made: list[str] = []
    code_until = -1
    for number, row in enumerate(rows):
        row = row.rstrip() if row.isspace() else row
        if number > code_until:
            if number in closed:
                code_until = closed[number]
            elif number in unclosed:
                fence, limit = unclosed[number]
                code_until = max(n for n in range(number, limit) if rows[n].strip())
                outer = indent_of(row)
                ends[code_until] = (
                    " " * outer
                    + "> " * fence.quoted
                    + " " * (fence.indent - outer)
                    + fence.char * fence.length
                )
            elif "<!--" in row:
                row = _escaped(row)
        made.append(row)
        if number in ends:
            made.append(ends[number])
    first = next((number for number, row in enumerate(made) if row), len(made))
    text = "\n".join(made[first:]).strip(" \n")
    if not mark and text[:4].lower() in ("[ ] ", "[x] "):
        text = "\\" + text
    return text


def _escaped(row: str) -> str:
    """Escape what would start a footer or a comment without an end."""
    done, parts = 0, []
    for at, end in _openings(row):
        if end < 0 or _FOOTER.match(row, at):
            parts.append(row[done:at] + "&lt;!--")
            done = at + 4
    return "".join(parts) + row[done:]
