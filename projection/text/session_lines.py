"""Say in a line what a session came to: the title of its log, and how its last report begins.

Pure and light, as a brief asks it of five logs: no sentence is weighed, none looked through for secrets.
"""

from __future__ import annotations

from projection.text.clipping import sentence_starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Sections that say nothing of what a session came to.
_APART = ("## Memory References", "## Facts", "## Observed")
#: The sections of a captured log (FORMAT.md, W19), and those whose items are lines of their own.
_ITEMS = ("## Answered", "## Observed")
_TOLD = (*_ITEMS, "## Commits", "## Texts", "## Turns")
_ITEM_MARKS = ("- ", "* ")
#: What begins no prose: headings, what a person asked, code, tables, comments.
_NO_PROSE = ("#", ">", "```", "~~~", "|", "<!--", "---")
#: A sentence of fewer characters is told with the next one.
_SHORT = 40


def report_start(text: str) -> int:
    """Return where the last report of a captured log begins (FORMAT.md, W19), -1 where it tells none."""
    turns = text.find("\n## Turns\n")
    end = text.find("\n## ", turns + 1) if turns >= 0 else -1
    last = text.rfind("\n### Turn ", turns, end if end >= 0 else len(text)) if turns >= 0 else -1
    return text.find("\n", last + 1) if last >= 0 else -1


def in_short(text: str) -> tuple[str, str]:
    """Return a log's title and the first sentence of its last report, else of its prose; "" for none."""
    begin = text.find("\n---", 3) + 4 if text[:3] == "---" else 0
    title = next((line[2:] for line in text[begin:].split("\n", 9) if line[:2] == "# "), "").strip()
    said = ""
    for paragraph in _paragraphs(text[max(report_start(text), begin) :]):
        told = said
        for at in [*sentence_starts(paragraph, 0, len(paragraph)), len(paragraph)]:
            told = f"{said} {paragraph[:at].strip()}".strip()
            if len(told) >= _SHORT:
                return title, told.replace("**", "")
        said = told
    return title, said.replace("**", "")


def parts_in_short(text: str) -> list[tuple[int, str]]:
    """Return a line for each part of a captured log, with the number of its own; [] for another log.

    An answer and an observation stand as they are, what has a heading by that and its first sentence.
    """
    found: list[tuple[int, str]] = []
    section, lines = "", text.split("\n")
    for number, line in enumerate(lines, 1):
        if line[:3] == "## ":
            section = line if line in _TOLD else ""
        elif section in _ITEMS and line[:2] == "- ":
            found.append((number, f"{section[3:]}: {line[2:]}"))
        elif section and line[:4] == "### ":
            behind = next(
                (n for n in range(number, len(lines)) if lines[n][:2] == "##"), len(lines)
            )
            said = in_short("\n".join(lines[number:behind]))[1]
            found.append((number, f"{line[4:]}: {said}" if said else line[4:]))
    return found


def _paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs and items that say something, on one line each, up to a section that does not."""
    fenced = False
    for block in text.split("\n\n"):
        parts: list[list[str]] = [[]]
        for line in block.split("\n"):
            bare = line.strip()
            if bare.startswith(("```", "~~~")):
                fenced = not fenced
            elif line in _APART:
                return
            elif not fenced and not bare.startswith(_NO_PROSE):
                if bare[:2] in _ITEM_MARKS:
                    parts.append([])
                parts[-1].append(bare.removeprefix("- ").removeprefix("* "))
        for part in parts:
            yield from _saying(" ".join(" ".join(part).split()))


def _saying(said: str) -> Iterator[str]:
    """Yield what of a paragraph says something: no bold heading, no last sentence that announces."""
    bold = said[:2] == "**" == said[-2:] and said.count("**") == 2
    if said.rstrip("*").endswith((":", "\uff1a")):
        said = said[: max([0, *sentence_starts(said, 0, len(said))])].strip()
    if said and not bold:
        yield said
