"""Read markdown as its sections, and the front matter above them.

A section keeps its text as it stands; comments alone are taken out. What is a heading, a fence or a
comment is for a CommonMark parser to say, of which only the block rules run: what it takes grows with
the text, and nesting that can not matter is cut.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ledger.codec.outline import without_nesting
from ledger.model.record import Record

#: Nobody writes longer documents by hand; a longer one has no sections.
LIMIT_CHARS = 128 << 10
_COMMENT = re.compile(r"<!--(?:[^<]|<(?!!--))*?-->")
_BLOCK = frozenset(("|", ">", "|-", ">-", "|+", ">+"))
_FRONT_LINES, _KEYS_LIMIT = 400, 200
_parser = MarkdownIt("commonmark", {"maxNesting": 100}).disable("reference").enable("table")
_parser.core.ruler.enableOnly(["normalize", "block"])


class Section(Record):
    """A heading with what stands below it, up to the next heading; the first one is above them all."""

    titles: tuple[str, ...]  #: of the headings that it stands below, its own last
    level: int  #: of its heading, 0 for none
    line: int  #: on which its text begins, from 1 on
    text: str  #: as it stands, without comments


class Block(Record):
    """A block of markdown, from its first line up to that behind it, from 0 on."""

    type: str
    level: int  #: of a heading, 0 for anything else
    start: int
    end: int
    text: str
    inner: list[Block]


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """Return the blocks that lines are."""
    return _tree(iter(_parser.parse("\n".join([without_nesting(line) for line in lines]))))


def _tree(tokens: Iterator[Token]) -> list[Block]:
    found: list[Block] = []
    for token in tokens:
        if token.nesting < 0:
            break
        inner = _tree(tokens) if token.nesting > 0 else []
        text = token.content or " | ".join([one.text for one in inner if one.text])
        text = text or token.markup * (token.type == "hr")
        level = int(token.tag[1:]) if token.type == "heading_open" else 0
        start, end = token.map or (0, 0)
        found.append(Block(token.type.removesuffix("_open"), level, start, end, text, inner))
    return found


def code_lines(blocks: Sequence[Block]) -> set[int]:
    """Return the numbers of the lines of code."""
    found: set[int] = set()
    for one in blocks:
        code = one.type in ("fence", "code_block")
        found |= set(range(one.start, one.end)) if code else code_lines(one.inner)
    return found


def without_comments(text: str, code: Container[int]) -> list[str]:
    """Return the lines of a text, of which some are code, without the comments in the others."""

    def bare(found: re.Match[str]) -> str:
        here = text.count("\n", 0, found.start()) in code
        return found[0] if here else "\n" * found[0].count("\n")

    return _COMMENT.sub(bare, text).split("\n")


def sections(text: str, first_line: int = 1) -> list[Section]:
    """Return the sections of a document in their order; `first_line` is the number of its first line."""
    if len(text) > LIMIT_CHARS:
        return []
    blocks = blocks_of(text.split("\n"))
    lines = without_comments(text, code_lines(blocks))
    heads = [one for one in blocks if one.type == "heading"]
    found: list[Section] = []
    above: list[tuple[int, str]] = []
    ends = [*[head.start for head in heads], len(lines)]
    for head, end in zip([Block("", 0, 0, 0, "", []), *heads], ends, strict=True):
        title = " ".join(_COMMENT.sub("", head.text).split())
        above = [one for one in above if one[0] < head.level]
        above += [(head.level, title)] if head.level else []
        full = [number for number in range(head.end, end) if lines[number].strip()]
        first, last = (full[0], full[-1] + 1) if full else (head.end, head.end)
        said = "\n".join(lines[first:last])
        found.append(
            Section(tuple([one for _, one in above]), head.level, first_line + first, said)
        )
    return found


def whole(found: list[Section], at: int) -> str:
    """Return the text of a section with all that stands below its heading, headings and all."""
    below = takewhile(lambda one: one.level > found[at].level, found[at + 1 :])
    parts = [found[at].text]
    for one in below:
        parts += [f"{'#' * one.level} {one.titles[-1]}", one.text]
    return "\n\n".join([part for part in parts if part])


def led(lead: str, text: str, mark: str = ": ") -> str:
    """Put words before a text: on its line, above one that has a form of its own (a list, a table)."""
    formed = re.match(r"[#|>]|```|~~~|(?:[-*+]|\d+[.)])\s", text)
    return f"{lead}:\n\n{text}" if formed else f"{lead}{mark}{text}"


def front_matter(text: str) -> tuple[dict[str, str], str, int]:
    """Read the front matter of a note.

    Nested keys are joined with a point (`metadata.type`), the items of a list with commas.

    Returns:
        Its keys in lower case, the text behind it, and the number of the line where that starts.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text, 1
    ends = [n for n, line in enumerate(lines[1:_FRONT_LINES], 1) if line.rstrip() in ("---", "...")]
    if not ends:
        return {}, text, 1
    end = ends[0]
    found: dict[str, str] = {}
    outer: list[tuple[int, str]] = []
    number = 1
    while number < end and len(found) < _KEYS_LIMIT:
        line = lines[number]
        number += 1
        body, indent = line.strip(), _indent(line)
        if not body or body.startswith("#"):
            continue
        while outer and (outer[-1][0] > indent or (outer[-1][0] == indent and body[:2] != "- ")):
            outer.pop()
        if body.startswith("- "):
            if outer:
                before = found.get(outer[-1][1], "")
                found[outer[-1][1]] = (f"{before}, " if before else "") + _bare(body[2:])
            continue
        key, colon, value = body.partition(":")
        if not colon or (value and value[0] not in " \t"):
            continue
        name = ".".join([*(one for _, one in outer[-1:]), _bare(key).lower()])
        value = value.strip()
        if value in _BLOCK:
            rows = []
            while number < end and (not lines[number].strip() or _indent(lines[number]) > indent):
                rows.append(lines[number].strip())
                number += 1
            found[name] = ("\n" if value[0] == "|" else " ").join(rows).strip()
        elif value[:1] == "[" and value[-1:] == "]":
            found[name] = ", ".join([_bare(one) for one in value[1:-1].split(",") if one.strip()])
        elif value:
            found[name] = _bare(value)
        else:
            outer.append((indent, name))
    return found, "\n".join(lines[end + 1 :]), end + 2


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bare(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].strip()
