"""Read the bytes of a document as text: its title, headings, bullets, and what a merge left.

Headings are found by the line reader or, in doubt, by the markdown parser, which gives the same answer
wherever the line reader gives one, and keeps the same rule: what is never closed hides nothing, and
reading goes on behind its opener. It is fed what it can take in time: nesting beyond 32 columns is cut (it
can not matter at top level), and documents over a budget are answered by the line reader's guess together
with the finding `too-complex`. Marks of conflict are git's, in the plain style and in `diff3`. What a
bullet means says `ledger.codec.event_bullets`.
"""

from __future__ import annotations

from _collections_abc import Callable

from ledger.codec.outline_by_lines import (
    OVERLONG,
    Outline,
    closes_fence,
    code_ranges,
    html_end,
    html_ends,
    html_kind,
    outline_by_lines,
)
from ledger.model.record import TYPE_CHECKING, Record, cached
from ledger.model.session import normal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    _Found = tuple[list[tuple[int, str]], list[tuple[int, int]], list[tuple[str, int]]]

LINES_BUDGET = 4_000
CHARS_BUDGET = 256 << 10
RESTARTS_BUDGET = 16
NESTING_COLUMNS = 32
_CONTAINER = frozenset(" \t>-+*0123456789.)")

#: How a file says that it is UTF-16, which Windows writes where nobody asks for another encoding.
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
#: Why a file is not read.
NO_TEXT = "it is no text in UTF-8, or in UTF-16 with a byte order mark"


def document_text(data: bytes) -> str | None:
    """Return the text of a file that a person wrote, as `normal` has it; None where it is no text.

    It is in UTF-8, or in UTF-16 with a byte order mark. Nothing of other bytes is text: half of a word is
    another word.
    """
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else normal(text)


#: Words of which a title says no more than that there was a session.
EMPTY_TITLE = frozenset("session log notes note work memory update of the on for and".split())


def outline(lines: list[str], start: int = 0) -> Outline:
    """Find the top-level headings among `lines[start:]`; asks the markdown parser when in doubt."""
    return outline_by_lines(lines, start) or outline_by_markdown(lines, start)


