"""Bullets cut from lines, and items from bullets: what both readings of a references section begin with.

Says nothing of what a bullet means (`ledger.codec.event_bullets`).
"""

from __future__ import annotations

from collections.abc import Callable

from ledger.codec.outline_by_lines import OVERLONG, code_ranges
from ledger.model.record import Record


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
