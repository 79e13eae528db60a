"""Read markdown, and plain text, as sections and passages; code, quotations and HTML are passed over."""

from __future__ import annotations

import re
from bisect import bisect_left

from ledger.codec.fenced_code import code_ranges
from rituals.intake.harvest.harvested_document import Builder, Document, outside_code, squeezed

# what a search begins again with ends the part before it, or that part has a limit: no place is read twice
_IMAGE = re.compile(r"!\[[^\[\]]*+\](?:\([^)\[]*+\)|\[[^\[\]]*+\])")
_LINK = re.compile(
    r"\[((?:[^\[\]]|\[[^\[\]]*+\])*+)\](?:\((?:[^()\[]|\([^()\[]*+\))*+\)|\[[^\[\]]*+\])"
)
_TAG = re.compile(
    r"</?[a-zA-Z][^<>]*>|\[\^[^\[\]]++\]|\{[:#.][^{}]*\}|<!--(?:[^<\n]|<(?!!--))*?-->"
)
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.{1,400}?)(?<=\S)\1")
_STRESS = re.compile(r"(?<![\w*\\])([*_])(?=[^\s*_])([^*_]+?)(?<=\S)\1(?![\w*])")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_ITEM = re.compile(r"([-*+•]|\d{1,3}[.)])(?:\s+|$)")
_HEADING = re.compile(r"(#{1,6})(?:\s+(.*)|#*)$")
_FIELD = re.compile(r"([A-Za-z][\w -]*):(?:\s+(.*))?$")
_REFERENCE = re.compile(r"\[[^\]]+\]:\s")
_CALLOUT = re.compile(r"(?:!!!|\?\?\?\+?|:::+)")


def plain_markdown(text: str) -> str:
    """Return a text as it reads: links as their words, no marks of type outside of code."""
    return squeezed(
        outside_code(_LINK.sub(lambda link: link[1].strip(), _IMAGE.sub("", text)), _unmarked)
    )


def _unmarked(text: str) -> str:
    text = _STRONG.sub(r"\2", _TAG.sub("", text))
    return _ESCAPE.sub(r"\1", _STRESS.sub(r"\2", text).replace("**", ""))


def read_markdown(path: str, text: str) -> Document:
    """Read a document."""
    lines = text.split("\n")
    built = Builder(path, plain_markdown)
    code = dict(code_ranges(lines))
    ends = [at for at, line in enumerate(lines) if "-->" in line]
    index = _front_matter(lines, built)
    content = 0  # the column from which lines belong to the item or note that is open
    blank = True
    while index < len(lines):
        line = lines[index].expandtabs(4).rstrip()
        bare = line.lstrip()
        indent = len(line) - len(bare)
        index += 1
        if index - 1 in code:
            built.close()
            index = code[index - 1]
            blank = True
            continue
        if not bare:
            built.close()
            blank = True
            continue
        item = _ITEM.match(bare)
        if indent < content and not (item and indent):
            if blank or item or bare[0] in "#>|<":
                content = 0
        if blank and indent >= content + 4 and not item:
            blank = True
            continue  # code
        was_blank, blank = blank, False
        behind = _passed_over(built, lines, ends, index, bare)
        if behind:
            index, blank = behind, bare[0] == ">"
        elif heading := _HEADING.match(bare) if indent < 4 else None:
            built.heading(index, len(heading[1]), (heading[2] or "").rstrip("#").rstrip())
        elif not bare.strip("=") or not bare.strip("-"):
            _underline(built, bare)
        elif _CALLOUT.match(bare):
            built.close()
            content = indent + 4 if bare[0] != ":" else content
        elif item and (
            was_blank
            or built.in_item
            or not built.is_open
            or item[1] in "-*•+"
            or item[1][0] == "1"
        ):
            built.item(index, bare[item.end() :], indent)
            content = indent + len(item[0])
        else:
            built.text(index, bare)
    return built.built()


def _passed_over(built: Builder, lines: list[str], ends: list[int], index: int, bare: str) -> int:
    """Pass over what is no prose: comments, quotations, rules, HTML; take a row of a table.

    `bare` is the line before `index`, without its indentation; `ends` are those in which a comment may
    end. Returned is the index of the next line to look at, 0 where this one is prose.
    """
    if bare.startswith("<!--"):
        built.close()
        after = bisect_left(ends, index - 1)
        return ends[after] + 1 if after < len(ends) else index
    if bare[0] == ">":
        built.close()
        return _behind_quote(lines, index)
    if bare[0] == "|":
        cells = re.split(r"(?<!\\)\|", bare.strip("| "))
        if any(cell.strip(" :-") for cell in cells):
            built.row(index, cells)
        return index
    ruled = bare[0] in "*_" and not bare.strip("*_ ")
    if ruled or _REFERENCE.match(bare):
        built.close()
        return index
    if re.match(r"</?[a-zA-Z!]", bare) and not bare.startswith("<http"):
        built.close()
        if plain_markdown(bare) and not bare.endswith(">"):
            built.text(index, bare)
        return index
    return 0


def _front_matter(lines: list[str], built: Builder) -> int:
    """Read the fields above a document; return the index of the line behind them."""
    fence = lines[0].strip()
    if fence not in ("---", "+++"):
        return 0
    end = next((at for at in range(1, len(lines)) if lines[at].strip() == fence), 0)
    key = ""
    for at in range(1, end):
        line = lines[at].rstrip()
        match = re.match(r"([A-Za-z][\w -]*+)\s*+[:=]\s*(.*)$", line)
        if match:
            key = match[1].rstrip()
            built.field(key, match[2].split(" #")[0].strip("\"' "), at + 1)
        elif key and line.lstrip().startswith("- "):
            name, value, number = built.fields.pop()
            added = line.lstrip()[2:].strip("\"' ")
            built.field(name, f"{value}, {added}" if value else added, number)
    return end + 1 if end else 0


def _underline(built: Builder, bare: str) -> None:
    """Take the paragraph that is open as the heading that the line below it makes of it."""
    rows = list(built.rows)
    if len(rows) == 1 and len(bare) > 1:
        built.drop()
        built.heading(rows[0][0], 1 if bare[0] == "=" else 2, rows[0][1])
    else:
        built.close()


def _behind_quote(lines: list[str], index: int) -> int:
    """Return the index behind a quotation, with the lines that lazily go on with it."""
    while index < len(lines):
        bare = lines[index].strip()
        if not bare or (bare[0] != ">" and (bare[0] in "#|-*+<`" or bare[0].isdigit())):
            break
        index += 1
    return index
