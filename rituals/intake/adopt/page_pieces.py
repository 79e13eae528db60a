"""Read the facts of many versions of a page, of which most of the text is the same from one to the next.

A list item that stands in the first column behind a blank line, or behind the footer of another one,
begins anew, whatever was above it, but for the headings that it stands below. So a page is cut there, and
each piece is read once below its headings. A page with code fences, or with comments of several lines,
which may hide such a line, is read as a whole.
"""

from __future__ import annotations

import re

from rituals.intake.adopt.adopted_files import text_of
from rituals.intake.adopt.read_facts import FactPage, ImportedFact

_ITEM = re.compile(r"\n- (?![- ])")
_FOOTER = re.compile(r"  +<!-- id: [a-z0-9]+(?:[.-][a-z0-9]+)* \|[^\n]* -->")


class PageReader:
    """Reads versions of one kind of page; the facts have no line, which nobody asks for in the past.

    Args:
        file: the page.
        state: of its facts, `live` or `archived`.
    """

    def __init__(self, file: str, state: str) -> None:
        self.file, self.state = file, state
        self._read: dict[tuple[str, str], tuple[list[ImportedFact], list[tuple[int, str]]]] = {}

    def facts(self, data: bytes) -> list[ImportedFact]:
        """Read the facts of a version."""
        text = text_of(data).replace("\r\n", "\n").replace("\r", " ")
        if "```" in text or "~~~" in text or _hides_lines(text):
            return FactPage(self.file, data, self.state, []).facts()
        found: list[ImportedFact] = []
        above: list[tuple[int, str]] = []
        for piece in _pieces(text):
            context = "".join([f"{'#' * level} {title}\n\n" for level, title in above])
            known = self._read.get((context, piece))
            if known is None:
                page = FactPage(self.file, (context + piece).encode(), self.state, [])
                headings = [(one.level, one.title) for one in page.headings[len(above) :]]
                known = self._read[context, piece] = page.facts(), headings
            found += known[0]
            for level, title in known[1]:
                above = [one for one in above if one[0] < level] + [(level, title)]
        return found


def _pieces(text: str) -> list[str]:
    found: list[str] = []
    begin = 0
    for match in _ITEM.finditer(text):
        end = match.start()
        above = text[text.rfind("\n", 0, end) + 1 : end]
        if not above or _FOOTER.fullmatch(above):
            found.append(text[begin : end + 1])
            begin = end + 1
    return [*found, text[begin:]]


def _hides_lines(text: str) -> bool:
    """Tell whether a comment goes on behind its line."""
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at)
        if end < 0 or "\n" in text[at:end]:
            return True
        at = text.find("<!--", end)
    return False
