"""Say which lines of a text are fenced code: one answer for every reader of prose.

The rule is that of `ledger.codec.outline_by_lines`: a fence is closed by one of the same character that is
at least as long, and one that is never closed hides nothing (FORMAT.md, S3). Here a fence may be
indented by any number of columns, as it is in an item of a list.
"""

from __future__ import annotations

from ledger.codec.outline_by_lines import Fences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
    if "```" in text or "~~~" in text:
        for start, end in reversed(code_ranges(lines)):
            lines[start:end] = [""]
    return lines
