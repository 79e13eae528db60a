"""Find the headings of a document with a CommonMark parser.

Loaded only when the line scanner of `ledger.codec.outline_by_lines` is in doubt (importing costs 45 ms).
It gives the same answer as the scanner wherever the scanner gives one, and keeps the same rule: a fence or
HTML block that is never closed hides nothing, and reading goes on behind its opener.

The parser is fed what it can take in time: only its block rules run, nesting beyond 32 columns is
cut (it can not matter at top level), and documents over a budget are answered by the line scanner's
guess together with the finding `too-complex`.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ledger.codec.outline_by_lines import (
    Outline,
    closes_fence,
    html_end,
    html_ends,
    html_kind,
    outline_by_lines,
)

LINES_BUDGET = 4_000
CHARS_BUDGET = 256 << 10
RESTARTS_BUDGET = 16
NESTING_COLUMNS = 32
_CONTAINER = frozenset(" \t>-+*0123456789.)")

_Found = tuple[list[tuple[int, str]], list[tuple[int, int]], list[tuple[str, int]]]
_parser = MarkdownIt("commonmark", {"maxNesting": 300})
_parser.core.ruler.enableOnly(["normalize", "block"])


def outline_by_markdown(lines: list[str], start: int = 0) -> Outline:
    """Find the top-level headings of level 2 among `lines[start:]`."""
    headings: list[tuple[int, str]] = []
    hidden: list[tuple[int, int]] = []
    unclosed: list[tuple[str, int]] = []
    first = start
    if len(lines) - start <= LINES_BUDGET and sum(map(len, lines)) <= CHARS_BUDGET:
        shallow = [without_nesting(line) for line in lines[start:]]
        for _ in range(RESTARTS_BUDGET):
            again = _read(lines, shallow[first - start :], first, (headings, hidden, unclosed))
            if again is None:
                return Outline(tuple(headings), tuple(hidden), tuple(unclosed))
            first = again
    # a guess is never in doubt, so there always is one
    guessed = outline_by_lines(lines, first, guess=True) or Outline((), (), ())
    return Outline(
        (*headings, *guessed.headings),
        (*hidden, *guessed.hidden),
        (*unclosed, *guessed.unclosed, ("too-complex", first)),
    )


def _read(lines: list[str], shallow: list[str], first: int, found: _Found) -> int | None:
    """Read one stretch; return the line to go on at when our rule and the parser part."""
    headings, hidden, unclosed = found
    tokens = _parser.parse("\n".join(shallow))
    for position, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        begin, end = first + token.map[0], first + token.map[1]
        if token.type == "heading_open" and token.tag == "h2" and token.markup == "##":
            headings.append((begin, tokens[position + 1].content.strip()))
        elif token.type in ("fence", "html_block"):
            real = _end(token, lines, begin, end)
            if not real:
                code = "unclosed-fence" if token.type == "fence" else "unclosed-comment"
                unclosed.append((code, begin))
                return begin + 1
            if real != end:
                hidden.append((begin, real))
                return real
            if end - begin > 1:
                hidden.append((begin, end))
    return None


def _end(token: Token, lines: list[str], begin: int, end: int) -> int:
    """Return where a top-level fence or HTML block ends by our rule, or 0 when it never does."""
    if token.type == "fence":
        closed = end - begin > 1 and closes_fence(lines[end - 1], token.markup[0])
        return end if closed >= len(token.markup) else 0
    kind = html_kind(lines[begin].lstrip(" "))
    if kind > 5 or html_ends(kind, lines[begin]):
        return end
    return html_end(kind, lines, begin + 1)


def without_nesting(line: str) -> str:
    """Cut a line whose list and quote markers nest deeper than can matter."""
    if len(line) <= NESTING_COLUMNS // 4:
        return line
    column = 0
    for index, char in enumerate(line):
        if char not in _CONTAINER:
            return line
        column += 4 - column % 4 if char == "\t" else 1
        if column >= NESTING_COLUMNS:
            # a long rule (`-----`, `* * *`) has to stay a rule
            ruled = not line.strip(" \t-") or not line.strip(" \t*")
            return line[: index + 1] if ruled else line[:index] + "x"
    return line
