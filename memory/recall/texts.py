"""Texts of hits: one line, what stands around, or the whole of it, from the log's own bytes."""

from __future__ import annotations

#: A line of a hit has at most so many characters: about 80 tokens.
LINE_CHARS = 320
#: What is shown of a section at most.
SECTION_CHARS = 6000


def one_line(text: str, chars: int = LINE_CHARS) -> str:
    """Return a text on one line, cut at a word where it is too long."""
    line = " ".join(text.split())
    if len(line) <= chars:
        return line
    cut = line.rfind(" ", chars // 2, chars - 1)
    return line[: cut if cut > 0 else chars - 1].rstrip() + "…"


def heading_of(lines: list[str], number: int) -> str:
    """Return the heading that a line (from 1) stands under, without its marks, "" for none."""
    for index in range(min(number, len(lines)) - 1, -1, -1):
        line = lines[index]
        if line[:1] == "#":
            return line.lstrip("#").strip()
    return ""


def section_of(lines: list[str], number: int) -> tuple[int, str]:
    """Return the section that a line (from 1) stands in, and the line it begins on.

    A long one is cut around the line, at whole lines.
    """
    start = number - 1
    while start > 0 and lines[start][:1] != "#":
        start -= 1
    end = number
    while end < len(lines) and lines[end][:1] != "#":
        end += 1
    while sum(len(line) + 1 for line in lines[start:end]) > SECTION_CHARS and end - start > 1:
        if number - 1 - start >= end - number:
            start += 1
        else:
            end -= 1
    return start + 1, "\n".join(lines[start:end]).strip("\n")[:SECTION_CHARS]
