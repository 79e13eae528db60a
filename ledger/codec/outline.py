"""Find title and headings of a document: by the line reader or, in doubt, the markdown parser."""

from __future__ import annotations

from ledger.codec.outline_by_lines import Outline, outline_by_lines

#: Words of which a title says no more than that there was a session.
EMPTY_TITLE = frozenset("session log notes note work memory update of the on for and".split())


def outline(lines: list[str], start: int = 0) -> Outline:
    """Find the top-level headings among `lines[start:]`; asks the markdown parser when in doubt."""
    found = outline_by_lines(lines, start)
    if found is None:
        from ledger.codec.outline_by_markdown import outline_by_markdown

        found = outline_by_markdown(lines, start)
    return found


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
