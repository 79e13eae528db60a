"""Read markdown as its sections, and the front matter above them.

A section keeps its text as it stands; comments alone are taken out. What is a heading, a fence or a
comment is for a CommonMark parser to say, of which only the block rules run: what it takes grows with
the text, and nesting that can not matter is cut.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from ledger.codec.outline_by_markdown import without_nesting
from ledger.model.record import Record

#: Nobody writes longer documents by hand; a longer one has no sections.
LIMIT_CHARS = 128 << 10
_COMMENT = re.compile(r"<!--(?:[^<]|<(?!!--))*?-->")
_BLOCK = frozenset(("|", ">", "|-", ">-", "|+", ">+"))
_FRONT_LINES, _KEYS_LIMIT = 400, 200
_parser = MarkdownIt("commonmark", {"maxNesting": 100}).disable("reference")
_parser.core.ruler.enableOnly(["normalize", "block"])


class Section(Record):
    """A heading with what stands below it, up to the next heading; the first one is above them all."""

    titles: tuple[str, ...]  #: of the headings that it stands below, its own last
    level: int  #: of its heading, 0 for none
    line: int  #: on which its text begins, from 1 on
    text: str  #: as it stands, without comments


def sections(text: str, first_line: int = 1) -> list[Section]:
    """Return the sections of a document in their order; `first_line` is the number of its first line."""
    if len(text) > LIMIT_CHARS:
        return []
    lines = text.split("\n")
    tokens = _parser.parse("\n".join([without_nesting(line) for line in lines]))
    heads: list[tuple[int, int, int, str]] = [(0, 0, 0, "")]
    code: set[int] = set()
    for at, token in enumerate(tokens):
        if not token.map:
            continue
        if token.type == "heading_open" and not token.level:
            title = _COMMENT.sub("", tokens[at + 1].content)
            heads.append((token.map[0], token.map[1], int(token.tag[1:]), " ".join(title.split())))
        elif token.type in ("fence", "code_block"):
            code.update(range(*token.map))
        elif token.type == "html_block" and _is_comment(token.content):
            lines[slice(*token.map)] = [""] * (token.map[1] - token.map[0])
    lines = [line if at in code else _COMMENT.sub("", line) for at, line in enumerate(lines)]
    found: list[Section] = []
    above: list[tuple[int, str]] = []
    ends = [*[head[0] for head in heads[1:]], len(lines)]
    for (_, begin, level, title), end in zip(heads, ends, strict=True):
        above = [one for one in above if one[0] < level]
        above += [(level, title)] if level else []
        full = [number for number in range(begin, end) if lines[number].strip()]
        first, last = (full[0], full[-1] + 1) if full else (begin, begin)
        titles = tuple([said for _, said in above])
        said = "\n".join(lines[first:last])
        found.append(Section(titles, level, first_line + first, said))
    return found


def whole(found: list[Section], at: int) -> str:
    """Return the text of a section with all that stands below its heading, headings and all."""
    own = found[at]
    parts = [own.text]
    for one in found[at + 1 :]:
        if one.level <= own.level:
            break
        parts += [f"{'#' * one.level} {one.titles[-1]}", one.text]
    return "\n\n".join([part for part in parts if part])


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


def _is_comment(block: str) -> bool:
    """Tell whether a block of HTML is one comment and nothing else."""
    bare = block.strip()
    return bare.startswith("<!--") and bare.find("-->") == len(bare) - len("-->")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bare(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].strip()
