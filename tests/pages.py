"""The documents of the tree, and their fenced blocks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from tests.conftest import WRITE_TABLES

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
GUIDE = ROOT / "rituals" / "guide"  #: the pages for users
COMMANDS = GUIDE / "COMMANDS.md"
WORKING = GUIDE / "WORKING.md"
DURABILITY = ROOT / "memory" / "write" / "DURABILITY.md"
ARCHITECTURE = GUIDE / "ARCHITECTURE.md"  #: beside them: of the package that knows the others
#: The README, the guide, and the pages for contributors beside the code that they are about.
PAGES = (
    README,
    *sorted(
        page
        for folder in ("ledger", "projection", "memory", "rituals", "tests")
        for page in (ROOT / folder).rglob("[A-Z]*.md")
        if page.name != "SKILL.md"  # which says to agents what to do
    ),
)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^## ([a-z]+)$", re.MULTILINE)


def blocks(text: str, language: str) -> list[list[str]]:
    """Return the lines of every fenced block of a language."""
    return [body.splitlines() for found, body in _BLOCK.findall(text) if found == language]


def check_or_write(page: Path, text: str) -> None:
    """Hold a page to a text, or write it with `DIURNA_WRITE_TABLES=1`."""
    if os.environ.get(WRITE_TABLES):
        page.write_text(text, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == text, f"run this test once with {WRITE_TABLES}=1"


def filled(text: str, fill: Callable[[str, str], str | None]) -> str:
    """Write the blocks of a page anew.

    For the heading above a block (a command, "" before the first) and its language `fill` gives what the
    block holds, None for a block that stays.
    """

    def block(found: re.Match[str]) -> str:
        above = _COMMAND.findall(text, 0, found.start())
        body = fill(above[-1] if above else "", found[1])
        return found[0] if body is None else f"```{found[1]}\n{body}```"

    return _BLOCK.sub(block, text)


def section(page: Path, title: str) -> str:
    """Return what stands below a heading of a page."""
    return page.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[tuple[str, ...]]:
    """Return the rows of the first table of a text, without its head."""
    found = re.findall(r"^\| (.+) \|$", text, re.MULTILINE)[1:]
    return [tuple(row.split(" | ")) for row in found]