@cached(1)
def _parser() -> MarkdownIt:
    """Load the parser, which costs 45 ms: only its block rules run."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 300})
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


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
    tokens = _parser().parse("\n".join(shallow))
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


def take_title(lines: list[str], body: int) -> tuple[str, int]:
    """Take the title off: the first line behind the header, if it is a `# ` heading."""
    index = body
    while index < len(lines) and not lines[index].strip(" \t"):
        index += 1
    if index < len(lines) and lines[index][:2] == "# ":
        return lines[index][2:].strip(), index + 1
    return "", body


def tells(title: str) -> bool:
    """Tell whether a title says more than that this is a session of some date."""
    return says_more(title, EMPTY_TITLE)


def says_more(title: str, empty: frozenset[str]) -> bool:
    """Tell whether a title has a word that is none of some and begins with no digit."""
    for word in title.lower().split():
        bare = word.strip("()[]#:,.-—–*_!?'\"")
        if bare and bare not in empty and not bare[0].isdigit():
            return True
    return False


_OURS, _BASE, _PARTED, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


def marker_line(text: str) -> int:
    """Return the number of the first line that a merge left, 0 where there is none.

    One of them is enough: who settles a conflict by hand forgets one. What closed code quotes is only a
    quotation, seven bars may be a row of a table, and seven `>` a quote, unless a `=======` stands above.
    """
    if _OURS not in text and _BASE not in text and _THEIRS not in text:
        return 0
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    found = [
        number
        for number, line in enumerate(lines)
        if line == _PARTED
        or (line[:7] == _BASE and line[7:8] == " " and "|" not in line[7:])
        or (line[:7] in (_OURS, _THEIRS) and line[7:8] in ("", " "))
    ]
    if not found:
        return 0
    hidden = iter((*outline(lines).hidden, (len(lines), len(lines))))
    begin, end = next(hidden)
    parted = False
    for number in found:
        while end <= number:
            begin, end = next(hidden)
        if begin <= number:
            continue
        start = lines[number][:7]
        if start == _PARTED:
            parted = True
        elif start != _THEIRS or parted:
            return number + 1
    return 0


class Unit(Record):
    """One bullet with its continuation lines, or one paragraph of the section."""

    line: int
    indent: int
    bullet: bool
    text: str


class Item(Record):
    """What stands between two commas: a text, its parentheses and what follows a dash."""

    text: str
    parens: tuple[str, ...]
    behind: str

    def remark(self, skip: int = 0) -> str:
        """Join what the author wrote beside the id."""
        parts = [part for part in (*self.parens[skip:], self.behind) if part]
        return " — ".join(parts)


def units_of(lines: list[str], first_line: int, stray: Callable[[int, str], None]) -> list[Unit]:
    """Cut a section into bullets and paragraphs; leave out quotes and code.

    `first_line` is the number of the first line in the file; `stray` is told of a line that is left
    out, and why.
    """
    units: list[Unit] = []
    parts: list[str] = []
    number = indent = skip_to = 0
    bullet = after_blank = True
    code = dict(code_ranges(lines))

    def close() -> None:
        if parts:
            units.append(Unit(number, indent, bullet, " ".join(parts)))
            parts.clear()

    for index, line in enumerate(lines):
        if index < skip_to:
            continue
        text = line.strip(" \t")
        if not text or line == OVERLONG:
            after_blank = True
            continue
        head = line[: len(line) - len(line.lstrip(" \t"))]
        depth = len(head) + 3 * head.count("\t")
        if index in code:
            close()
            skip_to = code[index]
            stray(first_line + index, "code in the references is not read")
            continue
        if text[0] == ">" or (depth >= 4 and after_blank and not parts):
            close()
            stray(first_line + index, "a quote or code in the references is not read")
        elif text[:2] in ("- ", "* ", "+ ") or text in ("-", "*", "+"):
            close()
            number, indent, bullet = first_line + index, depth, True
            parts.append(text[2:].strip(" \t"))
        elif parts and (not after_blank or depth >= 2) and text[0] != "#":
            parts.append(text)
        else:
            close()
            number, indent, bullet = first_line + index, depth, False
            parts.append(text)
            if text[0] == "#":
                close()
        after_blank = False
    close()
    return units


def items_of(body: str) -> list[Item]:
    """Cut what follows a verb at its commas; parentheses and dashes begin remarks."""
    items: list[Item] = []
    text: list[str] = []
    parens: list[str] = []
    depth = opened = 0
    for index, char in enumerate(body):
        if char == "(":
            if depth == 0:
                opened = index + 1
            depth += 1
        elif depth:
            if char == ")":
                depth -= 1
                if depth == 0:
                    parens.append(body[opened:index].strip())
        elif char in ",;":
            items.append(Item("".join(text).strip(), tuple(parens), ""))
            text, parens = [], []
        elif char == "—" or (char in "–-" and _is_dash(body, index)):
            behind = body[index:].lstrip(char).strip()
            items.append(Item("".join(text).strip(), tuple(parens), behind))
            return items
        else:
            text.append(char)
    behind = body[opened:].strip() if depth else ""
    if text or parens or behind:
        items.append(Item("".join(text).strip(), tuple(parens), behind))
    return items


def _is_dash(body: str, index: int) -> bool:
    """Tell whether a hyphen or en dash stands between words."""
    if body[index - 1 : index] not in ("", " "):
        return False
    after = body[index + 1 : index + 3]
    return after[:1] in ("", " ") or after in ("-", "- ")


def without_comments(text: str) -> str:
    """Leave out `<!-- … -->`."""
    if "<!--" not in text:
        return text
    *ended, rest = text.split("-->")
    kept = [part.partition("<!--")[0] if "<!--" in part else f"{part}-->" for part in ended]
    return "".join([*kept, rest]).strip()
