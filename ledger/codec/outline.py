"""Find the top-level headings of a document, by the line reader or, in doubt, the markdown parser."""

from __future__ import annotations

from ledger.codec.outline_by_lines import Outline, outline_by_lines


def outline(lines: list[str], start: int = 0) -> Outline:
    """Find the top-level headings among `lines[start:]`; asks the markdown parser when in doubt."""
    found = outline_by_lines(lines, start)
    if found is None:
        from ledger.codec.outline_by_markdown import outline_by_markdown

        found = outline_by_markdown(lines, start)
    return found
